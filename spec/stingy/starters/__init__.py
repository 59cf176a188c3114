"""Files that ``stingy init`` writes: a driver, or a class, around a small right queue, with the calls to fill in marked."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
SUFFIX = ".txt"
"""So that nobody takes a file here for one that is to be compiled, imported or obeyed."""
LIBRARY = "stingy"
"""The folder of what a driver is made of, which is no template: it goes along as it is, but for its own tests, and what was built there."""
TESTS = shutil.ignore_patterns("*_test.go", "testdata", "target", "Cargo.lock")


class StarterError(Exception):
    """The starter project cannot be written; the message says what to do instead."""


@dataclass(frozen=True)
class Language:
    title: str
    queue: str
    """The file of the small right queue."""
    calls: str
    """The file in which there is something to fill in."""
    target: str
    settles: str
    """Sentences that say how the driver notices that everything waits."""
    setup: str = ""
    """The step of a CI job that brings the toolchain."""
    build: Sequence[str] = ()
    needs: Sequence[str] = ()
    """The commands that must be there to build and run it."""
    makes: str = ""
    """More text for a driver whose queue has further ops."""

    @property
    def quoted(self) -> str:
        return f'"{self.target}"' if " " in self.target or ":" in self.target else self.target


_ON_LINUX = (
    "Each lane is a thread. On Linux, the driver asks the system whether all of them sleep, so the verdicts do not depend on waiting. "
    "On other systems, it does not claim `settle`, and rules about races cannot be judged. A queue that waits for time to pass, "
    "or has its own threads, needs more: see the page on drivers."
)


def _makes(driver: str) -> str:
    return (
        "A queue with `add_after`, `add_rate_limited` or `add_with_opts` among them is made by the same function as before, and is "
        "then judged as a delaying, rate-limiting or priority queue as well. Your queue has to follow its options, "
        f"such as the rate limiter to ask. A candidate that is not a queue has its own `impl`, in `{driver}`."
    )


LANGUAGES: Mapping[str, Language] = {
    "python": Language(
        "Python",
        queue="`my_queue.py`",
        calls="`candidate.py`",
        target="candidate",
        settles="stingy controls its threads and judges it in virtual time. If `get` is `async def`, stingy "
        "judges it on an asyncio event loop.",
        setup='- uses: actions/setup-python@5fda3b95a4ea91299a34e894583c3862153e4b97  # v7.0.0\n  with: {python-version: "3.13"}',
    ),
    "go": Language(
        "Go",
        queue="`queue.go`",
        calls="`calls.go`",
        target="cmd:./driver",
        settles="Everything runs in a bubble of Go's `testing/synctest`, which knows when every goroutine is blocked, and whose "
        "clock moves only when the driver moves it. In the packages that the build command names (`.` is this one), one goroutine runs at a "
        "time, in an order that stingy chooses, records and repeats: add the package of your queue. Go 1.26 or newer is needed.",
        setup='- uses: actions/setup-go@b7ad1dad31e06c5925ef5d2fc7ad053ef454303e  # v7.0.0\n  with: {go-version: "1.26"}',
        build=["go run stingy.invalid/driver/control -o driver ."],
        needs=["go"],
        makes=_makes("driver_test.go"),
    ),
    "java": Language(
        "Java",
        queue="`Queue.java`",
        calls="`Calls.java`",
        target="cmd:java -cp classes Driver",
        settles="If a JDK 25 is installed, the driver finds it and runs in it, whichever version `java` is. In the classes and packages "
        "that the second command names, one thread runs at a time, in an order that stingy chooses, records and repeats: name those of "
        f"your queue. Without a JDK 25, the system chooses the order, and `stingy doctor` lists where the driver looked for one. {_ON_LINUX} "
        "Java 11 or newer is needed, and no library.",
        setup="- uses: actions/setup-java@b6effb05e454b25005698d916606bdc6ffcbf961  # v5.7.0\n  with: {distribution: temurin, java-version: 25}",
        build=["javac -sourcepath . -d classes Driver.java", "java -cp classes stingy.Control Queue"],
        needs=["javac", "java"],
        makes=_makes("Driver.java")
        + " Time is virtual for a queue that waits by the clock that the driver passes to it.",
    ),
    "rust": Language(
        "Rust",
        queue="`src/queue.rs`",
        calls="`src/calls.rs`",
        target="cmd:target/release/driver",
        settles="If the queue uses `stingy::sync`, `stingy::thread` and `stingy::time` instead of those of `std`, one thread "
        "runs at a time, in an order that stingy chooses, records and repeats, and time is virtual. With `--no-default-features`, or "
        "if the queue uses those of `std`, the system chooses the order. Weak memory is not explored.",
        setup="- run: rustup toolchain install stable",
        build=["cargo build --release"],
        needs=["cargo"],
        makes=_makes("src/main.rs"),
    ),
    "node": Language(
        "JavaScript",
        queue="`queue.mjs`",
        calls="`calls.mjs`",
        target="cmd:node driver.mjs",
        settles="A queue made of promises has nothing more to do after a few turns of the event loop, so the verdicts do not depend "
        "on waiting. At each await, stingy chooses which lane runs next, records the choice and repeats it. A queue that uses timers needs a clock that the driver can move: see the page on drivers.",
        setup="- uses: actions/setup-node@820762786026740c76f36085b0efc47a31fe5020  # v7.0.0\n  with: {node-version: 22}",
        needs=["node"],
        makes=_makes("driver.mjs"),
    ),
}


def write(folder: Path, name: str) -> Sequence[str]:
    """Write the starter project for the language ``name``; return the shell commands to run next.

    ``folder`` must be new or empty; otherwise StarterError is raised.
    """
    import jinja2

    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise StarterError(f"{folder} exists already: name a new or an empty folder")
    language, source = LANGUAGES[name], HERE / name
    readme = jinja2.Template(
        (HERE / "README.md.jinja").read_text(encoding="utf-8"), keep_trailing_newline=True
    )
    try:
        if (source / LIBRARY).is_dir():
            shutil.copytree(source / LIBRARY, folder / LIBRARY, ignore=TESTS)
        for path in sorted(source.rglob(f"*{SUFFIX}")):
            to = folder / path.relative_to(source).with_suffix("")
            to = to.with_name(".gitignore") if to.name == "gitignore" else to
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, to)
        (folder / "README.md").write_text(readme.render(language=language), encoding="utf-8")
    except OSError as error:
        raise StarterError(f"{folder} cannot be written: {error.strerror}") from None
    commands = [f"cd {shlex.quote(str(folder))}", *language.build]
    return [*commands, f"stingy doctor {language.quoted}", f"stingy run {language.quoted}"]
