"""Rate limiters that wait too short, too long, or for the wrong item."""
