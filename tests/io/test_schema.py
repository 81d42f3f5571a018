"""The rules for values from files, each with what it accepts and refuses."""

import math

import numpy as np
import pytest
from scipy import sparse

from graphtailor.io import schema as s
from graphtailor.io.limits import parse_json

PAIR = {"a": True, "b": True}


@pytest.mark.parametrize(
    ("rule", "good", "bad"),
    [
        (s.truth, [True, False], [1, 0.0, "true", None]),
        (s.whole(1, 9), [1, 9], [0, 10, True, 1.0, "1", None, 10**400]),
        (s.number(), [-1, 2.5], [10**400, math.nan, math.inf, True, "1", None, [1]]),
        (s.number(0.0), [0, 1.5], [-1e-9, math.nan]),
        (s.number(above=0.0), [1e-300], [0, 0.0, -1]),
        (s.worded(s.number(), "a count"), [1, 2.5], ["x", math.inf]),
        (s.text(3), ["", "abc"], ["abcd", 1, None, b"a"]),
        (s.one_of("a", None), ["a", None], ["b", 0, [], {}]),
        (s.either(s.truth, s.text()), [True, "a"], [1, None]),
        (s.optional(s.whole()), [None, 0], ["", -1]),
        (s.array_of(s.whole(), most=2), [[], [1, 1]], [[1, 1, 1], ["a"], {}, "ab"]),
        (s.array_of(s.text(), distinct=True), [["a", "b"]], [["a", "a"]]),
        (
            s.mapping_of(s.whole(), most=1),
            [{}, {"a": 1}],
            [{"a": ""}, [], {"a": 1, "b": 2}],
        ),
        (
            s.record({"a": s.whole()}, required=["a"]),
            [{"a": 1}],
            [{}, {"a": 1, "b": 2}, []],
        ),
        (s.record({}, others=s.truth), [{"b": True}], [{"b": 1}]),
        (
            s.numbers_array(least=0.0, may_be_sparse=True),
            [np.ones((2, 2)), sparse.eye_array(3, format="csr")],
            [
                -np.ones((2, 2)),
                np.ones(2),
                np.ones((0, 2)),
                np.full((1, 1), np.nan),
                np.ones((1, 1), dtype=int),
                [[1.0]],
                -sparse.eye_array(3, format="csr"),
            ],
        ),
    ],
)
def test_rules(rule: s.Rule, good: list[object], bad: list[object]) -> None:
    for value in good:
        rule(value, "place")
    for value in bad:
        with pytest.raises(ValueError, match=r"^place"):
            rule(value, "place")


def test_messages_stay_short_whatever_the_value_is() -> None:
    with pytest.raises(ValueError, match=r"^p is '") as error:
        s.whole()("x" * 10**6, "p")
    assert len(str(error.value)) < 200
    with pytest.raises(ValueError, match="is not known") as error:
        s.record({})({"x" * 10**6: 1}, "p")
    assert len(str(error.value)) < 200


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"[" * 90, "nested 90 levels"),
        (b"[" * 10**6, "values"),
        (b"]" * 10**6, "Expecting value"),
        (b'{"a":' * 50 + b"1" + b"}" * 50, "nested 50 levels"),
        (b"[" + b"[]," * 200 + b"1]", "values"),
        (b"[" + b"0," * 200 + b"0]", "values"),
        (b'["' + b'\\"' * 10**6, "Unterminated"),
        (b'["' + b'\\"' * 10**6 + b"\\", "Unterminated"),
        (b"", "Expecting value"),
    ],
)
def test_json_is_counted_before_it_is_parsed(text: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_json(text, depth=20, values=120)


def test_brackets_and_commas_in_strings_do_not_count() -> None:
    text = b'["[[[[{{{{,,,,::::\\"[[[[", "\\\\", [1]]'
    assert parse_json(text, depth=2, values=6) == ['[[[[{{{{,,,,::::"[[[[', "\\", [1]]
