"""Adding later.

AddAfter adds an item when a time has passed. Until then it waits outside the queue.
"""
