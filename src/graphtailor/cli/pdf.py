"""Pages printed to PDF by the browser of this machine."""

import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from graphtailor.io.atomic import atomic_open

_BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "msedge",
)
_SECONDS = 120


def find_browser() -> str | None:
    """The first browser that is there and prints pages; None if there is none."""
    return next(filter(None, map(shutil.which, _BROWSERS)), None)


def report_place(path: Path | None) -> tuple[Path | None, list[str]]:
    """Where a report can go, and a note if that is not where it was wanted.

    A PDF needs a browser; without one the page is written as HTML.
    """
    if path is None or path.suffix.lower() != ".pdf" or find_browser() is not None:
        return path, []
    page = path.with_suffix(".html")
    return page, [
        f"--report: no browser that prints PDF is here ({', '.join(_BROWSERS[:3])}), "
        f"so the page is written as HTML: {page}. Open it and print it."
    ]


def write_pdf(page: str, path: Path) -> None:
    """Print a page to a PDF file, which is written whole or not at all."""
    browser = find_browser()
    if browser is None:
        raise ValueError(f"--report: no browser is here to print {path}.")
    with TemporaryDirectory() as folder:
        source, target = Path(folder, "page.html"), Path(folder, "page.pdf")
        source.write_text(page, encoding="utf-8")
        options = ["--headless", "--disable-gpu", "--no-pdf-header-footer"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            options.append("--no-sandbox")  # browsers refuse a sandbox to root
        options += [f"--user-data-dir={folder}/profile", "--virtual-time-budget=8000"]
        command = [browser, *options, f"--print-to-pdf={target}", source.as_uri()]
        # A browser that does not end may have printed all the same.
        with suppress(subprocess.TimeoutExpired):
            subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
        if not target.is_file():
            raise ValueError(
                f"--report: {browser} did not print the page. Give a file that ends in "
                ".html, open it and print it."
            )
        with atomic_open(path, "wb") as file:
            file.write(target.read_bytes())
