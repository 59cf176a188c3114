class Histogram:
    name = "kubeproxy_network_programming_duration_seconds"
    bounds = (0, 0.25, 0.5, *range(1, 60), *range(60, 120, 5), *range(120, 301, 30), float("inf"))

    def __init__(self):
        self._seen = []

    @property
    def count(self):
        return len(self._seen)

    @property
    def sum(self):
        return sum(self._seen)

    @property
    def buckets(self):
        return [(float(most), sum(it <= most for it in self._seen)) for most in self.bounds]

    def observe(self, seconds):
        self._seen.append(seconds)


class Proxy:
    """Measures each change when its rules are programmed."""

    def __init__(self, clock):
        self._clock = clock
        self._tracker = EndpointsChangeTracker(clock)
        self._latency = Histogram()

    def update(self, slice_):
        return self._tracker.update(slice_)

    def remove(self, slice_):
        return self._tracker.remove(slice_)

    def services_synced(self):
        pass

    def slices_synced(self):
        pass

    def sync(self, program):
        now = self._clock.time_ns()
        changes = self._tracker.checkout()
        if not program():
            return []
        latencies = [(now - time) / 1e9 for times in changes.trigger_times.values() for time in times]
        for latency in latencies:
            self._latency.observe(latency)
        return latencies

    def metric(self):
        return self._latency
