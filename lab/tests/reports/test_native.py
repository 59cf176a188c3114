"""A story exported as an ordinary test: it fails for the broken candidate, and passes for the reference."""

import ast
import dataclasses
import json
import shutil
import subprocess
import sys
from random import Random

import machine
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from stingy.guarantees import all_rules
from stingy.judging.trial import Judge
from stingy.judging.verdict import Finding
from stingy.language.account import Line
from stingy.reports.native import SCRIPTED, Act, Again, NotNative, Told, as_test, render_tests
from stingy.reports.page.quoting import quote
from stingy.transport import locate

REFERENCE = "stingy_reference:WorkQueue"
FAULTS = {
    "stingy_broken.queues:ForgetsWhatIsHeld": "stingy/one-worker-at-a-time",
    "stingy_broken.queues:DropsWhatIsHeld": "once_more/added-while-processed-comes-back-after-done",
    "stingy_broken.lengths:CountsWhatIsInProcessing": "length/len-leaves-out-what-is-in-processing",
    "stingy_broken.drains:DrainsWithoutWaiting": "drain/it-waits-for-what-is-in-processing",
}


def failing(target, id_):
    rule = all_rules()[id_]
    verdicts = Judge(locate(target, 1), 1).verdicts(rule)
    return next(verdict for verdict in verdicts if verdict.verdict is Finding.FAIL)


def passes(test, target, folder):
    (folder / "test_told.py").write_text(render_tests([test], "pytest", target), encoding="utf-8")
    words = [
        sys.executable,
        *["-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", "test_told.py"],
    ]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=machine.patience(5))
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.returncode == 0


@pytest.mark.parametrize("target", FAULTS)
def test_the_broken_candidate_fails_and_the_reference_passes(target, tmp_path):
    test = as_test(failing(target, FAULTS[target]))
    assert not passes(test, target, tmp_path)
    assert passes(test, REFERENCE, tmp_path)


@pytest.mark.parametrize(
    ("target", "rule"),
    [
        ("stingy_broken.keys:KnowsItByItsText", "handing_out/values-that-are-written-alike-are-different"),
        ("stingy_broken.keys:KnowsItByItsSpelling", "handing_out/equal-values-are-one-item"),
    ],
)
def test_an_item_that_is_a_value_is_exported_as_one(target, rule, tmp_path):
    verdict = failing(target, rule)
    test = as_test(verdict)
    assert "queue.add(7)" in render_tests([test], "pytest", target)
    assert not passes(test, target, tmp_path)
    assert passes(test, REFERENCE, tmp_path)
    with pytest.raises(NotNative, match="values of Python"):
        as_test(verdict, "go")
    story = tuple(dataclasses.replace(line, item=line.item and "__import__('os')") for line in verdict.story)
    with pytest.raises(NotNative, match="no value"):
        as_test(replace(verdict, story=story))


@pytest.mark.parametrize("language", SCRIPTED)
def test_each_language_has_a_name_for_every_act(language):
    tests = [as_test(failing(target, FAULTS[target])) for target, id_ in FAULTS.items()]
    text = render_tests(tests, language, REFERENCE)
    assert all(test.rule.sentence in text for test in tests)
    assert "Undefined" not in text
    assert text.count('"a"') >= 6


@pytest.mark.skipif(shutil.which("gofmt") is None, reason="no Go here to read the test with")
def test_the_test_in_go_is_formatted_as_gofmt_does(tmp_path):
    (tmp_path / "told_test.go").write_text(
        render_tests([as_test(failing(*it)) for it in FAULTS.items()], "go", "")
    )
    done = subprocess.run(["gofmt", "-l", "."], cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_a_race_is_no_ordinary_test():
    with pytest.raises(NotNative, match="several threads"):
        as_test(
            failing("stingy_broken.drains:DrainsWithoutWaiting", "interleavings/a-drain-ends-in-every-order")
        )


ODD = (
    *('"', "\\", '\\"', "'", '"""', "\\u0041", "\\u000a", "\\x", "*/", "/*", "//", "#", "%d %s %", "{{ 7 }}", "${x}", "coding: utf-7"),
    *("\n", "\r\n", "\0", "\x1b", "\x85", "\u2028", "\u202e", "\ufeff", "\ud800", "\udfff\ud800", "\uffff", "😀", "\U0010ffff", ""),
    '"; import os; os.system("true"); "',
    '\nimport os\n"""',
)  # fmt: skip
TEXTS = st.text(st.characters(exclude_categories=()), max_size=20)
RULE = all_rules()["stingy/one-worker-at-a-time"]


def told(text):
    """Return a test in which every text of a report is the given text."""
    acts = [
        *(Act("call", "add", text), Act("begin", "get", number=1), Act("returns", "get", text, 1)),
        *(Act("call", "done", text), Act("begin", "get", number=2), Act("waits", "get", number=2)),
    ]
    return Told(RULE, text, acts)


def many():
    """Return odd and drawn texts, all for one run of a compiler."""
    random = Random(7)
    planes = (0x80, 0x100, 0x3000, 0x10000, 0x110000)
    drawn = ("".join(chr(random.randrange(random.choice(planes))) for _ in range(8)) for _ in range(200))
    return [*ODD, *drawn]


def again(texts):
    """Return a race in which every text of its report and of its driver is one of these texts."""
    verdict = failing(*next(iter(FAULTS.items())))
    said = [{"id": n, "op": "add", "lane": text, "item": text} for n, text in enumerate(texts, 1)]
    story = tuple(Line(text, text, text, expected=text) for text in texts)
    return Again(RULE, replace(verdict, because="".join(texts), case="".join(texts), story=story), 7, said)


WELL_FORMED = [text for text in ODD if not any("\ud800" <= char <= "\udfff" for char in text)]


@pytest.mark.parametrize(
    ("language", "command"),
    [
        ("go", ["gofmt", "-e"]),
        (
            "java",
            ["javac", "-encoding", "UTF-8", "-proc:none", "-d", "classes", "Driver.java", "Replay.java"],
        ),
        ("node", ["node", "--check"]),
        ("rust", ["rustc", "--edition", "2021", "--test", "-o", "told", "-L", ".", "--extern", "stingy"]),
    ],
)
def test_the_test_of_a_race_compiles_whatever_texts_it_has(language, command, tmp_path):
    if shutil.which(command[0]) is None:
        pytest.skip(f"no {command[0]} here to read the test with")
    text = render_tests([], language, "".join(ODD), [again(WELL_FORMED)])
    name = {"go": "told_test.go", "java": "StingyRaces.java", "node": "told.test.mjs", "rust": "told.rs"}
    (tmp_path / name[language]).write_text(text, encoding="utf-8")
    (tmp_path / "Driver.java").write_text("class Driver {}")
    (tmp_path / "Replay.java").write_text(JAVA_REPLAY)
    if language == "rust":
        (tmp_path / "stingy.rs").write_text("pub fn replay(_: &str, _: &str, _: &str) {}")
        run(["rustc", "--crate-type", "lib", "--edition", "2021", "stingy.rs"], tmp_path)
        (tmp_path / name[language]).write_text(text.replace('env!("CARGO_BIN_EXE_driver")', '"driver"'))
    run([*command, name[language]], tmp_path)
    if language == "java":
        said = run(["java", "-cp", "classes", "StingyRaces"], tmp_path)
        assert [it["item"] for it in json.loads(said)] == WELL_FORMED


JAVA_REPLAY = """package stingy;
public class Replay {
  public Replay(Class<?> driver, String... words) {}
  public void race(String name, String why, String said) { System.out.print(said); }
  public void end() {}
}
"""


def run(words, folder):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@settings(deadline=None, max_examples=60)
@given(TEXTS)
@example("cmd:./driver")
def test_python_reads_any_text_as_it_is(text):
    module = ast.parse(render_tests([told(text)], "pytest", text))
    (test,) = (it for it in module.body if getattr(it, "name", "").startswith("test_"))
    assert text in ast.get_docstring(module, clean=False)
    assert f"({text})" in ast.get_docstring(test, clean=False)[len(RULE.sentence) :] or not text
    items = [node.value for node in ast.walk(ast.Module(test.body[1:], [])) if isinstance(node, ast.Constant)]
    assert items.count(text) == 3


@pytest.mark.parametrize("text", ODD)
def test_python_reads_odd_texts_as_they_are(text):
    assert ast.literal_eval(quote(text, "pytest")) == text
    compile(render_tests([told(text)], "pytest", text), "told.py", "exec")


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("pkg.module:Queue", "from pkg.module import Queue as Queue"),
        ("pkg.module:Outer.Queue", "from pkg.module import Outer\n\nQueue = Outer.Queue"),
        ("pkg", "from pkg import work_queue as Queue"),
        *((it, "raise NotImplementedError") for it in ("cmd:driver", "cmd:./driver -x", "client-go", "a:b;c", "class:x", ":", "")),
    ],
)  # fmt: skip
def test_a_target_that_no_import_can_name_is_left_to_the_reader(target, says):
    text = render_tests([told("a")], "pytest", target)
    compile(text, "told.py", "exec")
    assert says in text


@pytest.mark.parametrize(
    "line",
    [
        Line("time", "1 min pass"),
        Line("producer", "x", "", "add(); import os", "a", expected="x"),
        Line("producer", "x", "", "add", None, expected="x"),
        Line("producer", "x", "", "get", "a", expected="x"),
    ],
)
def test_a_step_of_a_report_that_is_no_call_is_refused(line):
    verdict = failing(*next(iter(FAULTS.items())))
    with pytest.raises(NotNative, match="steps that are not calls"):
        as_test(replace(verdict, story=(line,)))


def test_a_rule_that_does_not_exist_is_refused():
    with pytest.raises(NotNative, match="no such rule"):
        as_test(replace(failing(*next(iter(FAULTS.items()))), rule="no/such-rule"))


needs_go = pytest.mark.skipif(shutil.which("go") is None, reason="no Go here to compile the tests with")
needs_java = pytest.mark.skipif(
    shutil.which("javac") is None, reason="no Java here to compile the tests with"
)


@needs_go
def test_go_compiles_any_text_and_prints_it_unchanged(tmp_path):
    texts = many()
    (tmp_path / "go.mod").write_text("module example.com/queue\n\ngo 1.21\n")
    (tmp_path / "told_test.go").write_text(
        render_tests(list(map(told, texts)), "go", "".join(ODD)), encoding="utf-8"
    )
    (tmp_path / "queue_test.go").write_text(GO_QUEUE)
    literals = "".join(f'\tfmt.Printf("%x\\n", {quote(text, "go")})\n' for text in texts)
    (tmp_path / "says").mkdir()
    (tmp_path / "says" / "main.go").write_text(
        f'package main\n\nimport "fmt"\n\nfunc main() {{\n{literals}}}\n', encoding="utf-8"
    )
    run(["go", "vet", "./..."], tmp_path)
    said = run(["go", "run", "./says"], tmp_path).split("\n")[:-1]
    assert said == [text.encode(errors="surrogatepass").hex() for text in texts]


GO_QUEUE = """package driver_test

type queue struct{}

func newQueue() *queue                   { return nil }
func (*queue) Add(item any)              {}
func (*queue) Done(item any)             {}
func (*queue) Get() (item any, shutdown bool) { return nil, true }
func (*queue) ShutDown()                 {}
func (*queue) ShutDownWithDrain()        {}
func (*queue) ShuttingDown() bool        { return true }
func (*queue) Len() int                  { return 0 }
"""


@needs_java
def test_java_compiles_any_text_and_prints_it_unchanged(tmp_path):
    texts = many()
    for name, text in JUNIT.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    test = render_tests(list(map(told, texts)), "java", "".join(ODD))
    head = "class StingyTest {"
    (tmp_path / "StingyTest.java").write_text(
        test.replace(head, f"{head}\n  static Queue newQueue() {{ return null; }}"), encoding="utf-8"
    )
    literals = "".join(f"    says({quote(text, 'java')});\n" for text in texts)
    (tmp_path / "Says.java").write_text(JAVA_SAYS.replace("LITERALS", literals), encoding="utf-8")
    run(["javac", "-encoding", "US-ASCII", "-nowarn", "Says.java", "Queue.java"], tmp_path)
    run(["javac", "-encoding", "UTF-8", "-nowarn", "StingyTest.java"], tmp_path)
    said = run(["java", "-cp", ".", "Says"], tmp_path).split("\n")[:-1]
    assert said == [text.encode("utf-16-be", errors="surrogatepass").hex() for text in texts]


JUNIT = {
    "org/junit/jupiter/api/Test.java": "package org.junit.jupiter.api; public @interface Test {}",
    "org/junit/jupiter/api/Assertions.java": """package org.junit.jupiter.api;
public class Assertions {
  public interface Runs { void run() throws Throwable; }
  public static void assertThrows(Class<?> kind, Runs runs) {}
  public static void assertEquals(Object one, Object two) {}
  public static void assertNull(Object one) {}
  public static void assertTrue(boolean it) {}
  public static void assertFalse(boolean it) {}
}
""",
    "Queue.java": """class Queue {
  void add(String item) {}
  void done(String item) {}
  String get() { return null; }
}
""",
}
JAVA_SAYS = """public class Says {
  static void says(String text) {
    StringBuilder hex = new StringBuilder();
    for (char unit : text.toCharArray()) hex.append(String.format("%04x", (int) unit));
    System.out.println(hex);
  }

  public static void main(String[] words) {
LITERALS  }
}
"""
