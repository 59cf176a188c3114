"""Metrics.

What a work queue tells of itself: how much there is, how long it waits, and how long it takes.
"""
