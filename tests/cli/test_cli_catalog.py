"""``graphtailor datasets`` and ``graphtailor methods``."""

import json
from collections.abc import Callable
from typing import Any

from graphtailor.datasets import list_datasets
from graphtailor.registry import METHODS


def test_datasets(graphtailor: Callable[..., Any]) -> None:
    answer = graphtailor("datasets")
    assert (answer.code, answer.err) == (0, "")
    lines = answer.out.splitlines()[1:]
    for info in list_datasets():
        line = next(line for line in lines if line.startswith(f"{info.name} "))
        assert f"{info.n_samples:,}" in line
    found = json.loads(graphtailor("datasets", "--json").out)
    assert [each["name"] for each in found] == [info.name for info in list_datasets()]


def test_methods(graphtailor: Callable[..., Any]) -> None:
    answer = graphtailor("methods")
    assert (answer.code, answer.err) == (0, "")
    assert all(method.family in answer.out for method in METHODS.values())
    found = json.loads(graphtailor("methods", "--json").out)
    assert [each["name"] for each in found] == list(METHODS)
    gnmf = next(each for each in found if each["name"] == "GNMF")
    assert "lam" in gnmf["grid"]
    assert gnmf["needs"] == ["a graph", "nonnegative data"]
