"""The figure *Which clock is wrong?*: the latency that kube-proxy observes if clocks are wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from pages.figure import escape_html, head, quote
from pages.journey import MIDNIGHT, Clock
from stingy.contract import LAST_CHANGE_TRIGGER_TIME, SECOND, EndpointSlice
from stingy_reference import AnnotationCodec, Proxy

EVENT = 10
"""Time of the change, in seconds of true time after the start of kube-proxy."""

CASES = {
    "Both are right": (0, 0),
    "The node's is 30 s ahead": (0, 30),
    "The node's is 30 s behind": (0, -30),
    "Both are 30 s ahead": (30, 30),
}
"""Rows of the table: how many seconds the writer's clock is ahead, and how many the node's."""
TOOK = 2
"""Seconds of true time from the change until its rules are written, in these cases."""

OFFSETS = (-30, -11, -10, -9, -1, 0, 1, 9, 10, 11, 30)
DELAYS = (0, 1, 30)
"""Offsets and delays in seconds for which the figure's script is tested against the reference.

They are near the limits of the filter of old changes, and far from them.
"""


def observe(writer: int, node: int, took: int) -> float | None:
    """Return the latency in seconds that the reference observes; None if it measures none.

    ``writer`` and ``node`` are the seconds by which these clocks are ahead. ``took`` is the true
    time from the change until its rules are written, in seconds.
    """
    clock = Clock(node * SECOND)
    proxy = Proxy(clock)
    proxy.services_synced()
    proxy.slices_synced()
    stamp = AnnotationCodec().format(MIDNIGHT + (EVENT + writer) * SECOND) or ""
    clock.now = (EVENT + took) * SECOND
    annotations = {LAST_CHANGE_TRIGGER_TIME: stamp}
    proxy.update(EndpointSlice("shop", "web-1", "web", annotations=annotations, endpoints=("10.0.0.1",)))
    latencies = proxy.sync(lambda: True)
    return latencies[0] if latencies else None


def figure() -> str:
    return "\n".join(_figure())


def _figure() -> Iterator[str]:
    told = json.dumps({"event": EVENT, "took": TOOK, "table": list(_table())})
    yield f'<div class="stingy-figure" data-search-exclude><stingy-clocks data-known="{quote(told)}">'
    yield '<div class="stingy-scroll" role="region" tabindex="0" aria-label="Four cases"><table class="stingy-story">'
    columns = ("the clocks", "stamped", "started, by the node", "programmed, by the node", "observed")
    yield f"{head(columns)}<tbody>"
    for name, (writer, node) in CASES.items():
        latency = observe(writer, node, TOOK)
        told_of = "nothing" if latency is None else f"{latency:g} s"
        cells = (f"{EVENT + writer} s", f"{node} s", f"{EVENT + TOOK + node} s", told_of)
        yield f'<tr><th scope="row">{escape_html(name)}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
    yield "</tbody></table></div>\n</stingy-clocks></div>\n"


def _table() -> Iterator[Mapping[str, Any]]:
    for writer, node, took in product(OFFSETS, OFFSETS, DELAYS):
        yield {"writer": writer, "node": node, "took": took, "observed": observe(writer, node, took)}
