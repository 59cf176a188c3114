"""The command as a separate process: its exit status, several processes, its imports, drivers."""

import json
import subprocess
import sys

import pytest
from machine import patience

import stingy as package

BROKEN = "stingy_broken.queues:DropsWhatIsHeld"


def python(code, *words):
    """Return the output of a program that is given as text."""
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, timeout=patience(5)
    )
    return done.stdout


def test_several_processes_give_the_same_report(stingy):
    """Of scripts, of orders that are drawn, and of examples."""
    some = ("once_more/added-*", "workers/*", "layers/whatever*")
    rules = (word for it in some for word in ("--rule", it))
    words = ("run", BROKEN, "--seed", "1", "--report", "json", *rules)
    alone, shared = stingy(*words), stingy(*words, "-n", "2")
    first, second = (json.loads(done.stdout) for done in (alone, shared))
    assert alone.returncode == shared.returncode
    times = dict.fromkeys(("began", "seconds"))
    assert json.dumps(first | times) == json.dumps(second | times)
    told = first["results"]
    assert {it.get("evidence") for it in told} >= {"deterministic", "sampled"}
    assert "FAIL" in {it["verdict"] for it in told}


def test_known_failures_are_known_to_several_processes(stingy, tmp_path):
    known = {"rule": "codec/a-time-is-written-in-utc", "reason": "next week"}
    (tmp_path / "known.json").write_text(json.dumps({"schema": 1, "known": [known]}))
    words = ("--rule", "codec/*", "-n", "2", "--baseline", "known.json", "--report", "json")
    done = stingy("run", "stingy_broken.codecs:WritesAnOffset", *words)
    assert json.loads(done.stdout)["summary"]["KNOWN-FAIL"] > 0


@pytest.mark.parametrize(("command", "says"), [("false", "exited with 1"), ("echo hello", "wrote 'hello'")])
def test_a_command_that_is_no_driver_gets_one_clear_sentence(stingy, command, says):
    done = stingy("run", f"cmd:{command}")
    assert done.returncode == 3
    assert says in done.stderr
    assert "Traceback" not in done.stderr


OWNED = "\x1b]0;owned\x07\u202e\n::error::x"


@pytest.mark.parametrize("doctor", [False, True])
@pytest.mark.parametrize(
    "source",
    [
        "print(OWNED)",
        "import sys; sys.exit(OWNED)",
        'import json\nprint(json.dumps({"id": 1, "ok": False, "error": {"kind": "raised", "text": OWNED}}), flush=True)\ninput()',
    ],
)
def test_the_output_of_a_driver_is_shown_and_not_obeyed(stingy, tmp_path, source, doctor):
    (tmp_path / "evil.py").write_text(f"OWNED = {OWNED!a}\n{source}\n")
    target = f"cmd:{sys.executable} evil.py"
    done = stingy("doctor", target) if doctor else stingy("run", target, "--rule", "handing_out/an-added*")
    said = done.stdout + done.stderr
    assert "owned" in said
    assert said.replace("\n", "").isprintable()
    assert not any(line.lstrip().startswith("::") for line in said.splitlines())


@pytest.mark.parametrize("words", [("--help",), ("--version",), ("run", "--help")], ids=" ".join)
def test_a_command_that_only_prints_imports_nothing_heavy(words):
    heavy = {"pytest", "_pytest", "hypothesis", "rich", "jinja2", "asyncio", "xdist"}
    ours = ("stingy.guarantees", "stingy.engine", "stingy.judging.trial", "stingy.plugin")
    command = "import sys\nfrom stingy.cli import main\ntry:\n    main(sys.argv[1:])\nfinally:\n    print(*sys.modules)"
    imported = python(command, *words).splitlines()[-1].split()
    assert not heavy & set(imported)
    assert not [module for module in imported if module.startswith(ours)]
    assert len(imported) < 400


def test_nothing_is_imported_before_it_is_asked_for():
    said = python("import sys, stingy; print('stingy.judging.trial' in sys.modules, stingy.__dir__())")
    assert said.startswith("False")
    assert all(name in said for name in package.__all__)


def test_several_reports_to_one_standard_output_come_one_after_the_other(tmp_path):
    words = "from stingy.request import Request; from stingy.reports import Report, write; it = Report('1', Request('x', seed=1), 'Name', '', '', []); "
    words += "write('terminal', it); write('json=/dev/stdout', it); write('terminal', it)"
    with (tmp_path / "out").open("w") as out:
        subprocess.run([sys.executable, "-c", words], stdout=out, check=True, timeout=patience(5))
    said = (tmp_path / "out").read_text()
    assert said.count("Name was not judged") == 2
    first, rest = said.split("Name was not judged", 1)
    assert '"schema"' not in first
    assert '"schema"' in rest.split("Name was not judged")[0]
