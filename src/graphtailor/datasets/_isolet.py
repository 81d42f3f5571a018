"""ISOLET from OpenML: fetched once, checked, and kept as an npz file."""

import hashlib
import http.client
import os
import ssl
import tempfile
import time
import urllib.request
from collections.abc import Collection
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

import numpy as np
import pandas as pd
from sklearn.datasets import get_data_home

from graphtailor.datasets._registry import DatasetInfo
from graphtailor.io.atomic import atomic_open
from graphtailor.io.limits import clear_errors

# OpenML data set 300; it sends 36 MB.
ADDRESS = "https://www.openml.org/data/v1/download/52405/isolet.arff"
HOSTS = ("www.openml.org", "openml.org", "api.openml.org", "data.openml.org")
MOST_BYTES = 100_000_000
_DATA = b"@data"
_CHUNK = 1 << 16
# Of silence, and of the whole download.
SECONDS_OF_SILENCE, MOST_SECONDS = 30.0, 600.0


def kept_isolet(data_home: str | os.PathLike[str] | None) -> Path:
    """Where the data set is kept once it was fetched."""
    if data_home is None:
        return Path(get_data_home(), "graphtailor", "isolet.npz")
    return Path(data_home).expanduser() / "isolet.npz"


def fetch_isolet(info: DatasetInfo) -> tuple[np.ndarray, np.ndarray]:
    """Fetch all parts of ISOLET from OpenML and take the first."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "isolet.arff")
        download(ADDRESS, path, hosts=HOSTS, most_bytes=MOST_BYTES)
        with clear_errors(lambda why: f"{ADDRESS} is not ISOLET: {why}."):
            return _first_part(info, _rows(path, info.n_samples))


def keep_isolet(path: Path, X: np.ndarray, y: np.ndarray, letters: list[str]) -> None:
    """Keep what was fetched and found right."""
    with atomic_open(path) as file:
        np.savez_compressed(file, X=X, y=y, class_names=np.array(letters))


def _rows(path: Path, n_rows: int) -> pd.DataFrame:
    """The first rows of an ARFF file of numbers, the last of them in quotes."""
    with open(path, "rb") as file:
        while (line := file.readline(100_000)) and line.strip().lower() != _DATA:
            pass
        return pd.read_csv(
            file, header=None, nrows=n_rows, quotechar="'", skipinitialspace=True
        )


def _first_part(info: DatasetInfo, rows: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Check the size of the first speakers' rows, and order them by class."""
    per_class = info.n_samples // info.n_classes
    expected = np.repeat(np.arange(1, info.n_classes + 1), per_class)
    numbers = rows.iloc[:, -1].to_numpy(dtype=np.float64)
    shape = (info.n_samples, info.n_features + 1)
    if rows.shape != shape or not np.array_equal(np.sort(numbers), expected):
        raise ValueError(
            f"its first {info.n_samples} rows have {rows.shape[1] - 1} features and "
            f"{len(set(numbers))} classes, and should have {info.n_features} features "
            f"and {per_class} samples in each of {info.n_classes} classes"
        )
    order = np.argsort(numbers, kind="stable")
    X = rows.iloc[:, :-1].to_numpy(dtype=np.float64)
    return X[order], numbers[order].astype(np.int64) - 1


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
