"""Delaying queues that add too early, too late, too often or never."""
