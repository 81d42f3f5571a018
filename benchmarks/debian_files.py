"""Reading data sets out of files that Debian packages carry.

The packages need not be installed. Unpacked into a folder they are found by
``DEBIAN_DATA=FOLDER``, for instance::

    apt-get download r-cran-mlbench && dpkg-deb -x r-cran-mlbench_*.deb FOLDER
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import pandas as pd

R_LIBRARY = "usr/lib/R/site-library"


class NotInstalled(FileNotFoundError):
    """A package is missing; the message says how to install it."""


def debian_file(path: str, package: str) -> Path:
    """Where a Debian package, installed or unpacked, has a file or folder."""
    for root in ("/", os.environ.get("DEBIAN_DATA") or "/"):
        if Path(root, path).exists():
            return Path(root, path)
    raise NotInstalled(
        f"{path} is not here: apt-get install {package}, or apt-get download {package} "
        f"&& dpkg-deb -x {package}_*.deb FOLDER and set DEBIAN_DATA=FOLDER"
    )


def r_table(path: str, package: str) -> pd.DataFrame:
    """The data frame in a file of R."""
    found = debian_file(path, package)
    try:
        import rdata
    except ImportError as error:
        raise NotInstalled("reading R's tables needs: pip install rdata") from error
    with warnings.catch_warnings():
        # The files do not say that their few names are plain ASCII.
        warnings.filterwarnings("ignore", message="Unknown encoding", module="rdata")
        return next(iter(rdata.read_rda(found).values()))
