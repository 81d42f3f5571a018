"""Pages to open in a browser, and how a test waits for them."""

import base64
import dataclasses
import json
import os
import time
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage

from graphtailor.diagnostics.model_access import OtherLayers
from graphtailor.report import fit_page

from .browser import Browser


def visit(browser: Browser, page: str, folder: Path, *size: Any) -> None:
    """Open a page from a file, and wait until its script has drawn it."""
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
    browser.open(path, *size)
    if 'id="page-data"' in page:
        end = time.monotonic() + 60
        while browser.ask("document.documentElement.dataset.ready") != "yes":
            assert time.monotonic() < end, browser.faults
            time.sleep(0.02)
    browser.settle()


def unpacked(page: str) -> dict[str, Any]:
    """The values that the script of a page shows."""
    text = page.split('id="page-data">')[1].split("<")[0]
    return json.loads(zlib.decompress(base64.b64decode(text), -15))


def page_with_levels(
    model: Any,
    X: np.ndarray,
    layers: int | tuple[np.ndarray, ...],
    suggested: tuple[int, ...] = (),
    **more: Any,
) -> str:
    """The page of a fit that has other levels, or levels of 2 to `layers` clusters."""
    if isinstance(layers, int):
        tree = linkage(X, "ward")
        numbers = range(layers, 1, -1)
        layers = tuple(fcluster(tree, k, "maxclust") - 1 for k in numbers)
    plain = fit_page.view_of

    def view(model: Any) -> Any:
        others = {len(np.unique(labels)): labels for labels in layers}
        known = OtherLayers(others, suggested=suggested)
        return dataclasses.replace(plain(model), find_layers=lambda: known)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fit_page, "view_of", view)
        return fit_page.fit_report(model, X, **more)


def assert_accessible(browser: Browser) -> None:
    """Let axe-core look at the open page, in light and in dark colours."""
    folder = Path(os.environ.get("AXE_CORE", "node_modules/axe-core"))
    script = folder / "axe.min.js"
    if not script.is_file():
        pytest.skip(f"no axe-core in {folder}: accessibility was NOT checked")
    for scheme in ("light", "dark"):
        browser.media(scheme)
        browser.settle()
        browser.ask(script.read_text() + "; true")
        found = browser.ask(
            "axe.run().then((found) => found.violations.map((each) => "
            "[each.impact, each.id, each.nodes.length, each.nodes[0].html]))"
        )
        serious = [each for each in found if each[0] in ("serious", "critical")]
        assert not serious, serious
