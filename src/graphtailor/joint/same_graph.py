"""A graph that was built before, for another fit to the same samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from scipy import sparse
from sklearn.base import BaseEstimator

from graphtailor.joint.space import is_named


class SameGraph(BaseEstimator):
    """A builder that gives a graph which was built before.

    Parameters
    ----------
    built : callable
        Gives the fitted builder; a function is not copied, as parameters are.
    """

    metric = "euclidean"

    def __init__(self, built: Callable[[], Any]) -> None:
        self.built = built

    def fit(self, X: Any, y: Any = None) -> Self:
        """Take over what the builder knows of the samples."""
        builder = self.built()
        self.affinity_, self.search_ = builder.affinity_, builder.search_
        self.n_neighbors_ = builder.n_neighbors_
        return self

    def to_new(self, X_new: Any) -> sparse.csr_array:
        """As the builder does it."""
        return self.built().to_new(X_new)


def graph_again(model: Any) -> Any:
    """What makes the graph of a fitted model once more, at little cost.

    Parameters
    ----------
    model : GraphTailor
        Fitted.

    Returns
    -------
    str or graph builder
        To be given as `graph`.
    """
    if is_named(model.graph_, "ensemble"):
        return SameGraph(lambda: model.ensemble_)
    return model.graph_
