"""Parquet files as a Dask DataFrame, and which of its columns to take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pandas.api.types import is_numeric_dtype

from graphtailor.tables.messages import did_you_mean, drop_options, listed


@dataclass(frozen=True)
class ClusterData:
    """What the workers read.

    Attributes
    ----------
    paths : sequence of str
        Parquet files, or folders of them.
    id : str or None
        Column with ids, to stand beside the labels.
    drop : sequence of str
        Columns to leave out.
    """

    paths: Sequence[str]
    id: str | None = None
    drop: Sequence[str] = ()

    @property
    def name(self) -> str:
        """That of the only file or folder, or of the folder of all files.

        Examples
        --------
        >>> ClusterData(["trees.parquet"]).name
        'trees'
        >>> ClusterData(["forest/a.parquet", "forest/b.parquet"]).name
        'forest'
        """
        first = Path(self.paths[0]).absolute()
        return first.name.split(".")[0] if len(self.paths) == 1 else first.parent.name

    @property
    def kept(self) -> list[str]:
        """Columns that stand beside the labels."""
        return [] if self.id is None else [self.id]

    def read(self) -> Any:
        """A Dask DataFrame with the rows of all files, in the order of their names."""
        import dask.dataframe as dd

        for name in self.paths:
            _check_path(name)
        paths = [str(Path(name).absolute()) for name in self.paths]
        try:
            frame = dd.read_parquet(paths if len(paths) > 1 else paths[0])
        except (ValueError, OSError) as error:
            raise ValueError(f"DATA: {listed(self.paths)}: {error}") from error
        if self.id is not None and self.id not in frame.columns:
            _refuse_unknown("--id", self.id, frame)
        return frame

    def features(self, frame: Any) -> list[str]:
        """The columns to cluster by: all that are not left out, if they are numbers."""
        for name in self.drop:
            if name not in frame.columns:
                _refuse_unknown("--drop", name, frame)
        kept = [name for name in frame.columns if name not in {*self.drop, self.id}]
        text = [name for name in kept if not is_numeric_dtype(frame.dtypes[name])]
        if text:
            raise ValueError(
                f"DATA: not numeric: {listed(text)}. Leave out what is no number with "
                f"{drop_options(text)}, or name a column as --id."
            )
        if not kept:
            raise ValueError("DATA: no column is left to cluster by.")
        return kept


def _check_path(name: str) -> None:
    path = Path(name)
    if not path.exists():
        raise ValueError(f"DATA: there is no file or folder {name}.")
    if path.is_file() and path.suffix.lower() not in (".parquet", ".pq"):
        raise ValueError(
            f"DATA: {name} is no Parquet file, and --dask reads no other. Leave --dask "
            "out, or save the table as Parquet."
        )


def known_columns(frame: Any, model: Any) -> None:
    """Refuse a frame without the columns that a model was fitted to."""
    features = getattr(model, "feature_names_in_", None)
    if features is None:
        raise ValueError(
            "MODEL: it was fitted to columns without names, and Parquet columns are "
            "found by their names. Predict without --dask."
        )
    missing = [name for name in features if name not in frame.columns]
    if missing:
        raise ValueError(
            f"DATA: the model was fitted to columns that are not there: "
            f"{listed(missing)}.{did_you_mean(missing[0], frame.columns)} "
            f"The columns are {listed(frame.columns)}."
        )


def _refuse_unknown(option: str, name: str, frame: Any) -> None:
    raise ValueError(
        f"{option}: there is no column {name!r}.{did_you_mean(name, frame.columns)} "
        f"The columns are {listed(frame.columns)}."
    )
