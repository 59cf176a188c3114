"""The figure *What is left out*: which trigger times a tracker keeps, as the reference does."""

from __future__ import annotations

from collections.abc import Iterator

from pages.figure import escape_html
from pages.journey import MIDNIGHT, Clock
from stingy.contract import LAST_CHANGE_TRIGGER_TIME, SECOND, EndpointSlice
from stingy_reference import AnnotationCodec, EndpointsChangeTracker

STAMPS = {"web-1": -3, "web-2": -1, "web-3": 1, "web-4": 2}
"""Trigger times of four slices of one Service, in seconds after the start of kube-proxy."""

# Lengths are in units of the SVG picture.
WIDTH, HEIGHT = 650, 190
MIDDLE, SCALE = 325, 85
"""Where the start is on the axis of time, and the length of a second."""
AXIS = 96


def kept() -> set[int]:
    """Return the trigger times, in seconds after the start, that the reference hands over."""
    tracker = EndpointsChangeTracker(Clock(0))
    for name, after in STAMPS.items():
        stamp = AnnotationCodec().format(MIDNIGHT + after * SECOND) or ""
        annotations = {LAST_CHANGE_TRIGGER_TIME: stamp}
        tracker.update(EndpointSlice("shop", name, "web", annotations=annotations, endpoints=("10.0.0.1",)))
    return {
        (time - MIDNIGHT) // SECOND for times in tracker.checkout().trigger_times.values() for time in times
    }


def figure() -> str:
    return "\n".join(_figure())


def _figure() -> Iterator[str]:
    measured = kept()
    says = ", ".join(
        f"{name} at {after} s is {'measured' if after in measured else 'left out'}"
        for name, after in STAMPS.items()
    )
    yield '<figure class="stingy-filter">'
    yield (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="Trigger times of four slices, and the start of kube-proxy at 0 s: {says}">'
    )
    yield f'<rect class="out" x="0" y="30" width="{MIDDLE}" height="{HEIGHT - 30}"/>'
    yield f'<path class="axis" d="M0 {AXIS}H{WIDTH}"/><path class="start" d="M{MIDDLE} 22V{HEIGHT}"/>'
    yield f'<text class="start" x="{MIDDLE}" y="16">kube-proxy starts</text>'
    yield f'<text x="{MIDDLE / 2}" y="50">before the start: left out</text>'
    yield f'<text x="{MIDDLE + MIDDLE / 2}" y="50">after the start: measured</text>'
    for name, after in STAMPS.items():
        x, is_kept = MIDDLE + after * SCALE, after in measured
        yield f'<g class="{"kept" if is_kept else "left"}"><circle cx="{x}" cy="{AXIS}" r="9"/>'
        yield f'<text x="{x}" y="{AXIS + 5}" class="mark">{"✓" if is_kept else "✗"}</text>'
        yield f'<text x="{x}" y="{AXIS + 34}">{name}</text><text x="{x}" y="{AXIS + 52}">{_sign(after)} s</text></g>'
    yield "</svg>"
    handed = " and ".join(f"{_sign(after)} s" for after in STAMPS.values() if after in measured)
    yield (
        f"<figcaption>Four slices of the Service <code>web</code> arrive after a restart. The trigger times {escape_html(handed)} "
        "are measured. The rules are programmed from all four slices.</figcaption></figure>\n"
    )


def _sign(after: int) -> str:
    return f"{after:+d}".replace("-", "−")
