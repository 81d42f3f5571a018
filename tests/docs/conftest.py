"""Where the pages and the examples are, and how names in them are looked up."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def docs() -> Path:
    return ROOT / "docs"


@pytest.fixture(scope="session")
def examples() -> Path:
    return ROOT / "examples"


def _look_up(name: str) -> Any:
    """The object of a dotted name; AttributeError or ImportError if there is none."""
    parts = name.split(".")
    for n_module in range(len(parts), 0, -1):
        try:
            found = import_module(".".join(parts[:n_module]))
        except ModuleNotFoundError:
            continue
        for part in parts[n_module:]:
            found = getattr(found, part)
        return found
    raise ImportError(name)


@pytest.fixture(scope="session")
def look_up() -> Callable[[str], Any]:
    return _look_up
