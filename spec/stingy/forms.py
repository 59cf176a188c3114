"""Of what form each value is that goes to a driver or comes from one: what the arguments and results of ops are made of."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

Ns = Annotated[int, Meta(description="Nanoseconds.")]
Item = Annotated[str, Meta(description="Well-formed Unicode; the empty string is an item.")]


# What goes to a driver.


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
    """What an informer tells of a slice."""

    op: Literal["update", "remove"]
    slice: Slice


class Program(Struct, frozen=True, omit_defaults=True):
    """How the rules are programmed."""

    ok: bool
    takes_ns: Ns
    step_ns: Ns = 0
    meanwhile: list[Arrival] = []
    """What the informer tells before they are."""


# What comes from one.


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
    """Each bound, null for the infinite one, and the cumulative count."""
    count: int
    sum: float
    kind: str | None = None
    labels: dict[str, str] | None = None


def is_record(form: Any) -> bool:
    """Whether it is one of those above, and no plain number, text or list."""
    return isinstance(form, type) and issubclass(form, Struct)
