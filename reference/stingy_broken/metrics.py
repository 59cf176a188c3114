"""Work queues that tell the wrong things of themselves."""
