class TriggerTimeTracker:
    """Returns the latest time of a Service and its Pods."""

    def __init__(self):
        self._told = {}

    def compute(self, namespace, service, pods):
        times = [service.created]
        times += [it.last_transition for pod in pods for it in pod.conditions if it.type == "Ready"]
        latest = max(time for time in times if time is not None)
        if latest == self._told.get((namespace, service.name)):
            return None
        self._told[namespace, service.name] = latest
        return latest

    def delete(self, namespace, name):
        pass
