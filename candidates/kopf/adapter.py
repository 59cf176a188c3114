"""What decides in kopf when an object is handled, without a cluster: events come from a list of ours."""

import asyncio
import contextlib
from unittest import mock

from kopf._cogs.clients import watching
from kopf._cogs.configs.configuration import OperatorSettings
from kopf._cogs.structs.references import Resource
from kopf._core.reactor import queueing

distribution = "kopf"

A_MOMENT = 0.1
"""Seconds that the worker of an object keeps its place after the last event: less than a rule waits."""

PODS = Resource("", "v1", "pods", namespaced=True)


class Controller:
    """An event of an object with this key is an Add, its processor is the reconcile."""

    def __init__(self, reconcile, max_concurrent_reconciles=None):
        self._reconcile = reconcile
        self._settings = OperatorSettings()
        self._settings.queueing.worker_limit = max_concurrent_reconciles
        self._settings.queueing.idle_timeout = A_MOMENT
        self._events = asyncio.Queue()
        self._watcher = None

    def add(self, key):
        self._events.put_nowait({"type": "MODIFIED", "object": {"metadata": {"name": key, "uid": key}}})

    async def start(self):
        with mock.patch.object(watching, "infinite_watch", self._watch):
            self._watcher = asyncio.ensure_future(self._run())
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.shield(self._watcher)

    async def stop(self):
        """An operator stops by cancelling its watchers."""
        self._watcher.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._watcher

    async def _run(self):
        await queueing.watcher(
            namespace=None, settings=self._settings, resource=PODS, processor=self._process
        )

    async def _watch(self, **_):
        while True:
            yield await self._events.get()

    async def _process(self, *, raw_event, **_):
        await self._reconcile(raw_event["object"]["metadata"]["uid"])
