"""A controller of kuroboros without a cluster: events come from a list of ours, and objects need not be read."""

import logging
import queue
from unittest import mock

from kuroboros import controller as theirs
from kuroboros.group_version_info import GroupVersionInfo
from kuroboros.reconciler import BaseReconciler
from kuroboros.reconciler import Result as TheirResult
from kuroboros.schema import CRDSchema

distribution = "kuroboros"

logging.getLogger().handlers.clear()  # importing it has all logs printed

KIND = GroupVersionInfo(api_version="v1", group="example.com", kind="Thing")
NO_MORE = object()


class Result(TheirResult):
    """By the names of the contract."""

    def __init__(self, requeue_after):
        super().__init__(requeue=True, requeue_after_seconds=requeue_after)


class TerminalError(Exception):
    """Whatever a reconcile raises is not tried again, unless it is their RetriableException."""


class Thing(CRDSchema):
    pass


class Offline(theirs.Controller):
    """Their controller, with our list in the place of the cluster."""

    def __init__(self, reconciler):
        self.events = queue.Queue()
        with mock.patch.object(theirs.Controller, "_check_permissions"):
            super().__init__("thing", KIND, reconciler)

    def _preload_existing_cr(self):
        pass

    def _stream_events(self, watcher):
        while (key := self.events.get()) is not NO_MORE:
            yield {"type": "MODIFIED", "object": {"metadata": {"namespace": None, "name": key}}}


class Controller:
    """An event of an object with this key is an Add."""

    def __init__(self, reconcile):
        class Reconciler(BaseReconciler[Thing]):
            def get(self, **_):
                return None

            def reconcile(self, obj, stopped):
                return reconcile(self._namespace_name[1])

        Reconciler.set_gvi(KIND)
        self._controller = Offline(Reconciler)

    def add(self, key):
        self._controller.events.put(key)

    def start(self):
        with mock.patch.object(theirs, "ExtendedApi"):
            self._controller.run()

    def stop(self):
        self._controller.events.put(NO_MORE)
        self._controller.stop()
