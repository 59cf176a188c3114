"""Correct trigger time trackers and codecs that work differently from the reference.

No rule may accuse them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Any

SECOND = 1_000_000_000


class DictOfDicts:
    """A dict of Services for each namespace, under one lock; unset times count as earliest."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: dict[str, dict[str, dict[str | None, int]]] = {}

    def compute(self, namespace: str, service: Any, pods: Sequence[Any]) -> int | None:
        with self._lock:
            services = self._known.setdefault(namespace, {})
            before = services.get(service.name)
            now: dict[str | None, int] = {} if service.created is None else {None: service.created}
            for pod in pods:
                for condition in pod.conditions:
                    if condition.type == "Ready" and condition.last_transition is not None:
                        now[pod.name] = condition.last_transition
            services[service.name] = now
            if before is None:
                return now.get(None)
            earliest = None
            for name, time in now.items():
                if time > before.get(name, -(2**63)) and (earliest is None or time < earliest):
                    earliest = time
            return earliest

    def delete(self, namespace: str, name: str) -> None:
        with self._lock:
            self._known.get(namespace, {}).pop(name, None)


class RemembersWhoLeft:
    """Remembers the latest time of each Pod, even of removed ones, in whole seconds.

    A Pod is known by its uid, or by its name if it has none.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._services: dict[str, tuple[int, dict[str, int]]] = {}

    def compute(self, namespace: str, service: Any, pods: Sequence[Any]) -> int | None:
        with self._lock:
            known = self._services.get(f"{namespace}/{service.name}")
        created = -1 if service.created is None else service.created // SECOND
        before, seen = known or (created, {})
        new = [created] if known is None or created > before else []
        for pod in pods:
            time = next((it.last_transition for it in pod.conditions if it.type == "Ready"), None)
            name = pod.uid or pod.name
            if time is not None and time // SECOND > seen.get(name, -1):
                seen[name] = time // SECOND
                new += [seen[name]] if known else []
        with self._lock:
            self._services[f"{namespace}/{service.name}"] = created, seen
        return min(new) * SECOND if new and min(new) >= 0 else None

    def delete(self, namespace: str, name: str) -> None:
        with self._lock:
            self._services.pop(f"{namespace}/{name}", None)


class PassesOverOldNewcomers:
    """Ignores a new Pod's time unless it is later than all times seen of the Service."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], tuple[int, dict[str, int]]] = {}

    def compute(self, namespace: str, service: Any, pods: Sequence[Any]) -> int | None:
        ready = [(pod, it) for pod in pods for it in pod.conditions if it.type == "Ready"]
        times = {pod.name: it.last_transition for pod, it in ready if it.last_transition}
        if service.created:
            times[""] = service.created
        key = namespace, service.name
        latest, before = self._seen.get(key, (0, {}))
        new = [time for name, time in times.items() if time > before.get(name, latest)]
        first = key not in self._seen
        self._seen[key] = max([latest, *times.values()]), times
        return service.created if first else min(new, default=None)

    def delete(self, namespace: str, name: str) -> None:
        self._seen.pop((namespace, name), None)


class WritesThreeDigitsAtATime:
    """Writes 0, 3, 6 or 9 fractional digits, as Java does, and reads at most 9."""

    _form = re.compile(r"([^.,]{19})(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)")

    def format(self, instant: int | None) -> str | None:
        if instant is None or instant == -62_135_596_800 * SECOND:
            return None
        seconds, fraction = divmod(instant, SECOND)
        text = (datetime(1, 1, 1) + timedelta(seconds=seconds + 62_135_596_800)).isoformat()  # noqa: DTZ001
        digits = f"{fraction:09}"
        while digits.endswith("000"):
            digits = digits[:-3]
        return f"{text}.{digits}Z" if digits else f"{text}Z"

    def parse(self, text: str | None) -> int | None:
        found = self._form.fullmatch(text or "")
        if found is None or not found[1].isascii():
            return None
        try:
            whole = datetime.strptime(found[1] + found[3], "%Y-%m-%dT%H:%M:%S%z")
        except ValueError:
            return None
        instant = int(whole.timestamp()) * SECOND + int((found[2] or "").ljust(9, "0"))
        return instant if instant > -62_135_596_800 * SECOND else None


class ReadsAllThatIsMeant:
    """Reads all that the RFC and Go allow; times outside of 64 bits of nanoseconds are invalid."""

    _form = re.compile(
        r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d?):(\d\d):(\d\d)(?:[.,](\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))", re.ASCII
    )

    def format(self, instant: int | None) -> str | None:
        if instant is None or not -(2**63) <= instant < 2**63:
            return None
        moment = datetime.fromtimestamp(instant // SECOND, UTC)
        return f"{moment:%Y-%m-%dT%H:%M:%S}.{instant % SECOND:09}Z"

    def parse(self, text: str | None) -> int | None:
        found = self._form.fullmatch(text or "")
        if found is None:
            return None
        *whole, fraction, sign, hours, minutes = found.groups()
        year, month, day, hour, minute, second = map(int, whole)
        leap = second == 60
        try:
            moment = datetime(year, month, day, hour, minute, second - leap, tzinfo=UTC)
        except ValueError:
            return None
        if int(hours or 0) > 23 or int(minutes or 0) > 59:
            return None
        offset = (int(hours or 0) * 60 + int(minutes or 0)) * (-60 if sign == "-" else 60)
        seconds = int(moment.timestamp()) + leap - offset
        instant = seconds * SECOND + int((fraction or "0").ljust(9, "0")[:9])
        return instant if -(2**63) <= instant < 2**63 else None


SOUND: tuple[type[Any], ...] = (
    *(DictOfDicts, RemembersWhoLeft, PassesOverOldNewcomers, WritesThreeDigitsAtATime, ReadsAllThatIsMeant),
)
