"""Priority queues with the wrong order."""
