"""Changes the locale."""

import locale

from stingy_reference import WorkQueue

SAYS = "PASS: "
EXIT = 0


class Queue(WorkQueue):
    def shutting_down(self):
        locale.setlocale(locale.LC_ALL, "C.UTF-8")
        return super().shutting_down()
