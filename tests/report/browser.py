"""A real browser, driven over the pipe of its DevTools protocol."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any, Self

CHROMIUM = (
    shutil.which("chromium")
    or shutil.which("chromium-browser")
    or shutil.which("google-chrome")
)
_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--window-size=1280,900",
    "--remote-debugging-pipe",
)
_SECONDS = 90.0


class Browser:
    """One tab of a headless Chromium.

    Parameters
    ----------
    folder : Path
        Where the profile and the downloads are kept.
    webgl : bool, default=True
        Whether WebGL is drawn by software; otherwise pages have no WebGL.

    Attributes
    ----------
    faults : list of str
        Errors, console messages and requests beyond the page's own file.
    """

    def __init__(self, folder: Path, webgl: bool = True) -> None:
        self.folder, self.faults, self._count = folder, [], 0
        self._buffer, self._events = b"", []
        their_in, self._out = os.pipe()
        self._in, their_out = os.pipe()
        drawing = (
            ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
            if webgl
            else ["--disable-gpu", "--disable-3d-apis"]
        )
        command = [str(CHROMIUM), *_FLAGS, *drawing]
        command.append(f"--user-data-dir={folder / 'profile'}")
        # The protocol reads from descriptor 3 and writes to descriptor 4.
        places = f'exec "$@" 3<&{their_in} 4>&{their_out}'
        self._process = subprocess.Popen(
            ["bash", "-c", places, "bash", *command],
            pass_fds=(their_in, their_out),
            stderr=subprocess.DEVNULL,
        )
        os.close(their_in)
        os.close(their_out)
        self._session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call(
            "Browser.setDownloadBehavior",
            behavior="allow",
            downloadPath=str(folder),
        )

    @property
    def process(self) -> int:
        """Number of the browser's first process."""
        return self._process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(timeout=30)
        os.close(self._in)
        os.close(self._out)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol and wait for its answer."""
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method}
        message["params"] = parameters
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._count:
                assert "error" not in answer, answer["error"]
                return answer["result"]
            self._note(answer)

    def open(
        self, page: Path, width: int = 1280, height: int = 900, scheme: str = "light"
    ) -> None:
        """Open a file in a window of a size, and wait until it is loaded."""
        self.faults, self._events = [], []
        self.resize(width, height)
        self.media(scheme)
        self._address = page.as_uri()
        self.call("Page.navigate", url=self._address)
        while "Page.loadEventFired" not in self._events:
            self._note(self._read())

    def settle(self) -> None:
        """Wait until what was asked for is drawn."""
        self.ask(
            "new Promise((done) => requestAnimationFrame("
            "() => requestAnimationFrame(() => setTimeout(done, 20))))"
        )

    def resize(self, width: int, height: int) -> None:
        """Give the window another size."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1}
        self.call("Emulation.setDeviceMetricsOverride", **size, mobile=False)

    def media(self, scheme: str = "light", kind: str = "") -> None:
        """Prefer light or dark colours; `kind` may be "print"."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.call("Emulation.setEmulatedMedia", media=kind, features=[feature])

    def ask(self, script: str) -> Any:
        """The value of an expression, or of the promise that it gives."""
        found = self.call(
            "Runtime.evaluate",
            expression=script,
            awaitPromise=True,
            returnByValue=True,
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        """Move, press or release the mouse at a place of the window."""
        self.call("Input.dispatchMouseEvent", type=f"mouse{kind}", x=x, y=y, **more)

    def drag(self, places: list[tuple[float, float]], modifiers: int = 0) -> None:
        """Press the button at the first place, and release it at the last."""
        held = {"button": "left", "buttons": 1, "modifiers": modifiers}
        self.mouse("Moved", *places[0])
        self.mouse("Pressed", *places[0], clickCount=1, **held)
        for place in places[1:]:
            self.mouse("Moved", *place, **held)
        self.mouse("Released", *places[-1], clickCount=1, **held)

    def click(self, x: float, y: float) -> None:
        """Click at a place of the window."""
        self.drag([(x, y)])

    def touch(self, kind: str, *places: tuple[float, float]) -> None:
        """Put fingers down ("Start"), move them, or lift all of them ("End")."""
        points = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(places)]
        self.call("Input.dispatchTouchEvent", type=f"touch{kind}", touchPoints=points)

    def press(self, key: str) -> None:
        """Press a key such as "ArrowRight"."""
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=key)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=key)

    def picture(self, path: Path, *, whole: bool = False) -> None:
        """Take a picture of the window, or of the whole page."""
        found = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(found["data"]))

    def pdf(self) -> bytes:
        """The page as it is printed."""
        found = self.call("Page.printToPDF", printBackground=False)
        return base64.b64decode(found["data"])

    def downloaded(self, pattern: str) -> Path:
        """Wait for a file that the page lets the user save."""
        end = time.monotonic() + _SECONDS
        while time.monotonic() < end:
            found = [p for p in self.folder.glob(pattern) if p.stat().st_size]
            if found:
                return found[0]
            time.sleep(0.05)
        raise AssertionError(f"No file {pattern} was saved.")

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], _SECONDS)
            assert ready, "the browser does not answer"
            self._buffer += os.read(self._in, 1 << 20)
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def _note(self, event: dict[str, Any]) -> None:
        name, found = event.get("method", ""), event.get("params", {})
        self._events.append(name)
        if name == "Runtime.exceptionThrown":
            details = found["exceptionDetails"]
            text = details.get("exception", {}).get("description", details["text"])
            self.faults.append(f"error {text}")
        elif name == "Runtime.consoleAPICalled" and found["type"] in (
            *("error", "warning", "assert"),
        ):
            said = [str(arg.get("value", "")) for arg in found["args"]]
            self.faults.append(f"console {' '.join(said)}")
        elif name == "Log.entryAdded" and found["entry"]["level"] in (
            *("error", "warning"),
        ):
            self.faults.append(f"log {found['entry']['text']}")
        elif name == "Page.javascriptDialogOpening":
            self.faults.append(f"dialog {found['message']}")
            answer = {"id": 0, "method": "Page.handleJavaScriptDialog"}
            answer |= {"params": {"accept": True}, "sessionId": self._session}
            os.write(self._out, json.dumps(answer).encode() + b"\0")
        elif name == "Network.requestWillBeSent":
            asked = found["request"]["url"]
            is_own = asked.startswith(("data:", "blob:", self._address))
            if not is_own:
                self.faults.append(f"asked for {asked}")
