"""Names of groups from their traits."""

from graphtailor.diagnostics.group_names import group_names
from graphtailor.diagnostics.profile import Trait


def number(column: str, effect: float, kind: str = "number") -> Trait:
    return Trait(column, column, 0, kind, None, 1.0, 0.0, effect)


def share(column: str, level: str, inside: float = 0.9) -> Trait:
    return Trait(f"{column} = {level}", column, 0, "share", level, inside, 0.1, 1.0)


def test_words():
    for trait, words in (
        (number("out_state", 0.5), "high out state"),
        (number("out", -1.6), "very low out"),
        (number("year built", -1.0, "year"), "early year built"),
        (number("mass", 1.0, "year"), "high mass"),
        (number("seen", 1.0, "date"), "late seen"),
        (share("private", "Yes"), "private"),
        (share("private", "0"), "not private"),
        (share("species", "Adelie"), "Adelie"),
        (share("species", "Adelie", 0.3), "often Adelie"),
        (share("zone", "3"), "zone 3"),
        (share("age", "missing"), "age missing"),
    ):
        assert group_names([[trait]]) == [words]


def test_equal_names_get_more_traits_and_then_numbers():
    a, b = number("a", 1.0), number("b", 0.9)
    more = [a, b, number("c", 0.5)]
    assert group_names([[a, b], more]) == ["high a, high b", "high a, high b, high c"]
    assert group_names([[a], [a], [a]]) == ["high a", "high a (2)", "high a (3)"]


def test_weak_traits_make_no_name():
    assert group_names([[number("a", 0.2)]]) == ["near the average"]
