"""A browser that all tests of pages share."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .browser import CHROMIUM, Browser
from .pages import visit


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A headless Chromium with WebGL."""
    if CHROMIUM is None:
        pytest.skip("no Chromium here: the page was NOT tried in a browser")
    with Browser(tmp_path_factory.mktemp("browser")) as found:
        yield found


@pytest.fixture
def browse(browser: Browser, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Open a page, run a script that fills `told`, and give what it told."""

    def call(page: str, script: str, width: int = 1200) -> dict[str, Any]:
        visit(browser, page, tmp_path, width)
        told = browser.ask(
            "(async () => { const told = {}, faults = [];"
            f"{script}; told.faults = faults.join(' '); return told; }})()"
        )
        browser.settle()
        faults = " ".join([*browser.faults, told["faults"]])
        assert faults.strip() == "", faults
        return told

    return call
