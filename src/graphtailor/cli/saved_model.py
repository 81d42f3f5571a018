"""A saved model, and tables that are prepared as that of its fit was."""

from functools import cached_property
from pathlib import Path

from graphtailor.cli.options import Source
from graphtailor.columns.blocks import TableBlocks
from graphtailor.columns.frames import array_names
from graphtailor.diagnostics.summary import FitSummary
from graphtailor.io.group_names import GroupNames
from graphtailor.io.models import load_model, load_notes
from graphtailor.linalg.types import Matrix
from graphtailor.models import GraphTailor, JointModel
from graphtailor.tables import Table, read_table


class SavedModel:
    """A model from a file with what `graphtailor fit` noted about it."""

    def __init__(self, path: Path) -> None:
        self.notes = load_notes(path)
        self._path = path

    @cached_property
    def model(self) -> GraphTailor | JointModel:
        """The model itself, which takes longer to load."""
        return load_model(self._path)

    @property
    def summary(self) -> FitSummary | None:
        """The fit in numbers; None for a model saved from Python."""
        noted = self.notes.get("summary")
        return FitSummary(**noted) if noted else None

    @property
    def names(self) -> list[str]:
        """The names that the fit gave to the clusters, if it did."""
        return self.summary.names if self.summary else []

    @cached_property
    def blocks(self) -> TableBlocks:
        """How columns become features; as they are if the model does not say."""
        if self.notes.get("blocks"):
            try:
                return TableBlocks.from_dict(self.notes["blocks"])
            except ValueError as error:
                raise ValueError(f"MODEL: {error}.") from error
        model = self.model
        if isinstance(model, GraphTailor) and model.blocks_ is not None:
            return model.blocks_
        places = array_names(model.n_features_in_)
        return TableBlocks.of_numbers(getattr(model, "feature_names_in_", places))

    def read(self, options: Source) -> Table:
        """Read rows, and prepare them as the rows of the fit were."""
        blocks = self.blocks
        reading = options.reading()
        # A single row may be too little to guess the decimal mark from.
        reading["decimal"] = reading["decimal"] or blocks.decimal
        with options.progress(f"reading {options.source}"):
            label = self.notes.get("label")
            return read_table(options.data, label=label, blocks=blocks, **reading)

    def features(self, table: Table) -> Matrix:
        """The features of a table that was read, as the model takes them."""
        model, X = self.model, table.X
        if X.shape[1] != model.n_features_in_:
            raise ValueError(
                f"DATA: {X.shape[1]} columns where the model was fitted to "
                f"{model.n_features_in_}. Give the same columns in the same order, or "
                "both times with names."
            )
        if isinstance(model, GraphTailor) and model.blocks_ is not None:
            # Saved from Python: it prepares tables itself, and here it is done already.
            model.blocks_ = None
            return X
        is_named = hasattr(model, "feature_names_in_")
        return X.to_numpy() if hasattr(X, "columns") and not is_named else X

    def with_as_many_clusters(self, named: GroupNames) -> GraphTailor | JointModel:
        """The model with the number of clusters that were named on a page."""
        model, number = self.model, named.n_clusters
        most = model.labels_.max() + 1
        if isinstance(model, GraphTailor) and number <= len(model.representatives_):
            return model.at(number)
        if number != most:
            raise ValueError(
                f"--names: the file names {number} groups, and the model has {most}. "
                "Save the names on the page of this model."
            )
        return model
