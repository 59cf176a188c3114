"""Hears no Add."""

from stingy_reference import WorkQueue


class Deaf(WorkQueue):
    def add(self, item):
        pass
