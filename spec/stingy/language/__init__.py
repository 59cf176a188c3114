"""The words a rule is written in; a guarantee imports from here, ``contract`` and ``sources`` alone."""

from stingy.contract import MILLISECOND, MINUTE, SECOND, Nanoseconds
from stingy.language.cluster import Change, Cluster, Host
from stingy.language.controller import Controller
from stingy.language.delaying import DelayingQueue, RateLimitingQueue
from stingy.language.history import History
from stingy.language.limiter import Limiter
from stingy.language.node import Node
from stingy.language.priority import PriorityQueue
from stingy.language.programs import Small, small_programs
from stingy.language.queue import SHUTDOWN, Metrics, Queue
from stingy.language.race import AGAIN, DONE, GET, SHUT_DOWN, Race, add
from stingy.language.rule import Level, Row, Rule, rule
from stingy.language.values import (
    About,
    about,
    alike,
    between,
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
    "Cluster",
    "Controller",
    "DelayingQueue",
    "History",
    "Host",
    "Level",
    "Limiter",
    "Metrics",
    "Nanoseconds",
    "Node",
    "PriorityQueue",
    "Queue",
    "Race",
    "RateLimitingQueue",
    "Row",
    "Rule",
    "Small",
    "about",
    "add",
    "alike",
    "between",
    "numbers",
    "orders",
    "rule",
    "scripts",
    "sequences",
    "small_programs",
    "spoken",
    "steps",
]
