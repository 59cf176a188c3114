"""What a rule may ask for by the names of its parameters; set out anew for every row and example."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from stingy.contract import PROFILES, Profile
from stingy.language.node import Node
from stingy.language.order import Order
from stingy.language.queue import Queue
from stingy.language.race import Race
from stingy.language.session import PATIENCE, Opener, Session
from stingy.language.story import Story

WORDS: Mapping[str, str] = {
    "queue": "queue",
    "cancellable": "cancel",
    "draining": "drain",
    "race": "queue",
    "drain_race": "drain",
    "tracker": "tracker",
    "proxy": "proxy",
    "starting": "proxy",
}
"""What may be asked for, and the profile that a candidate must offer for it.

``queue``, ``cancellable``, ``draining``: a work queue (and one whose Get can be cancelled, and one that can drain). ``race``, ``drain_race``: lanes that run programs on one.
``tracker``, ``proxy``: a node with one on it; ``starting`` is a proxy whose first lists are not yet there.
"""

ROW = "row"


def profile_of(needs: Sequence[str]) -> Profile:
    """The profile that a rule with these parameters belongs to."""
    profiles = [PROFILES[WORDS[word]] for word in needs if word in WORDS]
    if not profiles:
        raise TypeError(f"a rule asks for one of {', '.join(WORDS)}; this one asks for {', '.join(needs)}")
    return max(profiles, key=lambda profile: len(profile.ops))


@contextmanager
def stage(
    open_session: Opener, needs: Sequence[str], story: Story, order: Order
) -> Iterator[dict[str, object]]:
    """A fresh candidate with all that the rule asks for around it; struck afterwards."""
    session = open_session(profile_of(needs))
    try:
        yield _set_out(session, needs, story, order)
    finally:
        session.close()


def _set_out(session: Session, needs: Sequence[str], story: Story, order: Order) -> dict[str, object]:
    if profile_of(needs).name in ("tracker", "proxy"):
        node = Node(session, story)
        if "proxy" in needs:
            node.services_synced()
            node.slices_synced()
            story.steps.clear()
        return {word: node for word in needs if word in WORDS}
    races = any(word.endswith("race") for word in needs)
    queue = Queue(session, story, PATIENCE, crew="last worker" if races else "worker")
    return {
        word: Race(session, story, queue, order) if word.endswith("race") else queue
        for word in needs
        if word in WORDS
    }
