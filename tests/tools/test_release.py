"""What a release says of itself is the same everywhere."""

import json
import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]


def read(name):
    text = (ROOT / name).read_text()
    return json.loads(text) if name.endswith(".json") else yaml.safe_load(text)


def test_versions_and_licences_agree():
    recipe, citation, zenodo = map(
        read, ("conda/recipe.yaml", "CITATION.cff", ".zenodo.json")
    )
    numbers = {citation["version"], zenodo["version"], recipe["context"]["version"]}
    assert numbers == {PROJECT["version"]} == {version("graphtailor")}
    licences = {citation["license"], zenodo["license"], recipe["about"]["license"]}
    assert licences == {PROJECT["license"]}
    assert citation["title"] == zenodo["title"]


def test_the_conda_recipe_needs_what_the_command_needs():
    needed = sorted(PROJECT["dependencies"] + EXTRAS["cli"])
    listed = read("conda/recipe.yaml")["requirements"]["run"]
    plain = [
        each.replace(" ", "").replace("matplotlib-base", "matplotlib")
        for each in listed
    ]
    assert sorted(plain) == sorted([f"python{PROJECT['requires-python']}", *needed])


@pytest.mark.parametrize("extra", ["cli", "ann", "dask"])
def test_the_oldest_versions_are_those_that_are_allowed(extra):
    pins = (ROOT / "ci" / "oldest.txt").read_text().split()
    for requirement in PROJECT["dependencies"] + EXTRAS[extra]:
        name, _, number = requirement.partition(">=")
        (pin,) = [pin for pin in pins if pin.startswith(f"{name}==")]
        pinned = pin.partition("==")[2]
        assert pinned.split(".")[: len(number.split("."))] == number.split("."), pin


def test_types_are_shipped():
    assert (ROOT / "src" / "graphtailor" / "py.typed").is_file()
    assert "Typing :: Typed" in PROJECT["classifiers"]


def test_extras_that_messages_and_pages_name_exist():
    places = [*ROOT.glob("src/**/*.py"), *ROOT.glob("docs/*.md"), ROOT / "README.md"]
    named = {
        extra
        for place in places
        for extras in re.findall(r"graphtailor\[([\w,]+)\]", place.read_text())
        for extra in extras.split(",")
    }
    assert {"cli", "ann", "dask"} <= named <= {*EXTRAS}
