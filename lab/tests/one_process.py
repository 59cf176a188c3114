"""``stingy run`` in one process, for candidates that are judged sooner than further processes have started."""

from lab.building import Site


def judge_in_one_process(monkeypatch):
    """Have whatever ``python -m lab`` builds judged with ``-n1``."""
    judge = Site.judge
    monkeypatch.setattr(
        Site, "judge", lambda site, target, options, *to: judge(site, target, ("-n1", *options), *to)
    )
