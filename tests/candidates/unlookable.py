"""Queues that answer with things nobody can look at."""

from stingy_reference import WorkQueue


class Unlookable:
    def __repr__(self):
        raise RuntimeError("not for you")

    __str__ = __bool__ = __repr__


class ReturnsWhatCannotBeShown(WorkQueue):
    def get(self):
        super().get()
        return Unlookable(), False


class AnswersWhatIsNeitherTrueNorFalse(WorkQueue):
    def shutting_down(self):
        return Unlookable()
