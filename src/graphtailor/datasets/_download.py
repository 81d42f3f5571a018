"""Fetch a file: by https from known hosts, of bounded size, whole or not at all."""

import hashlib
import http.client
import os
import ssl
import time
import urllib.request
from collections.abc import Collection
from typing import IO, Any
from urllib.parse import urlsplit

from graphtailor.io.atomic import atomic_open

_CHUNK = 1 << 16
# Of silence, and of the whole download.
SECONDS_OF_SILENCE, MOST_SECONDS = 30.0, 600.0


def download(
    url: str,
    path: str | os.PathLike[str],
    *,
    hosts: Collection[str],
    most_bytes: int,
    sha256: str | None = None,
    context: ssl.SSLContext | None = None,
) -> None:
    """Fetch a file.

    Nothing is left behind if it fails, and an older file at `path` stays.
    """
    _check_address(url, hosts)
    opener = _opener(hosts, context)
    try:
        with (
            opener.open(url, timeout=SECONDS_OF_SILENCE) as response,
            atomic_open(path) as file,
        ):
            found = _copy(response, file, most_bytes)
            if sha256 is not None and found != sha256:
                raise OSError(f"its sha256 is {found}, expected {sha256}")
    except (http.client.HTTPException, OSError) as error:
        if getattr(error, "filename", None) == str(path):
            raise  # the disk's matter, not the network's
        reason = " ".join(str(getattr(error, "reason", None) or error).split())
        raise OSError(f"{url}: {reason or type(error).__name__}") from error


def _copy(response: Any, file: IO[bytes], most_bytes: int) -> str:
    """Write what is sent, as long as it is not too much; its checksum."""
    said = response.headers.get("Content-Length", "")
    n_said = int(said) if said.isdecimal() else None
    if n_said is not None and n_said > most_bytes:
        raise OSError(f"{n_said:,} bytes are sent, over {most_bytes:,}")
    digest, n_bytes, begin = hashlib.sha256(), 0, time.monotonic()
    while chunk := response.read1(_CHUNK):
        n_bytes += len(chunk)
        if n_bytes > most_bytes:
            raise OSError(f"more than {most_bytes:,} bytes are sent")
        if time.monotonic() - begin > MOST_SECONDS:
            raise OSError(f"{n_bytes:,} bytes came in {MOST_SECONDS:.0f} s: too slow")
        digest.update(chunk)
        file.write(chunk)
    if n_said is not None and n_bytes < n_said:
        raise OSError(f"it ended after {n_bytes:,} of {n_said:,} bytes")
    return digest.hexdigest()


class _Redirections(urllib.request.HTTPRedirectHandler):
    def __init__(self, hosts: Collection[str]) -> None:
        self.hosts = hosts

    def redirect_request(
        self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        _check_address(newurl, self.hosts)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _opener(
    hosts: Collection[str], context: ssl.SSLContext | None
) -> urllib.request.OpenerDirector:
    """Knows https and nothing else: neither plain http nor files."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPSHandler(context=context or ssl.create_default_context()),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.HTTPDefaultErrorHandler(),
        _Redirections(hosts),
    ):
        opener.add_handler(handler)
    return opener


def _check_address(url: str, hosts: Collection[str]) -> None:
    parts = urlsplit(url)
    if parts.scheme != "https":
        raise OSError(f"{url}: only https is used")
    if parts.hostname not in hosts:
        raise OSError(f"{url}: not one of the hosts {', '.join(hosts)}")
