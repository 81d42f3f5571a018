"""Options that commands share, and how a command gets them as one object."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

import typer

if TYPE_CHECKING:
    from graphtailor.tables import Table

Options = TypeVar("Options")

DATA_PANEL = "How to read DATA"
MODEL_PANEL = "Model"
OUTPUT_PANEL = "Output"

data_option = partial(typer.Option, rich_help_panel=DATA_PANEL)
model_option = partial(typer.Option, rich_help_panel=MODEL_PANEL)
output_option = partial(typer.Option, rich_help_panel=OUTPUT_PANEL)

Quiet = Annotated[
    bool, output_option("--quiet", "-q", help="Print nothing but errors.")
]
AsJson = Annotated[
    bool, output_option("--json", help="Print one JSON object instead of text.")
]
Clusters = Annotated[
    str | None,
    model_option(
        "--clusters",
        "-c",
        metavar="NUMBER|auto",
        help="Number of clusters. By default it is the number of known classes, or "
        "else it is found (auto).",
    ),
]
Seed = Annotated[
    int,
    model_option(
        "--seed",
        min=0,
        max=2**32 - 1,
        metavar="NUMBER",
        help="The same seed gives the same result.",
    ),
]
Dask = Annotated[
    str | None,
    data_option(
        "--dask",
        metavar="ADDRESS",
        help="Let a Dask cluster read and cluster Parquet files: the address of its "
        "scheduler, or local:N for N new workers on this machine.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class ModelFile:
    """The model that a command reads."""

    model_file: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL",
            help="The model.npz that 'graphtailor fit' wrote, or its folder.",
        ),
    ]

    @property
    def model_path(self) -> Path:
        """The file; a model that does not exist is refused."""
        path = self.model_file
        if path.is_dir():
            path = path / "model.npz"
        if not path.is_file():
            raise ValueError(f"MODEL: there is no file {path}.")
        return path


@dataclass(frozen=True, kw_only=True)
class Source:
    """The data that a command reads, and what it prints."""

    data: Annotated[
        list[str],
        typer.Argument(
            metavar="DATA",
            help="Name of a bundled set (see 'graphtailor datasets'), - for text on "
            "the standard input, or a file: .csv, .tsv and other text (also .gz or "
            ".zip), .jsonl, .parquet, .feather, .arrow, .xlsx, .ods, .npz or .npy; or "
            "several files with the same columns. With --dask .parquet files, or "
            "folders of them.",
        ),
    ]
    id_column: Annotated[
        str | None,
        data_option(
            "--id",
            metavar="COLUMN",
            help="Column with names of the rows. By default it is guessed; without "
            "one, rows are numbered from 0.",
        ),
    ] = None
    delimiter: Annotated[
        str | None,
        data_option(
            "--delimiter",
            metavar="CHARACTER",
            help="Delimiter of a text file ('tab' for a tabulator); guessed by "
            "default.",
        ),
    ] = None
    decimal: Annotated[
        str | None,
        data_option(
            "--decimal",
            metavar="CHARACTER",
            help="Decimal mark of a text file; guessed by default.",
        ),
    ] = None
    no_header: Annotated[
        bool,
        data_option(
            "--no-header",
            help="The first line of a text file is data; columns are named f1, f2, ...",
        ),
    ] = False
    sheet: Annotated[
        str | None,
        data_option(
            "--sheet",
            metavar="NAME",
            help="Sheet of a workbook; by default the first that holds a table.",
        ),
    ] = None
    quiet: Quiet = False
    as_json: AsJson = False

    @property
    def is_talking(self) -> bool:
        """Whether to print text."""
        return not self.quiet and not self.as_json

    @property
    def source(self) -> str:
        """The file or data set, or the first of several, in words."""
        from graphtailor.tables.read_table import sources_in_words

        return sources_in_words(self.data)

    def reading(self) -> dict[str, Any]:
        """How to read the source, as arguments of `read_table`."""
        return {
            "id": self.id_column,
            "delimiter": text_delimiter(self.delimiter),
            "decimal": decimal_mark(self.decimal),
            "header": False if self.no_header else None,
            "sheet": self.sheet,
        }


@dataclass(frozen=True, kw_only=True)
class TableSource(Source):
    """The table that a command clusters."""

    label: Annotated[
        str | None,
        data_option(
            "--label",
            metavar="COLUMN",
            help="Column with known classes. It is used to print scores, and never to "
            "cluster.",
        ),
    ] = None
    columns: Annotated[
        list[str] | None,
        data_option(
            "--columns", metavar="COLUMNS", help="Cluster by these columns only."
        ),
    ] = None
    drop: Annotated[
        list[str] | None,
        data_option(
            "--drop",
            metavar="COLUMNS",
            help="Columns to leave out: names with commas, or the option several "
            "times.",
        ),
    ] = None
    categorical: Annotated[
        list[str] | None,
        data_option(
            "--categorical",
            metavar="COLUMNS",
            help="Treat these columns as categories, even if they hold numbers.",
        ),
    ] = None
    numeric: Annotated[
        list[str] | None,
        data_option(
            "--numeric",
            metavar="COLUMNS",
            help="Treat these columns as numbers, even if they look like ids.",
        ),
    ] = None
    scale: Annotated[
        str,
        model_option(
            "--scale",
            metavar="HOW",
            help="Scaling of numbers: maxabs, minmax, standard or none. By default "
            "(auto) they are divided by their largest value, and beside categories, "
            "dates or gaps by their standard deviation.",
        ),
    ] = "auto"

    def read(self, known: str | None = None) -> Table:
        """Read the table as the options say; `known` is a column of known classes."""
        from graphtailor.tables import read_table

        return read_table(
            self.data,
            label=self.label,
            known=known,
            columns=self.columns,
            drop=self.drop or (),
            categorical=self.categorical or (),
            numeric=self.numeric or (),
            scale=self.scale,
            **self.reading(),
        )


def with_options(function: Callable[[Options], None]) -> Callable[..., None]:
    """A command whose options are the fields of the dataclass that it takes.

    Each field is an annotated type that typer understands.

    Examples
    --------
    >>> @dataclass(kw_only=True)
    ... class Greeting:
    ...     name: Annotated[str, typer.Argument()]
    ...     times: Annotated[int, model_option("--times")] = 1
    >>> def greet(options: Greeting) -> None:
    ...     print(options)
    >>> greet.__annotations__["options"] = Greeting
    >>> command = with_options(greet)
    >>> list(inspect.signature(command).parameters)
    ['name', 'times']
    >>> command(name="Ada", times=2)
    Greeting(name='Ada', times=2)
    """
    (parameter,) = inspect.signature(function, eval_str=True).parameters.values()
    kind = parameter.annotation
    hints = get_type_hints(kind, include_extras=True)
    panels = (None, MODEL_PANEL, DATA_PANEL, OUTPUT_PANEL)

    def command(**given: Any) -> None:
        function(kind(**given))

    command.__doc__, command.__name__ = function.__doc__, function.__name__
    command.__annotations__ = hints
    parameters = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty
            if field.default is MISSING
            else field.default,
            annotation=hints[field.name],
        )
        for field in fields(kind)
    ]
    # The help shows panels in the order of their first options.
    parameters.sort(
        key=lambda each: panels.index(each.annotation.__metadata__[0].rich_help_panel)
    )
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return command


def refuse_with_dask(given: Mapping[str, object]) -> None:
    """Refuse options that workers cannot follow, if they are given."""
    for option, value in given.items():
        if value:
            raise ValueError(
                f"{option}: does not go with --dask. Leave it out, or leave --dask out "
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
