"""Documents that are almost right: strategies of Hypothesis for files and messages from outside."""

import json

from hypothesis import strategies as st

JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(["", "1.33", "2099-99-99", "FAIL", "#/", "7#/lane-1:x", "/", "a/b", "\ud800", 10**400]),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=3), st.none(), max_size=2),
)


@st.composite
def changed(draw, document):
    """Draw JSON of the document in which one value is replaced, left out or put into a list."""
    places = list(_places(document))
    *way, last = draw(st.sampled_from(places))
    document = json.loads(json.dumps(document))
    holder = document
    for step in way:
        holder = holder[step]
    match draw(st.sampled_from(["other", "none", "nested"])):
        case "other":
            holder[last] = draw(JUNK)
        case "none":
            del holder[last]
        case "nested":
            holder[last] = [holder[last]]
    return json.dumps(document).encode()


def _places(document, way=()):
    inside = document.items() if isinstance(document, dict) else enumerate(document)
    for key, value in inside:
        yield (*way, key)
        if isinstance(value, dict | list):
            yield from _places(value, (*way, key))


@st.composite
def damaged(draw, text):
    """Draw the bytes ``text`` with up to 8 of them, at one place, replaced by up to 4 others."""
    at = draw(st.integers(0, len(text)))
    cut = draw(st.integers(0, 8))
    return text[:at] + draw(st.binary(max_size=4)) + text[at + cut :]


def mutated(document):
    """Return a Hypothesis strategy for bytes: changed or damaged JSON of the document, or any others."""
    return st.one_of(changed(document), damaged(json.dumps(document).encode()), st.binary(max_size=40))
