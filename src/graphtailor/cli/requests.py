"""What the user asks of a command, all in one place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class FitRequest:
    """The options of ``graphtailor fit``, by the names of its arguments."""

    data: list[str]
    clusters: str | None
    method: str
    alpha: str | None
    beta: str | None
    scale: str
    starts: int | None
    seed: int
    param: Sequence[str] | None
    jobs: int | None
    label: str | None
    id_column: str | None
    columns: Sequence[str] | None
    drop: Sequence[str] | None
    categorical: Sequence[str] | None
    numeric: Sequence[str] | None
    impute: str | None
    delimiter: str | None
    decimal: str | None
    no_header: bool
    dask: str | None
    output: Path | None
    report: Path | None
    quiet: bool
    as_json: bool

    @property
    def is_talking(self) -> bool:
        """Whether text is wanted."""
        return not self.quiet and not self.as_json


@dataclass(frozen=True)
class PredictRequest:
    """The options of ``graphtailor predict``, by the names of its arguments."""

    model_file: Path
    data: list[str]
    id_column: str | None
    delimiter: str | None
    decimal: str | None
    no_header: bool
    dask: str | None
    output: Path | None
    quiet: bool
    as_json: bool

    @property
    def is_talking(self) -> bool:
        """Whether text is wanted."""
        return not self.quiet and not self.as_json
