"""``stingy run`` in one process, for candidates that are judged faster than more processes start."""

from lab.building import Site


def judge_in_one_process(monkeypatch):
    """Make ``python -m lab`` judge its builds with ``-n1``."""
    judge = Site.judge
    monkeypatch.setattr(
        Site, "judge", lambda site, target, options, *to: judge(site, target, ("-n1", *options), *to)
    )
