"""A stranger's model controls neither the terminal nor the program."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from graphtailor.cli.show import SafeConsole, say_notes, visible

EVIL = [
    "\x1b]0;evil\x07",
    "\x1b[2Jevil",
    "\x9b31mevil",
    "\u202eevil",
    "\u2066evil",
    "evil\r\n\x08\x0b",
    "evil\x00\x7f",
    "evil\u2028",
    "[/]evil",
    "[red]evil",
    "[link=file:///evil]evil[/link]",
    ":skull:evil",
]


def controls(text: str) -> set[str]:
    """Characters of a text that a terminal would obey, but for the end of a line."""
    return {c for c in text if not c.isprintable() and c not in "\n\u200c\u200d"}


@pytest.mark.parametrize("text", EVIL)
def test_visible_text_is_printable_and_reads_on(text: str) -> None:
    assert not controls(visible(text))
    assert "evil" in visible(text)
    # What is already harmless stays as it is.
    assert visible("Zürich, نمی\u200cخواهم 東京 [x] 👩\u200d🌾") == (
        "Zürich, نمی\u200cخواهم 東京 [x] 👩\u200d🌾"
    )


@pytest.mark.parametrize("text", EVIL)
def test_a_console_prints_text_as_text(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    SafeConsole(force_terminal=False).print(text)
    say_notes([text])
    captured = capsys.readouterr()
    for shown in (captured.out, captured.err):
        assert not controls(shown)
        assert "evil" in shown
        for markup in ("[/]", "[red]", "[link=", ":skull:"):
            assert (markup in shown) == (markup in text)


@pytest.fixture
def model(
    graphtailor: Callable[..., Any], in_folder: Path, table: pd.DataFrame
) -> Path:
    table.to_csv("trees.csv", index=False)
    options = ("--label", "kind", "--id", "name", "-q", "-o", "out")
    assert graphtailor("fit", "trees.csv", *options).code == 0
    return Path("out/model.npz")


def change_notes(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    header = json.loads(arrays.pop("header").tobytes())
    change(header["notes"])
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez_compressed(path, header=text, **arrays)


@pytest.mark.parametrize("is_terminal", [False, True])
def test_explain_and_predict_show_hostile_notes_as_text(
    graphtailor: Callable[..., Any],
    model: Path,
    monkeypatch: pytest.MonkeyPatch,
    is_terminal: bool,
) -> None:
    evil = " ".join(EVIL)

    def poison(notes: dict[str, Any]) -> None:
        notes["label"] = notes["id"] = notes["scale"] = evil
        summary = notes["summary"]
        summary["data"] = summary["method"] = evil
        summary["warnings"] = [evil]
        for part in ("parameters", "versions"):
            summary[part] = {evil: evil}
        summary["decision"]["sentences"] = [evil, evil]
        summary["scores"] = {evil: 0.5}
        for columns in (notes["columns"], notes["blocks"]["columns"]):
            for column in columns:
                column["kind"] = column["treatment"] = evil
        notes["columns"][0]["name"] = evil

    change_notes(model, poison)
    monkeypatch.setenv("TERM", "dumb")  # without the styles of our own text
    monkeypatch.setattr("sys.stdout.isatty", lambda: is_terminal)
    answer = graphtailor("explain", model)
    assert (answer.code, controls(answer.out + answer.err)) == (0, set())
    assert answer.out.count("evil") > 50
    answer = graphtailor("predict", model, "trees.csv")
    assert (answer.code, controls(answer.out + answer.err)) == (0, set())


def test_ids_are_shown_safely_and_piped_as_they_are(
    graphtailor: Callable[..., Any],
    model: Path,
    table: pd.DataFrame,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table["name"] = [f"\x1b[2J{k}" for k in range(60)]
    table.to_parquet("new.parquet")
    command = ("predict", model, "new.parquet", "--id", "name")
    assert "\x1b[2J7," in graphtailor(*command).out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    shown = graphtailor(*command).out
    assert "\x1b" not in shown
    assert r"\x1b[2J7," in shown


def set_in(path: str, value: object) -> Callable[[dict[str, Any]], None]:
    def change(notes: dict[str, Any]) -> None:
        *above, last = [int(p) if p.isdecimal() else p for p in path.split("/")]
        inside: Any = notes
        for part in above:
            inside = inside[part]
        inside[last] = value

    return change


NOTES = [
    ("summary", 5),
    ("summary", {}),
    ("summary", {"data": "x"}),
    ("summary/extra", 1),
    ("summary/sizes", []),
    ("summary/sizes", [0, 0, 0]),
    ("summary/sizes", ["a"]),
    ("summary/n_samples", 0),
    ("summary/objective", "low"),
    ("summary/objective", float("nan")),
    ("summary/n_iter", None),
    ("summary/seconds", [1]),
    ("summary/scores", {"ACC": "x"}),
    ("summary/decision", 3),
    ("summary/decision", {"sentences": []}),
    ("summary/decision/sentences", "decided"),
    ("summary/decision/sentences", [3]),
    ("summary/decision/sentences", ["x"] * 101),
    ("summary/decision/more", 1),
    ("summary/decision/n_clusters", 0),
    ("summary/decision/n_rows", 2**60),
    ("summary/decision/every_row", 1),
    ("summary/decision/views", ["x" * 101]),
    ("summary/decision/members", {"spectral": "many"}),
    ("summary/decision/scores", [[2]]),
    ("summary/decision/settings", [{"alpha": 1.0}]),
    ("summary/decision/cut_agreement", float("nan")),
    ("summary/decision/labels_from", "a hat"),
    ("summary/decision/alpha", -1),
    ("summary/parameters", []),
    ("summary/versions", {"numpy": 2}),
    ("summary/warnings", "careful"),
    ("summary/warnings", [1]),
    ("columns", 5),
    ("columns", [{"name": 1}]),
    ("columns/0", {"name": "a", "kind": "b", "treatment": "c", "form": "d"}),
    ("label", ["a"]),
    ("scale", None),
    ("blocks", [1]),
    ("blocks/columns", []),
    ("blocks/columns", [5]),
    ("blocks/decimal", "x"),
    ("blocks/scale", "huge"),
    ("blocks/id", 7),
    ("blocks/more", 7),
    ("blocks/columns/0/form", "magic"),
    ("blocks/columns/0/name", None),
    ("blocks/columns/0/middle", "x"),
    ("blocks/columns/0/middle", [1]),
    ("blocks/columns/0/shift", "x"),
    ("blocks/columns/0/shift", float("inf")),
    ("blocks/columns/0/divide", 0),
    ("blocks/columns/0/weight", -1),
    ("blocks/columns/0/levels", "ab"),
    ("blocks/columns/0/levels", ["a", "a"]),
    ("blocks/columns/0/pools", 1),
    ("blocks/columns/1/name", "width"),
]


def test_hostile_notes_are_refused_in_one_line(
    graphtailor: Callable[..., Any], model: Path
) -> None:
    whole = model.read_bytes()
    for place, value in NOTES:
        model.write_bytes(whole)
        change_notes(model, set_in(place, value))
        for command in (("explain", model), ("predict", model, "trees.csv")):
            answer = graphtailor(*command)
            assert answer.code == 2, (place, value, answer.err)
            assert "model.npz is damaged: model.notes." in answer.err
            assert len(answer.err.splitlines()) == 1
            assert len(answer.err) < 400


def test_a_date_format_that_no_fit_writes(
    graphtailor: Callable[..., Any], model: Path
) -> None:
    change_notes(model, set_in("blocks/columns/0/date_format", "%Y%Y"))
    answer = graphtailor("predict", model, "trees.csv")
    assert answer.code == 2
    assert "MODEL: column 'width' has an unknown form '%Y%Y'" in answer.err


def test_a_hundred_thousand_columns_of_one_name(
    graphtailor: Callable[..., Any], model: Path
) -> None:
    def repeat(notes: dict[str, Any]) -> None:
        prepared = notes["blocks"]
        prepared["columns"] = prepared["columns"][:1] * 100_000

    change_notes(model, repeat)
    answer = graphtailor("predict", model, "trees.csv")
    assert answer.code == 2
    assert "blocks.columns names a column twice" in answer.err
