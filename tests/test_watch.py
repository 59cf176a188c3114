"""``stingy watch`` refuses what no save could ever mend; that it judges after a save is tried in the lab."""

import pytest


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("nowhere:WorkQueue",), "there is no module 'nowhere' here"),
        (("stingy_reference", "--rule", "fear/*"), "there is no rule 'fear/*'; did you mean fair/*?"),
    ],
)
def test_what_can_never_be_judged_is_refused(words, says, stingy):
    done = stingy("watch", *words)
    assert done.returncode == 4
    assert done.stderr.startswith(f"Error: {says}")
    assert len(done.stderr.splitlines()) == 1
