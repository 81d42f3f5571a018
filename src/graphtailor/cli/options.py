"""Options that commands share, and how a command gets them as one object."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import MISSING, dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

import typer

from graphtailor.cli.progress import ProgressWatcher, live_progress

if TYPE_CHECKING:
    from graphtailor.tables import Table

Options = TypeVar("Options")
AUTO = "auto"
_MODEL, _DATA, _OUTPUT = "Model", "How to read DATA", "Output"


def option(
    flags: str,
    metavar: str | None,
    help: str,
    default: object = None,
    *,
    panel: str | None = None,
    within: tuple[float | None, float | None] = (None, None),
) -> Any:
    """A field of a class of options; a flag has no `metavar`, and False by default.

    Numbers lie `within` two bounds.
    """
    default = False if metavar is None and default is None else default
    how = typer.Option(
        *flags.split(),
        metavar=metavar,
        help=help,
        rich_help_panel=panel,
        min=within[0],
        max=within[1],
    )
    flag = flags.split()[0]
    return field(default=default, metadata={"typer": how, "flag": flag})


def argument(metavar: str, help: str, default: object = MISSING) -> Any:
    """A field of a class of options: an argument without a name."""
    how = typer.Argument(metavar=metavar, help=help)
    return field(default=default, metadata={"typer": how})


data_option = partial(option, panel=_DATA)
model_option = partial(option, panel=_MODEL)
output_option = partial(option, panel=_OUTPUT)

# Options of commands that share no more than these.
quiet_option = partial(output_option, "--quiet -q", None, "Print nothing but errors.")
json_option = partial(
    output_option, "--json", None, "Print one JSON object instead of text."
)
dask_option = partial(
    data_option,
    "--dask",
    "ADDRESS",
    "Let a Dask cluster read and cluster Parquet files: the address of its scheduler, "
    "or local:N for N new workers on this machine.",
)


@dataclass(frozen=True, kw_only=True)
class ModelFile:
    """The model that a command reads."""

    model_file: Path = argument(
        "MODEL", "The model.npz that 'graphtailor fit' wrote, or its folder."
    )

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

    data: list[str] = argument(
        "DATA",
        "Name of a bundled set (see 'graphtailor datasets'), - for text on the "
        "standard input, or a file: .csv, .tsv and other text (also .gz or .zip), "
        ".json, .jsonl, .parquet, .feather, .arrow, .xlsx, .ods, .npz or .npy; or "
        "several files with the same columns. With --dask .parquet files, or folders "
        "of them.",
    )
    id_column: str | None = data_option(
        "--id",
        "COLUMN",
        "Column with names of the rows. By default it is guessed; without one, rows "
        "are numbered as a spreadsheet does.",
    )
    delimiter: str | None = data_option(
        "--delimiter",
        "CHARACTER",
        "Delimiter of a text file ('tab' for a tabulator); guessed by default.",
    )
    decimal: str | None = data_option(
        "--decimal", "CHARACTER", "Decimal mark of a text file; guessed by default."
    )
    no_header: bool = data_option(
        "--no-header",
        None,
        "The first line of a text file is data; columns are named f1, f2, ...",
    )
    sheet: str | None = data_option(
        "--sheet",
        "NAME",
        "Sheet of a workbook; by default the first that holds a table.",
    )
    quiet: bool = quiet_option()
    as_json: bool = json_option()

    @property
    def is_talking(self) -> bool:
        """Whether to print text."""
        return not self.quiet and not self.as_json

    def progress(self, what: str) -> AbstractContextManager[ProgressWatcher | None]:
        """A progress bar, unless nothing but the result is to be printed."""
        return live_progress(what, wanted=self.is_talking)

    @property
    def source(self) -> str:
        """The file or data set, or the first of several, in words."""
        from graphtailor.tables.read_table import sources_in_words

        return sources_in_words(self.data)

    def reading(self) -> dict[str, Any]:
        """How to read the source, as arguments of `read_table`."""
        delimiter = "\t" if self.delimiter in ("tab", r"\t") else self.delimiter
        if delimiter is not None and len(delimiter) != 1:
            raise ValueError(
                f"--delimiter: {delimiter!r} is not one character. Give one, or 'tab'."
            )
        if self.decimal not in (None, ".", ","):
            raise ValueError(
                f"--decimal: {self.decimal!r} is neither a point nor a comma."
            )
        return {
            "id": self.id_column,
            "delimiter": delimiter,
            "decimal": self.decimal,
            "header": False if self.no_header else None,
            "sheet": self.sheet,
        }


@dataclass(frozen=True, kw_only=True)
class TableSource(Source):
    """The table that a command clusters."""

    label: str | None = data_option(
        "--label",
        "COLUMN",
        "Column with known classes. It is used to print scores, and never to cluster.",
    )
    columns: list[str] | None = data_option(
        "--columns", "COLUMNS", "Cluster by these columns only."
    )
    drop: list[str] | None = data_option(
        "--drop",
        "COLUMNS",
        "Columns to leave out: names with commas, or the option several times.",
    )
    categorical: list[str] | None = data_option(
        "--categorical",
        "COLUMNS",
        "Treat these columns as categories, even if they hold numbers.",
    )
    numeric: list[str] | None = data_option(
        "--numeric",
        "COLUMNS",
        "Treat these columns as numbers, even if they look like ids.",
    )
    scale: str = model_option(
        "--scale",
        "HOW",
        "Scaling of numbers: maxabs, minmax, standard or none. By default (auto) they "
        "are divided by their largest value, and beside categories, dates or gaps by "
        "their standard deviation.",
        AUTO,
    )
    clusters: str | None = model_option(
        "--clusters -c",
        "NUMBER|auto",
        "Number of clusters. By default it is the number of known classes, or else it "
        "is found (auto).",
    )
    seed: int = model_option(
        "--seed",
        "NUMBER",
        "The same seed gives the same result.",
        0,
        within=(0, 2**32 - 1),
    )

    def read(self, known: str | None = None) -> Table:
        """Read the table as the options say; `known` is a column of known classes."""
        from graphtailor.tables import read_table

        with self.progress(f"reading {self.source}"):
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
    """A command whose options are the fields of the dataclass that it takes."""
    (parameter,) = inspect.signature(function, eval_str=True).parameters.values()
    kind = parameter.annotation
    hints, empty = get_type_hints(kind), inspect.Parameter.empty
    # The help shows panels in the order of their first options.
    panels = (None, _MODEL, _DATA, _OUTPUT)

    def command(**given: object) -> None:
        function(kind(**given))

    parameters = [
        inspect.Parameter(
            each.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=empty if each.default is MISSING else each.default,
            annotation=Annotated[hints[each.name], each.metadata["typer"]],
        )
        for each in fields(kind)
    ]
    parameters.sort(
        key=lambda each: panels.index(each.annotation.__metadata__[0].rich_help_panel)
    )
    command.__doc__, command.__name__ = function.__doc__, function.__name__
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return command


def refuse_with_dask(options: Source, *names: str) -> None:
    """Refuse options that workers cannot follow, if they are given."""
    for each in fields(options):
        if each.name in names and getattr(options, each.name):
            raise ValueError(
                f"{each.metadata['flag']}: does not go with --dask. Leave it out, or "
                "leave --dask out if the data fit into memory."
            )
