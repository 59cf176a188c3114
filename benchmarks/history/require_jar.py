"""Make the Maven module in this folder depend only on this release: ``python require_jar.py client-java-extended 9.0.0``.

The other dependencies and the exclusions of the driver belong to another release. Without them Maven takes what this release needs.
"""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree as ET

POM = Path("pom.xml")
SPACE = "http://maven.apache.org/POM/4.0.0"
OF = {"": SPACE}


def main(artifact: str, version: str) -> None:
    ET.register_namespace("", SPACE)
    pom = ET.parse(POM)
    dependencies = _find(pom.getroot(), "dependencies")
    for dependency in dependencies.findall("dependency", OF):
        if dependency.findtext("artifactId", namespaces=OF) == artifact:
            _find(dependency, "version").text = version
            dependency.remove(_find(dependency, "exclusions"))
        else:
            dependencies.remove(dependency)
    pom.write(POM, encoding="utf-8", xml_declaration=True)


def _find(element: ET.Element, name: str) -> ET.Element:
    found = element.find(name, OF)
    if found is None:
        raise SystemExit(f"{POM} has no {name}")
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
