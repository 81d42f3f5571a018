"""Options that commands share, and the panels that group them in the help."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

DATA_PANEL = "How to read DATA"
MODEL_PANEL = "Model"
OUTPUT_PANEL = "Output"

Data = Annotated[
    list[str],
    typer.Argument(
        metavar="DATA",
        help="Name of a bundled set (see 'graphtailor datasets') or a .csv, .tsv, "
        ".parquet or .npz file; with --dask several .parquet files, or folders of "
        "them.",
    ),
]
Dask = Annotated[
    str | None,
    typer.Option(
        "--dask",
        metavar="ADDRESS",
        help="Let a Dask cluster read and cluster Parquet files: its scheduler's "
        "address, or local:N for N new workers here.",
        rich_help_panel=DATA_PANEL,
    ),
]
Label = Annotated[
    str | None,
    typer.Option(
        "--label",
        help="Column with known classes: not used to cluster, only to print scores.",
        metavar="COLUMN",
        rich_help_panel=DATA_PANEL,
    ),
]
Id = Annotated[
    str | None,
    typer.Option(
        "--id",
        help="Column with ids of the rows; row numbers from 0 if not given.",
        metavar="COLUMN",
        rich_help_panel=DATA_PANEL,
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        "--delimiter",
        metavar="CHARACTER",
        help="Delimiter of a text file ('tab' for a tabulator); guessed if not given.",
        rich_help_panel=DATA_PANEL,
    ),
]
Decimal = Annotated[
    str,
    typer.Option(
        "--decimal",
        metavar="CHARACTER",
        help="Decimal mark of a text file.",
        rich_help_panel=DATA_PANEL,
    ),
]
NoHeader = Annotated[
    bool,
    typer.Option(
        "--no-header",
        help="The first line of a text file is data; columns are called f1, f2, ...",
        rich_help_panel=DATA_PANEL,
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        "--drop",
        help="Column to leave out; may be given several times.",
        metavar="COLUMN",
        rich_help_panel=DATA_PANEL,
    ),
]
Impute = Annotated[
    str | None,
    typer.Option(
        "--impute",
        help="Fill missing values of a column with its median, mean or most_frequent.",
        metavar="HOW",
        rich_help_panel=DATA_PANEL,
    ),
]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet", "-q", help="Print nothing but errors.", rich_help_panel=OUTPUT_PANEL
    ),
]
AsJson = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Print one JSON object instead of text.",
        rich_help_panel=OUTPUT_PANEL,
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        metavar="NUMBER",
        help="Threads; all if not given. The result does not depend on it.",
        rich_help_panel=MODEL_PANEL,
    ),
]
Clusters = Annotated[
    int | None,
    typer.Option(
        "--clusters",
        "-c",
        min=1,
        metavar="NUMBER",
        help="Number of clusters; the number of classes if they are known.",
        rich_help_panel=MODEL_PANEL,
    ),
]
MethodName = Annotated[
    str,
    typer.Option(
        "--method",
        "-m",
        help="The joint model, or a method to compare it with (see 'graphtailor "
        "methods').",
        metavar="NAME",
        rich_help_panel=MODEL_PANEL,
    ),
]
Alpha = Annotated[
    str | None,
    typer.Option(
        "--alpha",
        help="Weight of self-expression.",
        metavar="NUMBER",
        rich_help_panel=MODEL_PANEL,
    ),
]
Beta = Annotated[
    str | None,
    typer.Option(
        "--beta",
        help="Weight of the given graph.",
        metavar="NUMBER",
        rich_help_panel=MODEL_PANEL,
    ),
]
Scaling = Annotated[
    str,
    typer.Option(
        "--scaling",
        help="Scaling of the features: maxabs, minmax, standard or none.",
        metavar="HOW",
        rich_help_panel=MODEL_PANEL,
    ),
]
Starts = Annotated[
    int | None,
    typer.Option(
        "--starts",
        min=1,
        metavar="NUMBER",
        help="Number of starts, of which the best is kept.",
        rich_help_panel=MODEL_PANEL,
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        "--seed",
        min=0,
        max=2**32 - 1,
        metavar="NUMBER",
        help="The same seed gives the same result.",
        rich_help_panel=MODEL_PANEL,
    ),
]
Param = Annotated[
    list[str] | None,
    typer.Option(
        "--param",
        "-p",
        help="Any other parameter of the method, for instance diffusion=8; may be "
        "given several times.",
        metavar="KEY=VALUE",
        rich_help_panel=MODEL_PANEL,
    ),
]
OutputFolder = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="Folder for the results; graphtailor-NAME if not given.",
        metavar="FOLDER",
        rich_help_panel=OUTPUT_PANEL,
    ),
]
Report = Annotated[
    Path | None,
    typer.Option(
        "--report",
        help="Also write a page about the fit, all in one HTML file.",
        metavar="FILE",
        rich_help_panel=OUTPUT_PANEL,
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
