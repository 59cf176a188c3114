"""Types of the arguments and results of ops, as a driver receives and sends them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

Ns = Annotated[int, Meta(description="Nanoseconds.")]
Item = Annotated[str, Meta(description="Well-formed Unicode; the empty string is an item.")]


# Sent to a driver.


class Condition(Struct, frozen=True):
    type: str
    status: str
    last_transition: Ns | None


class Pod(Struct, frozen=True):
    name: str
    uid: str
    conditions: list[Condition]


class Service(Struct, frozen=True):
    name: str
    created: Ns | None
    labels: dict[str, str]
    annotations: dict[str, str]
    ports: list[int]
    resource_version: str


class Slice(Struct, frozen=True):
    namespace: str
    name: str
    service: str | None
    address_type: str
    annotations: dict[str, str]
    labels: dict[str, str]
    ports: list[int]
    endpoints: list[str]
    resource_version: str


class Arrival(Struct, frozen=True):
    """An EndpointSlice event that an informer delivers during a sync."""

    op: Literal["update", "remove"]
    slice: Slice


class Program(Struct, frozen=True, omit_defaults=True):
    """How a sync programs the rules."""

    ok: bool
    takes_ns: Ns
    step_ns: Ns = 0
    meanwhile: list[Arrival] = []
    """Events that the informer delivers before the rules are written."""


# Received from a driver.


class HandedOut(Struct, frozen=True):
    item: Item | None
    shutdown: bool


class HandedOutWithPriority(Struct, frozen=True):
    item: Item | None
    priority: int
    shutdown: bool


class Changes(Struct, frozen=True):
    services: list[str]
    trigger_times: dict[str, list[Ns]]


class Histogram(Struct, frozen=True):
    name: str
    buckets: list[tuple[float | None, int]]
    """Pairs of a bound and the cumulative count; null is the infinite bound."""
    count: int
    sum: float
    kind: str | None = None
    labels: dict[str, str] | None = None


def is_record(form: Any) -> bool:
    """Return True if the form of an argument is a struct; False for numbers, texts and lists."""
    return isinstance(form, type) and issubclass(form, Struct)
