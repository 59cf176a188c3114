"""Work queues that treat their store wrongly."""
