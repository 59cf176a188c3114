class DelayingQueue(WorkQueue):
    def add_after(self, item, seconds):
        """Each deadline has a timer of its own."""
        threading.Timer(seconds, self.add, [item]).start()
