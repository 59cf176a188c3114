"""Processes that judge many specimens end when all are judged."""

import subprocess
import sys

import machine

LEAVES_A_THREAD = """
import threading
from lab import kills

def judge(task):
    threading.Thread(target=threading.Event().wait).start()
    return task

kills.judge = judge
print(sorted(kills.judge_all([1, 2, 3], 2)))
"""


def test_a_thread_that_a_candidate_leaves_behind_keeps_no_process():
    """The gate once hung after it had judged all oddities by a changed rule."""
    words = [sys.executable, "-c", LEAVES_A_THREAD]
    done = subprocess.run(words, capture_output=True, text=True, timeout=machine.patience(5), check=True)
    assert done.stdout == "[1, 2, 3]\n"
