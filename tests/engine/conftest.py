"""Fixtures for tests that run on the scheduler of ``scheduling``."""

from scheduling import world

__all__ = ["world"]
