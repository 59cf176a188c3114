"""A run on a cluster: the workers of a Dask scheduler judge the rules."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import click
import msgspec

from stingy.cli.errands import Done, Errand, ErrandError, Judged
from stingy.cli.errands.dealing import Hand, deal_out, deal_parts, is_settled, merge
from stingy.cli.errands.parcel import ParcelError, pack
from stingy.cli.notice import Notice
from stingy.cli.progress import Progress
from stingy.cli.session import Found, conclude
from stingy.judging.docket import Docket
from stingy.judging.isolation import Isolated
from stingy.judging.verdict import Verdict, spell
from stingy.process.interrupt import hold, raise_what_was_lost
from stingy.transport import Candidate, is_driver

if TYPE_CHECKING:
    from distributed import Client, Future

PATIENCE = 10.0
"""Seconds that a scheduler may take to answer."""


def share_out(
    address: str,
    docket: Docket,
    candidate: Candidate | Isolated,
    notice: Notice,
    *,
    fail_fast: bool,
) -> Found:
    """Have the workers of the Dask scheduler at ``address`` judge the rules; return the results.

    Raises ClickException if the candidate cannot be sent, or a worker has another version of
    stingy.
    """
    request = docket.request
    candidate.close()
    candidate.kubernetes = request.kubernetes or candidate.kubernetes
    try:
        files = {} if is_driver(request.target) else pack(request.target, Path.cwd())
    except ParcelError as error:
        raise click.ClickException(str(error)) from None
    errand = Errand(
        version("stingy"),
        replace(request, profile=(), rule=(), baseline="", budget=None),
        candidate.name,
        candidate.version,
        files=dict(files),
        fail_fast=fail_fast,
    )
    notice.of(f"waiting for a scheduler at {address}")
    with _connect(address) as client:
        _refuse_others(client, errand.suite)
        run = _Run(client, address, errand, docket, notice)
        try:
            run.judge()
            hold()
        except KeyboardInterrupt:
            run.interrupted = True
            hold()
        finally:
            run.close()
    return conclude(
        docket,
        run.verdicts,
        run.seconds,
        run.fault,
        interrupted=run.interrupted,
        stopped=run.stopped,
    )


@contextmanager
def _connect(address: str) -> Iterator[Client]:
    try:
        from distributed import Client
    except ImportError:
        raise click.ClickException(
            "--cluster needs Dask, which is not installed: pip install 'stingy[cluster]'"
        ) from None
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).disabled = True  # its messages would only repeat ours
    try:
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except Exception as error:  # noqa: BLE001 - distributed raises many kinds
        raise click.ClickException(
            f"no Dask scheduler answers at {address} ({str(error) or type(error).__name__}): start one with "
            "dask scheduler and give the address that it prints, as in tcp://HOST:8786"
        ) from None
    with client:
        yield client


def _refuse_others(client: Client, here: str) -> None:
    """Raise ClickException if a worker of the cluster has no stingy or not version ``here``.

    A worker that joins later is checked when it does its first errand.
    """
    for worker, there in client.run(version, "stingy", on_error="return").items():
        if there != here:
            has = f"stingy {there}" if isinstance(there, str) else "no stingy"
            raise click.ClickException(
                f"the worker at {worker} has {has}, but this machine has stingy {here}: run pip install 'stingy[cluster]=={here}' there"
            )


class _Run:
    """One run on a cluster: the errands (batches of rules) being done now, and the results so far."""

    def __init__(
        self,
        client: Client,
        address: str,
        errand: Errand,
        docket: Docket,
        notice: Notice,
    ) -> None:
        self._client = client
        self._address = address
        self._errand = errand
        self._docket = docket
        self._asked = docket.rules
        self._request = docket.request
        self._notice = notice
        self._progress = Progress(len(docket.cases))
        self._under_way: dict[Future, Errand] = {}
        self._found: dict[str, Verdict] = {}
        self._parts: dict[str, list[Judged]] = {}
        self.seconds: dict[str, float] = {}
        self.fault = ""
        self.interrupted = self.stopped = False

    @property
    def verdicts(self) -> Sequence[Verdict]:
        found = (
            merge(verdict, self._asked[verdict.rule], self._parts.get(id_, ()))
            for id_, verdict in self._found.items()
        )
        return [self._docket.mark(verdict) for verdict in found]

    def judge(self) -> None:
        """Judge all requested rules; then use the rest of ``--budget`` to run races in more orders."""
        began = time.monotonic()
        self._hand_out(deal_out(self._asked, self._slots))
        if self._request.budget is None or self._is_over:
            return
        left = self._request.budget - (time.monotonic() - began)
        self._progress.of = 0
        self._hand_out(deal_parts(self._asked, self._found, left, self._slots))

    def close(self) -> None:
        """Cancel all errands that still run."""
        self._drop(list(self._under_way))
        self._progress.clear()

    @property
    def _is_over(self) -> bool:
        return bool(self.fault) or self.interrupted or self.stopped

    @property
    def _slots(self) -> int:
        """Number of errands that can run at once: the threads of all workers; 1 without workers."""
        threads: Mapping[str, int] = self._client.nthreads()
        return max(1, sum(threads.values()))

    def _hand_out(self, dealt: Sequence[Hand]) -> None:
        from distributed import as_completed

        from stingy.cli.errands.worker import run

        self._tell_how_far()
        raise_what_was_lost()
        for number, asked in enumerate(dealt):
            errand = msgspec.structs.replace(self._errand, asked=tuple(asked))
            key = f"stingy-{number}-{uuid4()}"
            future = self._client.submit(run, msgspec.json.encode(errand), key=key, priority=-number)
            self._under_way[future] = errand
        for future in as_completed(list(self._under_way), loop=self._client.loop):
            raise_what_was_lost()
            if future not in self._under_way:
                continue  # _drop has cancelled it
            errand = self._under_way.pop(future)
            if future.status == "finished":
                self._take(msgspec.json.decode(future.result(), type=Done))
            else:
                self._note_loss(future, errand)
            if self._is_over:
                self._drop(list(self._under_way))

    def _take(self, done: Done) -> None:
        if done.refused:
            raise click.ClickException(
                f"the worker at {done.worker} cannot judge {self._request.target}: {done.refused}"
            )
        for judged in done.judged:
            verdict = judged.verdict
            if judged.asked.part is None:
                self._found[verdict.id] = verdict
            else:
                self._parts.setdefault(verdict.id, []).append(judged)
            self.seconds[verdict.id] = self.seconds.get(verdict.id, 0.0) + judged.seconds
            self._progress.tell(verdict)
            if self._errand.fail_fast and verdict.is_found_wanting(strict=self._request.strict):
                self.stopped = True
        self.fault = self.fault or done.fault
        self._drop([future for future, errand in self._under_way.items() if self._is_settled(errand)])
        self._tell_how_far()

    def _is_settled(self, errand: Errand) -> bool:
        """Return True if the errand's result can no longer change a verdict."""
        return all(
            is_settled(self._asked[asked.rule], self._parts.get(spell(asked.rule, asked.case), ()))
            for asked in errand.asked
        )

    def _tell_how_far(self) -> None:
        if self._client.nthreads():
            self._notice.of(f"judging on {self._address}, {len(self._found):,} done")
        else:
            self._notice.of(f"waiting for a worker of {self._address}")

    def _drop(self, futures: Sequence[Future]) -> None:
        for future in futures:
            del self._under_way[future]
        if futures:
            self._client.cancel(futures)

    def _note_loss(self, future: Future, errand: Errand) -> None:
        """Record why an errand has no result: a fault of the suite, or workers that died."""
        in_hand = ", ".join(dict.fromkeys(f"{asked.rule.partition('/')[0]}/*" for asked in errand.asked))
        error: Any = future.exception() if future.status == "error" else None
        if isinstance(error, ErrandError):
            self.fault = self.fault or f"{error} (while judging {in_hand})"
        elif not self.interrupted:
            self.interrupted = True
            how = _describe_loss(error)
            told = f"the cluster at {self._address} stopped while judging {in_hand}: {how}"
            click.echo(f"Error: {told}", err=True)


def _describe_loss(error: BaseException | None) -> str:
    if error is None:
        return "the connection is lost"
    if type(error).__name__ == "KilledWorker":
        return "every worker that tried it has died"
    if "No module named 'stingy" in f"{error} {error.__cause__}":
        return "this version of stingy is not installed there: pip install 'stingy[cluster]'"
    return f"{type(error).__name__}: {error}"
