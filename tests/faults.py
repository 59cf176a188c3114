"""``python tests/faults.py``: judge every broken candidate, and write how each fails, by which others are told."""

from __future__ import annotations

import inspect
import sys
from concurrent.futures import ProcessPoolExecutor

from stingy.faults import KNOWN, Fault, failures, written
from stingy_broken import broken_candidates
from test_broken import SEED, judge_of, verdicts


def main() -> None:
    names = [f"{cls.__module__}:{cls.__name__}" for cls in broken_candidates()]
    with ProcessPoolExecutor() as pool:
        faults = []
        for fault in pool.map(_judged, names):
            faults.append(fault)
            sys.stderr.write(f"\r{len(faults)} of {len(names)}")
    KNOWN.write_bytes(written(faults))


def _judged(name: str) -> Fault:
    module, _, cls = name.partition(":")
    broken = _class(module, cls)
    judge = judge_of(broken, SEED)
    found = failures(verdicts(judge, broken))
    judge.candidate.close()
    says = inspect.cleandoc(broken.__doc__ or "").partition("\n\n")[0]
    return Fault(cls, " ".join(says.split()), module.rpartition(".")[2], found)


def _class(module: str, name: str) -> type:
    return next(cls for cls in broken_candidates() if (cls.__module__, cls.__name__) == (module, name))


if __name__ == "__main__":
    main()
