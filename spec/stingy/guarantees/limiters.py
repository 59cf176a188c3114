"""Rate limiters.

How long an item has to wait that has failed so often.
"""
