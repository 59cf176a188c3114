class DelayingQueue(WorkQueue):
    def add_after(self, item, seconds):
        """Start a timer for each deadline."""
        threading.Timer(seconds, self.add, [item]).start()
