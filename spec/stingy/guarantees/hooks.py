"""A store of one's own.

A work queue may be given the store that it keeps its items in: Touch, Push, Pop and Len. The store decides the order; the
work queue decides what is in it.
"""
