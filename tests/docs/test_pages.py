"""The pages name nothing that is not there, and their code does what they say."""

from __future__ import annotations

import doctest
import re
from importlib import import_module
from pathlib import Path

import pandas as pd
import pytest

from graphtailor.cli.app import run

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").glob("*.md"))
# {func}`~graphtailor.x` in Markdown, :func:`~graphtailor.x` in reStructuredText; the
# target may stand behind a title.
ROLE = re.compile(
    r"[{:](?:class|func|meth|mod|data)[}:]`(?:[^`<]*<)?~?(graphtailor[\w.]*)>?`"
)
LINK = re.compile(r"[{:]doc[}:]`(?:[^`<]*<)?([^`>]+)>?`")
CODE = re.compile(r"^```pycon\n(.*?)^```", re.DOTALL | re.MULTILINE)
IMAGE = re.compile(r"^```\{image\} (\S+)", re.MULTILINE)
SCRIPT = re.compile(r"python ((?:benchmarks|tools)/[\w/]+\.py)")
WITH_CODE = [page for page in PAGES if CODE.search(page.read_text())]

# Public packages, all of whose names the reference must list.
PUBLIC = (
    "baselines",
    "bench",
    "datasets",
    "graphs",
    "neighbors",
    "plot",
    "report",
    "report.bench",
    "representatives",
    "solvers",
    "statistics",
    "tables",
)


def listed_names(path: Path) -> set[str]:
    """Full names of what a page of the reference documents."""
    module, names, in_summary = "", set(), False
    for line in path.read_text().splitlines():
        if found := re.match(r"\.\. currentmodule:: (\S+)", line):
            module = found[1]
        elif found := re.match(
            r"\.\. (?:auto(?:class|function)|py:data):: (\S+)", line
        ):
            names.add(f"{module}.{found[1]}")
        elif re.match(r"\.\. autosummary::", line):
            in_summary = True
        elif line and not line.startswith(" "):
            in_summary = False
        elif in_summary and (found := re.match(r"   (\w+)$", line)):
            names.add(f"{module}.{found[1]}")
    return names


def test_there_are_pages():
    assert {"guide", "quickstart", "large-data"} <= {page.stem for page in PAGES}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_names_in_pages_exist(page, look_up):
    for name in ROLE.findall(page.read_text()):
        assert look_up(name) is not None, name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page, docs, examples):
    text = page.read_text()
    for link in LINK.findall(text):
        name = link.removeprefix("/")
        example = examples / f"{Path(name).name}.py"
        ends = [docs / f"{name}.md", docs / f"{name}.rst", example]
        assert name == "gallery/index" or any(end.is_file() for end in ends), link
    for image in IMAGE.findall(text):
        assert (docs / image).is_file(), image
    for script in SCRIPT.findall(text):
        assert (ROOT / script).is_file(), script


def test_pages_have_code():
    assert {"guide", "quickstart"} <= {page.stem for page in WITH_CODE}


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: page.stem)
def test_code_in_pages_runs(page):
    code = "\n".join(CODE.findall(page.read_text()))
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    test = doctest.DocTestParser().get_doctest(code, {}, page.name, str(page), 0)
    told: list[str] = []
    result = doctest.DocTestRunner(optionflags=flags).run(test, out=told.append)
    assert result.failed == 0, "".join(told)


def test_pages_of_results_are_what_the_files_say(monkeypatch):
    """`python tools/results_page.py` would change nothing."""
    monkeypatch.syspath_prepend(ROOT / "tools")
    tool = import_module("results_page")
    for page in tool.PAGES:
        text = page.read_text()
        assert tool.write_tables(text, tool.PAPER) == text


def test_every_table_was_judged():
    """A judgement belongs to the result that it was made of."""
    found, judged = (
        pd.read_csv(ROOT / "results" / f"{name}.csv").set_index("table")
        for name in ("tables", "tables_judged")
    )
    assert set(judged["judgement"]) <= {"useful", "fair", "misleading"}
    assert judged["clusters"].to_dict() == found["clusters"].to_dict()


@pytest.mark.parametrize("page", ["api", "internals"])
def test_reference_names_exist(page, docs, look_up):
    names = listed_names(docs / f"{page}.rst")
    assert len(names) > 40
    for name in names:
        assert look_up(name) is not None, name


def test_reference_is_complete(docs):
    public = {
        f"graphtailor.{package}.{name}"
        for package in PUBLIC
        for name in import_module(f"graphtailor.{package}").__all__
    }
    assert public - listed_names(docs / "api.rst") == set()


def test_equations_lead_to_the_reference(docs):
    """What the page of equations names is documented, so that its links work."""
    known = listed_names(docs / "api.rst") | listed_names(docs / "internals.rst")
    asked = set(ROLE.findall((docs / "paper-to-code.md").read_text()))
    methods = {name for name in asked if name.rpartition(".")[0] in known}
    assert len(asked) > 80
    assert asked - methods - known == set()


README = (ROOT / "README.md").read_text()
NUMBER = re.compile(r"\d+(?:\.\d*)?")


def same_words_and_nearly_the_same_numbers(printed: str, said: str) -> None:
    """Numbers may differ by 5 % or 0.03, as far as other machines round otherwise."""

    def words(text: str) -> list[str]:
        return NUMBER.sub("#", text.replace("█", "")).split()

    assert words(printed) == words(said)
    numbers = [[float(x) for x in NUMBER.findall(text)] for text in (printed, said)]
    assert numbers[0] == pytest.approx(numbers[1], rel=0.05, abs=0.03)


def test_five_lines_of_the_readme_print_what_it_says(capsys):
    code = re.search(r"^```python\n(.*?)^```", README, re.DOTALL | re.MULTILINE)[1]
    said = re.search(r"^```text\n(.*?)^```", README, re.DOTALL | re.MULTILINE)[1]
    assert len([line for line in code.splitlines() if line]) == 5
    exec(compile(code, "README.md", "exec"), {})
    same_words_and_nearly_the_same_numbers(capsys.readouterr().out, said)


def test_the_command_of_the_readme_prints_what_it_says(tmp_path, capsys, monkeypatch):
    command = re.search(r"^    graphtailor (fit wine .*)$", README, re.MULTILINE)[1]
    said = re.search(r"^```\n(wine: .*?)^```", README, re.DOTALL | re.MULTILINE)[1]
    head, _, tail = said.partition("...\n")
    monkeypatch.chdir(tmp_path)
    assert run(command.split()) == 0
    printed = capsys.readouterr().out
    (scores,) = [line for line in printed.splitlines() if line.startswith("scores")]
    same_words_and_nearly_the_same_numbers(scores, tail)
    begin = printed[: printed.index("objective")]
    same_words_and_nearly_the_same_numbers(begin, head)
    assert (tmp_path / "wine.html").is_file()


def test_the_readme_is_short_and_begins_without_tables_and_formulas():
    assert len(README.splitlines()) <= 150
    fold = README[: README.index("## What is in it")]
    assert not re.search(r"^\||\$", fold, re.MULTILINE)
