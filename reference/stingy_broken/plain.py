"""The work queue and its line, and nothing else that it can be made with.

What goes wrong in the line goes wrong in a store and in the metrics as well; it need not be said there again.
"""

from __future__ import annotations

import stingy_reference


class WorkQueue(stingy_reference.WorkQueue):
    def __init__(self):
        super().__init__()
