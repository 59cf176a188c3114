"""The words a rule is written in; a guarantee imports from here, ``contract`` and ``sources`` alone."""

from stingy.contract import MILLISECOND, MINUTE, SECOND, Nanoseconds
from stingy.language.cluster import Change, Cluster, Host
from stingy.language.codec import Codec
from stingy.language.control_plane import ControlPlane
from stingy.language.controller import Controller
from stingy.language.delaying import DelayingQueue, RateLimitingQueue
from stingy.language.history import History
from stingy.language.limiter import Limiter, Maker
from stingy.language.node import Checkout, Node
from stingy.language.priority import PriorityQueue, PriorityRace
from stingy.language.programs import Small, small_programs
from stingy.language.queue import SHUTDOWN, Metrics, Queue
from stingy.language.race import AGAIN, DONE, GET, SHUT_DOWN, Race, add
from stingy.language.rule import Level, Row, Rule, rule
from stingy.language.tracker_race import TrackerRace
from stingy.language.values import (
    About,
    about,
    alike,
    between,
    instants,
    numbers,
    orders,
    scripts,
    sequences,
    spoken,
    steps,
)

__all__ = [
    "AGAIN",
    "DONE",
    "GET",
    "MILLISECOND",
    "MINUTE",
    "SECOND",
    "SHUTDOWN",
    "SHUT_DOWN",
    "About",
    "Change",
    "Checkout",
    "Cluster",
    "Codec",
    "ControlPlane",
    "Controller",
    "DelayingQueue",
    "History",
    "Host",
    "Level",
    "Limiter",
    "Maker",
    "Metrics",
    "Nanoseconds",
    "Node",
    "PriorityQueue",
    "PriorityRace",
    "Queue",
    "Race",
    "RateLimitingQueue",
    "Row",
    "Rule",
    "Small",
    "TrackerRace",
    "about",
    "add",
    "alike",
    "between",
    "instants",
    "numbers",
    "orders",
    "rule",
    "scripts",
    "sequences",
    "small_programs",
    "spoken",
    "steps",
]
