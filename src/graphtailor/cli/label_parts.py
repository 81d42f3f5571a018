"""A folder of Parquet files with labels, one for each part of the data."""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from pyarrow import parquet

_PART = re.compile(r"part-\d{5,}\.parquet")


def check_folder(option: str, target: Path, data: Sequence[str]) -> None:
    """Refuse a place where something else would be overwritten, data above all."""
    for path in data:
        read = Path(path).resolve()
        if target.resolve() in (read, *read.parents):
            raise ValueError(f"{option}: {target} would overwrite DATA.")
    if not target.exists():
        return
    strangers = [target]
    if target.is_dir():
        strangers = [p for p in target.iterdir() if not _PART.fullmatch(p.name)]
    if strangers:
        raise ValueError(
            f"{option}: {strangers[0]} is there already and holds no labels. Name a "
            "folder that is new, or one with the labels of an earlier run."
        )


@contextmanager
def replaced_folder(target: Path) -> Iterator[Path]:
    """A temporary name for a folder, which takes the place of `target` at the end.

    If anything goes wrong before, Ctrl-C included, it is removed and an older folder
    at `target` is left as it was.

    Parameters
    ----------
    target : Path
        The folder to write.

    Yields
    ------
    Path
        Where to write it: not there yet, beside `target`.
    """
    temporary, older = (
        target.with_name(f".{target.name}.{secrets.token_hex(4)}.{ending}")
        for ending in ("part", "old")
    )
    try:
        yield temporary
        if target.exists():
            os.replace(target, older)
        os.replace(temporary, target)
    finally:
        for folder in (temporary, older):
            shutil.rmtree(folder, ignore_errors=True)


def write_parts(labels: Any, folder: Path) -> list[int]:
    """Let the workers write a frame, each partition to a file of its own.

    Parameters
    ----------
    labels : dask.dataframe.DataFrame
        With a column `label`.
    folder : Path
        Made if it is not there.

    Returns
    -------
    list of int
        Rows in each cluster.
    """
    labels.to_parquet(folder.absolute(), write_index=False, name_function=_part_name)
    # What was written tells the sizes, so that no label is computed twice.
    sizes = np.zeros(0, dtype=np.int64)
    for part in sorted(folder.iterdir()):
        found = np.bincount(parquet.read_table(part, columns=["label"])["label"])
        sizes, fewer = (sizes, found) if len(sizes) > len(found) else (found, sizes)
        sizes[: len(fewer)] += fewer
    return sizes.tolist()


def _part_name(number: int) -> str:
    return f"part-{number:05d}.parquet"
