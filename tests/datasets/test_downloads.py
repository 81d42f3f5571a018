"""Downloads from servers that lie, stall, cut off, redirect and send too much."""

import hashlib
import shutil
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from graphtailor.datasets import _isolet as _download
from graphtailor.datasets._isolet import download

CONTENT = b"right" * 20_000
SHA256 = hashlib.sha256(CONTENT).hexdigest()
LIMIT = 200_000


class Server(BaseHTTPRequestHandler):
    """Each path is another misdeed."""

    def do_GET(self) -> None:
        getattr(self, self.path.strip("/"))()

    def log_message(self, *_: object) -> None:
        pass

    def answer(self, length: int | None, *parts: bytes) -> None:
        self.send_response(200)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()
        for part in parts:
            self.wfile.write(part)

    def honest(self) -> None:
        self.answer(len(CONTENT), CONTENT)

    def unsaid(self) -> None:
        self.answer(None, CONTENT)

    def changed(self) -> None:
        self.answer(len(CONTENT), b"wrong" * 20_000)

    def truncated(self) -> None:
        self.answer(len(CONTENT), CONTENT[:1000])

    def too_long_and_says_so(self) -> None:
        self.answer(10**12, CONTENT)

    def too_long(self) -> None:
        self.answer(None, *[CONTENT] * 100)

    def longer_than_it_says(self) -> None:
        self.answer(1000, CONTENT)

    def stalls(self) -> None:
        self.answer(len(CONTENT), CONTENT[:1000])
        time.sleep(2)

    def drips(self) -> None:
        self.answer(len(CONTENT))
        for _ in range(40):
            self.wfile.write(b"r")
            self.wfile.flush()
            time.sleep(0.05)

    def hangs_up(self) -> None:
        self.connection.close()

    def missing(self) -> None:
        self.send_error(404)

    def nonsense(self) -> None:
        self.wfile.write(b"no http at all\r\n\r\n")

    def redirected(self, target: str = "/honest") -> None:
        self.send_response(302)
        self.send_header("Location", target)
        self.end_headers()

    def to_http(self) -> None:
        self.redirected(f"http://localhost:{self.server.server_port}/honest")

    def to_file(self) -> None:
        self.redirected("file:///etc/passwd")

    def to_other_host(self) -> None:
        self.redirected(f"https://127.0.0.1:{self.server.server_port}/honest")

    def round_and_round(self) -> None:
        self.redirected("/round_and_round")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    if shutil.which("openssl") is None:
        pytest.skip("NOT TESTED: a server needs a certificate, and openssl is missing")
    folder = tmp_path_factory.mktemp("certificate")
    paths = folder / "certificate.pem", folder / "key.pem"
    names = "subjectAltName=DNS:localhost,IP:127.0.0.1"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
            *("-subj", "/CN=localhost", "-addext", names),
            *("-out", paths[0], "-keyout", paths[1]),
        ],
        check=True,
        capture_output=True,
    )
    return paths


@pytest.fixture(scope="module")
def address(certificate: tuple[Path, Path]) -> Iterator[str]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        server.handle_error = lambda *_: None  # type: ignore[method-assign]
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"https://localhost:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def fetch(
    address: str,
    certificate: tuple[Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[str], None]:
    for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(_download, "SECONDS_OF_SILENCE", 0.5)
    monkeypatch.setattr(_download, "MOST_SECONDS", 1.0)
    (tmp_path / "file").write_bytes(b"old")

    def get(path: str, start: str = address, **options: object) -> None:
        download(
            f"{start}/{path}",
            tmp_path / "file",
            hosts=["localhost"],
            most_bytes=LIMIT,
            sha256=SHA256,
            context=ssl.create_default_context(cafile=certificate[0]),
            **options,
        )

    return get


@pytest.mark.parametrize("path", ["honest", "unsaid", "redirected"])
def test_what_is_right_arrives(
    path: str, fetch: Callable[[str], None], tmp_path: Path
) -> None:
    fetch(path)
    assert (tmp_path / "file").read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("changed", "its sha256 is"),
        ("truncated", "ended after 1,000 of 100,000"),
        ("too_long_and_says_so", "1,000,000,000,000 bytes are sent"),
        ("too_long", "more than 200,000 bytes"),
        ("longer_than_it_says", "its sha256 is"),
        ("stalls", "timed out"),
        ("drips", "too slow"),
        ("hangs_up", "https"),
        ("missing", "404|Not Found"),
        ("nonsense", "https"),
        ("to_http", "only https"),
        ("to_file", "only https|not allowed"),
        ("to_other_host", "not one of the hosts localhost"),
        ("round_and_round", "redirect"),
    ],
)
def test_what_is_wrong_leaves_nothing(
    path: str, words: str, fetch: Callable[[str], None], address: str, tmp_path: Path
) -> None:
    with pytest.raises(OSError, match=words) as error:
        fetch(path)
    assert str(error.value).startswith("https://localhost")
    assert "\n" not in str(error.value)
    assert (tmp_path / "file").read_bytes() == b"old"
    assert [found.name for found in tmp_path.iterdir()] == ["file"]


def test_only_https_from_known_hosts(
    fetch: Callable[..., None], address: str, tmp_path: Path
) -> None:
    for start in (address.replace("https", "http"), "file:///etc", "ftp://localhost"):
        with pytest.raises(OSError, match="only https"):
            fetch("honest", start)
    with pytest.raises(OSError, match="not one of the hosts"):
        fetch("honest", address.replace("localhost", "127.0.0.1"))


def test_a_stranger_with_a_certificate_of_his_own(address: str, tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"(?i)certificate"):
        download(
            f"{address}/honest",
            tmp_path / "file",
            hosts=["localhost"],
            most_bytes=LIMIT,
        )
    assert list(tmp_path.iterdir()) == []
