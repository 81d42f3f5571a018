"""Options that commands share, and the panels that group them in the help."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

DATA_PANEL = "How to read DATA"
MODEL_PANEL = "Model"
OUTPUT_PANEL = "Output"

_data = partial(typer.Option, rich_help_panel=DATA_PANEL)
_model = partial(typer.Option, rich_help_panel=MODEL_PANEL)
_output = partial(typer.Option, rich_help_panel=OUTPUT_PANEL)

Data = Annotated[
    list[str],
    typer.Argument(
        metavar="DATA",
        help="Name of a bundled set (see 'graphtailor datasets') or a file: .csv, "
        ".tsv and other text (also .gz), .parquet, .feather, .arrow, .xlsx, .npz or "
        ".npy; with --dask several .parquet files, or folders of them.",
    ),
]
ModelFile = Annotated[
    Path,
    typer.Argument(metavar="MODEL", help="The model.npz that 'graphtailor fit' wrote."),
]
Dask = Annotated[
    str | None,
    _data(
        "--dask",
        metavar="ADDRESS",
        help="Let a Dask cluster read and cluster Parquet files: its scheduler's "
        "address, or local:N for N new workers here.",
    ),
]
Label = Annotated[
    str | None,
    _data(
        "--label",
        help="Column with known classes: not used to cluster, only to print scores.",
        metavar="COLUMN",
    ),
]
Id = Annotated[
    str | None,
    _data(
        "--id",
        help="Column with names of the rows; found if not given, or else row numbers "
        "from 0.",
        metavar="COLUMN",
    ),
]
Delimiter = Annotated[
    str | None,
    _data(
        "--delimiter",
        metavar="CHARACTER",
        help="Delimiter of a text file ('tab' for a tabulator); guessed if not given.",
    ),
]
Decimal = Annotated[
    str | None,
    _data(
        "--decimal",
        metavar="CHARACTER",
        help="Decimal mark of a text file; guessed if not given.",
    ),
]
NoHeader = Annotated[
    bool,
    _data(
        "--no-header",
        help="The first line of a text file is data; columns are called f1, f2, ...",
    ),
]
Drop = Annotated[
    list[str] | None,
    _data(
        "--drop",
        help="Columns to leave out: names with commas, or the option several times.",
        metavar="COLUMNS",
    ),
]
Columns = Annotated[
    list[str] | None,
    _data("--columns", help="Cluster by these columns only.", metavar="COLUMNS"),
]
Categorical = Annotated[
    list[str] | None,
    _data(
        "--categorical",
        help="Take these columns for categories, also if they are numbers.",
        metavar="COLUMNS",
    ),
]
Numeric = Annotated[
    list[str] | None,
    _data(
        "--numeric",
        help="Take these columns for numbers, also if they look like ids.",
        metavar="COLUMNS",
    ),
]
Impute = Annotated[
    str | None,
    _data(
        "--impute",
        help="Fill missing numbers of a column with its median (if not given), mean or "
        "most_frequent.",
        metavar="HOW",
    ),
]
Quiet = Annotated[bool, _output("--quiet", "-q", help="Print nothing but errors.")]
AsJson = Annotated[
    bool, _output("--json", help="Print one JSON object instead of text.")
]
Jobs = Annotated[
    int | None,
    _model(
        "--jobs",
        "-j",
        metavar="NUMBER",
        help="Threads; all if not given. The result does not depend on it.",
    ),
]
Clusters = Annotated[
    str | None,
    _model(
        "--clusters",
        "-c",
        metavar="NUMBER|auto",
        help="Number of clusters. If not given it is the number of classes where they "
        "are known, and else found (auto).",
    ),
]
MethodName = Annotated[
    str,
    _model(
        "--method",
        "-m",
        help="The joint model, or a method to compare it with (see 'graphtailor "
        "methods').",
        metavar="NAME",
    ),
]
Alpha = Annotated[
    str | None,
    _model(
        "--alpha",
        metavar="NUMBER|auto",
        help="Weight of self-expression. If not given, several are tried, and the one "
        "is taken whose clusters agree most with the others' (auto); 100 is usual.",
    ),
]
Beta = Annotated[
    str | None,
    _model(
        "--beta",
        metavar="NUMBER|auto",
        help="Weight of the given graph; 100 if not given (auto).",
    ),
]
Scale = Annotated[
    str,
    _model(
        "--scale",
        help="Scaling of numeric columns: maxabs, minmax, standard or none.",
        metavar="HOW",
    ),
]
Starts = Annotated[
    int | None,
    _model(
        "--starts",
        min=1,
        metavar="NUMBER",
        help="Number of starts, of which the best is kept.",
    ),
]
Seed = Annotated[
    int,
    _model(
        "--seed",
        min=0,
        max=2**32 - 1,
        metavar="NUMBER",
        help="The same seed gives the same result.",
    ),
]
Param = Annotated[
    list[str] | None,
    _model(
        "--param",
        "-p",
        help="Any other parameter of the method, for instance diffusion=8; may be "
        "given several times.",
        metavar="KEY=VALUE",
    ),
]
OutputFolder = Annotated[
    Path | None,
    _output(
        "--output",
        "-o",
        help="Folder for the results; graphtailor-NAME if not given.",
        metavar="FOLDER",
    ),
]
Report = Annotated[
    Path | None,
    _output(
        "--report",
        help="Also write a page about the fit, all in one HTML file.",
        metavar="FILE",
    ),
]


def only_file(data: list[str]) -> str:
    """The one file or data set that is read without a cluster."""
    if len(data) > 1:
        raise ValueError(
            f"DATA: {len(data)} files. Several Parquet files are read by a cluster: "
            "give --dask local:2."
        )
    return data[0]


def refuse_with_dask(*given: Mapping[str, object]) -> None:
    """Refuse options of which workers know nothing, if they are given."""
    asked = [option for some in given for option, value in some.items() if value]
    if asked:
        raise ValueError(
            f"{asked[0]}: does not go with --dask. Leave it out, or leave --dask out "
            "if the data fit into memory."
        )


def text_delimiter(delimiter: str | None) -> str | None:
    r"""The character that a --delimiter means; 'tab' and '\t' are a tabulator."""
    if delimiter in ("tab", r"\t"):
        return "\t"
    if delimiter is not None and len(delimiter) != 1:
        raise ValueError(
            f"--delimiter: {delimiter!r} is not one character. Give one, or 'tab'."
        )
    return delimiter


def decimal_mark(decimal: str | None) -> str | None:
    """The mark that a --decimal means: a point or a comma."""
    if decimal not in (None, ".", ","):
        raise ValueError(f"--decimal: {decimal!r} is neither a point nor a comma.")
    return decimal
