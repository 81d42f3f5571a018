"""Take the pictures of pages that the documentation shows, in headless Chromium.

    python tools/page_pictures.py [--before COMMIT]

Writes docs/fit-report.png and docs/compare.png, the pages of wine as they are now. With
--before it also writes docs/fit-report-before.png, the page that COMMIT makes.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
sys.path.insert(0, str(ROOT / "tests"))

from report.browser import Browser  # noqa: E402

_WIDTH, _COLORS = 1100, 200
_HEIGHTS = {"fit-report": 1400, "compare": 1370, "fit-report-before": 1140}


def make_page(source: Path, words: list[str]) -> None:
    """Run the command line of the package in a folder."""
    code = "from graphtailor.cli import main; main()"
    place = os.environ | {"PYTHONPATH": str(source)}
    subprocess.run([sys.executable, "-c", code, *words], env=place, check=True)


@contextmanager
def source_of(commit: str) -> Iterator[Path]:
    """The package as it was, in a working tree that is removed again."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--detach", str(tree), commit], check=True)
        try:
            yield tree / "src"
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)


def take(browser: Browser, page: Path, name: str) -> None:
    """Write the first screens of a page as a picture of few colours."""
    browser.open(page, _WIDTH, _HEIGHTS[name])
    browser.settle()
    # Scripts that unpack rows are done after a moment.
    time.sleep(2)
    path = DOCS / f"{name}.png"
    browser.picture(path)
    # Median cut would drop the colours of small marks.
    octree = Image.Quantize.FASTOCTREE
    few = Image.open(path).convert("RGB").quantize(_COLORS, octree)
    few.save(path, optimize=True)
    print(path, f"{path.stat().st_size / 1000:.0f} kB")


def main() -> None:
    """Make the pages and take their pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", metavar="COMMIT")
    commit = parser.parse_args().before
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        fit = ["fit", "wine", "--clusters", "3", "--quiet", "--output", str(home / "o")]
        pages = {name: home / f"{name}.html" for name in _HEIGHTS}
        make_page(ROOT / "src", fit)
        words = ["page", str(home / "o"), "wine", "--quiet"]
        make_page(ROOT / "src", [*words, "--output", str(pages["fit-report"])])
        words = ["compare", "wine", "--quiet", "--output", str(pages["compare"])]
        make_page(ROOT / "src", words)
        if commit is not None:
            with source_of(commit) as source:
                page = str(pages["fit-report-before"])
                make_page(source, [*fit, "--report", page])
        with Browser(home) as browser:
            for name, page in pages.items():
                if page.exists():
                    take(browser, page, name)


if __name__ == "__main__":
    main()
