"""A real browser that opens a page from a file and tells what a script found."""

import json
import shutil
import subprocess
from collections.abc import Callable
from html import escape, unescape
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
CHROMIUM = CHROMIUM or shutil.which("google-chrome")

# Whatever a page would fetch, from anywhere, is refused and told.
GUARD = """<head>
<meta http-equiv="Content-Security-Policy" content="default-src 'none';
 script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:">
<script>
window.faults = [];
addEventListener("securitypolicyviolation", (e) =>
  faults.push("asked for " + e.blockedURI));
addEventListener("error", (e) => faults.push("error " + e.message), true);
for (const kind of ["error", "warn"]) {
  const plain = console[kind];
  console[kind] = (...said) => { faults.push("console " + said); plain(...said); };
}
</script>"""


@pytest.fixture
def browse(tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Open a page, run a script that fills `told`, and give what it told."""
    if CHROMIUM is None:
        pytest.skip("no Chromium here: the page was NOT tried in a browser")

    def call(page: str, script: str, width: int = 1200) -> dict[str, Any]:
        # When all is loaded, what was refused has been told as well.
        ending = (
            f"<script>addEventListener('load', () => {{ const told = {{}};{script}\n"
            "told.faults = faults.join(' ');"
            "parent.document.getElementById('told').textContent = JSON.stringify(told);"
            "});</script></body>"
        )
        page = page.replace("<head>", GUARD, 1).replace("</body>", ending)
        path = tmp_path / "page.html"
        # A frame has the width that is asked for; windows have a least width.
        frame = f'<iframe srcdoc="{escape(page)}" style="width: {width}px"></iframe>'
        path.write_text(f"{frame}<pre id=told></pre>", encoding="utf-8")
        command = [
            str(CHROMIUM),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--window-size=1400,900",
            "--virtual-time-budget=3000",
            f"--user-data-dir={tmp_path / 'profile'}",
            "--dump-dom",
            path.as_uri(),
        ]
        dom = subprocess.run(
            command, capture_output=True, text=True, timeout=120, check=True
        ).stdout
        begin = dom.rindex('<pre id="told">') + len('<pre id="told">')
        found = json.loads(unescape(dom[begin : dom.index("</pre>", begin)]))
        assert found["faults"] == "", found["faults"]
        return found

    return call
