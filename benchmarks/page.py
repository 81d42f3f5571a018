"""Size and speed of the page of a fit in headless Chromium with software rendering.

    python benchmarks/page.py [--rows 178 100000 1000000] [--times 3]

Each page is opened several times, and the best of these is printed, because other work
on the machine only adds to a time. The first picture is there when the map has been
drawn, counted from the moment when the file is asked for. Beyond 25,000 rows it is a
thinned one, and the time when all rows are drawn is given too. The pointer then drags
the map for five seconds, and frames that the browser draws are counted. The time that
all processes of the browser spent on a frame depends less on other work.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import time
from pathlib import Path

from sklearn.datasets import make_blobs

from graphtailor import GraphTailor
from graphtailor.report import fit_report

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from report.browser import Browser
from report.pages import visit

_SECONDS = 5.0
_COUNT = """window.frames_ = 0; (function each() {
  window.frames_ += 1; requestAnimationFrame(each); })(); true"""
_BOX = "document.getElementById('stage').getBoundingClientRect().toJSON()"
_READ = "document.getElementById('points').toDataURL().length"
# All rows are drawn once the map has been at rest for 200 milliseconds.
_READ_ALL = f"new Promise((done) => setTimeout(() => done({_READ}), 250))"


def milliseconds_of(process: int) -> int:
    """Time that a process and those that it started have computed."""
    children: dict[int, list[int]] = {}
    spent = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        number = int(folder.name)
        children.setdefault(int(fields[1]), []).append(number)
        spent[number] = 10 * (int(fields[11]) + int(fields[12]))
    total, todo = 0, [process]
    while todo:
        each = todo.pop()
        total += spent.get(each, 0)
        todo += children.get(each, [])
    return total


def drag(browser: Browser) -> tuple[float, float]:
    """Frames a second, and milliseconds of computing for each, while the map moves."""
    browser.ask("document.getElementById('stage').scrollIntoView({block: 'center'})")
    browser.settle()
    time.sleep(1)
    box = browser.ask(_BOX)
    x, y = box["left"] + box["width"] / 2, box["top"] + box["height"] / 2
    held = {"button": "left", "buttons": 1}
    browser.ask(_COUNT)
    browser.mouse("Pressed", x, y, clickCount=1, **held)
    spent, begin, step = milliseconds_of(browser.process), time.monotonic(), 0
    while time.monotonic() - begin < _SECONDS:
        step += 1
        way = (150 * math.sin(step / 12), 60 * math.sin(step / 9))
        browser.mouse("Moved", x + way[0], y + way[1], **held)
    frames, seconds = browser.ask("window.frames_"), time.monotonic() - begin
    spent = milliseconds_of(browser.process) - spent
    return frames / seconds, spent / frames


def measure(page: str) -> tuple[float, float, float, float]:
    """Seconds to the first picture and to all rows, frames a second, their costs."""
    with tempfile.TemporaryDirectory() as folder, Browser(Path(folder)) as browser:
        visit(browser, "<!doctype html>", Path(folder))
        begin = time.monotonic()
        visit(browser, page, Path(folder))
        browser.ask(_READ)
        first = time.monotonic() - begin
        browser.ask(_READ_ALL)
        return first, time.monotonic() - begin, *drag(browser)


def main() -> None:
    """Fit, make the page, open it, drag its map; one line for each number of rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    sizes = [178, 100_000, 1_000_000]
    parser.add_argument("--rows", type=int, nargs="+", default=sizes)
    parser.add_argument("--times", type=int, default=3)
    asked = parser.parse_args()
    for n in asked.rows:
        X, _ = make_blobs(n, centers=8, n_features=8, cluster_std=2.5, random_state=0)
        page = fit_report(GraphTailor(random_state=0).fit(X), X)
        firsts, wholes, rates, costs = zip(
            *(measure(page) for _ in range(asked.times)), strict=True
        )
        print(
            f"{n:,} rows: {len(page.encode()) / 1000:.0f} kB, first picture after "
            f"{min(firsts):.1f} s, all rows after {min(wholes):.1f} s, "
            f"{max(rates):.0f} frames/s, {min(costs):.0f} ms of computing each",
            flush=True,
        )


if __name__ == "__main__":
    main()
