"""Run one tool on one fault in this process, and print what it found as a line of JSON."""

from __future__ import annotations

import json
import os
import sys
import warnings
from dataclasses import asdict, replace
from importlib import import_module
from time import process_time

from peers.faults import FAULTS, REFERENCE


def main() -> None:
    module, number, seconds = sys.argv[1:]
    warnings.simplefilter("ignore")
    search = import_module(f"peers.{module}").search
    began = process_time()
    found = search((*FAULTS, *REFERENCE)[int(number)], float(seconds))
    print(json.dumps(asdict(replace(found, cpu=process_time() - began))), flush=True)


if __name__ == "__main__":
    main()
    os._exit(0)  # do not wait for threads that are stuck
