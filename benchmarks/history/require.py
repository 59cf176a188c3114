"""Make the Go module in this folder require only these releases: ``python require.py k8s.io/client-go@v0.28.15``.

All other requirements are dropped, because Go takes the newest of several versions, and those of the driver belong to another
release. With v1.19.2 of k8s.io/kubernetes, each module that is published together with it is replaced by its v0.19.2.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

CANDIDATE = Path(__file__).parent.parent.parent / "candidates" / "any"
"""A folder beside the candidates: local paths in go.mod are relative to it."""
KUBERNETES = "k8s.io/kubernetes@v1."


def main(releases: Sequence[str]) -> None:
    wanted = [f"-require={release}" for release in releases]
    together = [option for release in releases for option in _replace_staging(release)]
    _go("mod", "edit", *_drop(_read("go.mod")), *wanted, *together)
    _go("mod", "tidy")


def _drop(module: dict[str, Any]) -> Iterator[str]:
    """Yield options of ``go mod edit`` that drop all requirements of a module except local ones.

    The relative paths of local ones become absolute.
    """
    local = {it["Old"]["Path"]: it["New"]["Path"] for it in module["Replace"] if "Version" not in it["New"]}
    for path, folder in local.items():
        yield f"-replace={path}={os.path.normpath(CANDIDATE / folder)}"
    for required in module["Require"]:
        if required["Path"] not in local:
            yield f"-droprequire={required['Path']}"


def _replace_staging(release: str) -> Iterator[str]:
    if not release.startswith(KUBERNETES):
        return
    version = f"v0.{release.removeprefix(KUBERNETES)}"
    for it in _read(json.loads(_go("mod", "download", "-json", release))["GoMod"])["Replace"] or ():
        if it["New"]["Path"].startswith("./staging/"):
            yield f"-replace={it['Old']['Path']}={it['Old']['Path']}@{version}"


def _read(path: str) -> dict[str, Any]:
    module: dict[str, Any] = json.loads(_go("mod", "edit", "-json", path))
    return module


def _go(*words: str) -> str:
    return subprocess.run(["go", *words], check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    main(sys.argv[1:])
