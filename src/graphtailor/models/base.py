"""What both estimators share."""

import warnings
from abc import abstractmethod
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.callback import CallbackSupportMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import ClassifierTags, Tags
from sklearn.utils.validation import _check_sample_weight, validate_data

from graphtailor.graphs.adapters import (
    adjacency_of,
    both_triangles,
    is_instance,
    undirected,
)
from graphtailor.graphs.base import Input
from graphtailor.linalg.sparse import intact, sums_may_overflow
from graphtailor.linalg.types import Matrix, MatrixLike


class Clusterer(
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    ClusterMixin,
    CallbackSupportMixin,
    BaseEstimator,
):
    """A clusterer that predicts, takes sparse X and shows itself in notebooks."""

    # The argument with which the class takes a graph in place of samples.
    _graph_argument: ClassVar[str]
    _fitted_attribute: ClassVar[str]  # attribute that a fit sets last of all
    indicator_: np.ndarray

    @property
    def _input(self) -> Input:
        """Whether X holds samples, distances or affinities."""
        raise NotImplementedError

    @abstractmethod
    def _indicator_of(self, X: MatrixLike) -> np.ndarray:
        """Rows of the indicator for rows, new or fitted."""

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, self._fitted_attribute)

    @property
    def probabilities_(self) -> np.ndarray:
        """How surely each fitted row belongs to its cluster, from 0 to 1.

        It is the largest of the row's memberships. No row is noise, so that none has
        the label -1.
        """
        return self.indicator_.max(axis=1) / self.indicator_.sum(axis=1)

    def predict(self, X: MatrixLike) -> np.ndarray:
        """Clusters of rows, new or fitted.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_new, d)
            Rows; or their distances or affinities to the fitted ones, of shape
            (n_new, n). GraphTailor gives a Dask array for a Dask array or DataFrame.

        Returns
        -------
        ndarray of shape (n_new,)
            Labels. A row that equals a fitted one gets that row's label.
        """
        return self._indicator_of(X).argmax(axis=1)

    def transform(self, X: MatrixLike) -> np.ndarray:
        """The indicator of rows, new or fitted, as features for a next step.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_new, d)
            As for :meth:`predict`.

        Returns
        -------
        ndarray of shape (n_new, n_clusters)
            Rows as those of `indicator_`. `set_output` makes it a DataFrame.
        """
        return self._indicator_of(X)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """How clearly rows belong to their clusters; higher is better.

        It is the mean over the rows of the largest membership minus the second largest.
        It compares settings with one number of clusters: fewer clusters score higher.
        To choose the number, leave it to ``GraphTailor(n_clusters="auto")``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_new, d)
            As for :meth:`predict`.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_new,), default=None
            Weights of the rows in the mean.

        Returns
        -------
        float
            From 0 to 1; 1 for one cluster.
        """
        V = np.asarray(self.predict_proba(X))
        ordered = np.sort(np.pad(V, ((0, 0), (1, 0))), axis=1)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, V)
        return float(np.average(ordered[:, -1] - ordered[:, -2], weights=sample_weight))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self._input != "samples"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        # scikit-learn's checks read this of everything that has predict_proba.
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags

    @sums_may_overflow
    def _checked(self, X: MatrixLike, **wanted: object) -> Matrix:
        X = self._as_matrix(X)
        X = validate_data(self, intact(X), accept_sparse="csr", order="C", **wanted)
        if self._input == "samples":
            return X
        is_fit = wanted.get("reset", True)
        return undirected(X, self._input) if is_fit else both_triangles(X)

    def _as_matrix(self, X: MatrixLike) -> Matrix:
        """The adjacency matrix of a graph of another library; other X as they are."""
        if is_instance(X, "anndata", "AnnData"):
            raise TypeError(
                "X is an AnnData. Use graphtailor.scanpy.cluster(adata), or give one "
                "of its matrices, such as adata.obsm['X_pca']."
            )
        if is_instance(X, "polars", "LazyFrame"):
            raise TypeError("X is a polars LazyFrame. Use X.collect().")
        A = adjacency_of(X)
        if A is not None and self._input != "affinities":
            name = type(self).__name__
            raise TypeError(
                f"X is a graph, and this {name} takes {self._input}. Use "
                f"{name}({self._graph_argument})."
            )
        return X if A is None else A

    def _check_enough(self, n_samples: int, n_clusters: int) -> None:
        if n_samples < n_clusters:
            raise ValueError(
                f"n_samples={n_samples} should be >= n_clusters={n_clusters}. Give "
                "more samples or ask for fewer clusters."
            )

    def _restore_features(self, number: int, names: np.ndarray | None) -> None:
        """Set what is known of the features of a model that is read from a file."""
        self.n_features_in_ = number
        if names is not None:
            self.feature_names_in_ = names

    def report(self, X: MatrixLike | None = None) -> str:
        """A page about the fit, all in one string of HTML, which a notebook shows.

        Parameters
        ----------
        X : {DataFrame, array-like, sparse array} of shape (n, d) or None, default=None
            What the model was fitted to; without it the page has no map and describes
            no differences.

        Returns
        -------
        str
            From :func:`graphtailor.report.fit_report`, which has more options.
        """
        # Pages need packages that are not installed with the models.
        return import_module("graphtailor.report").fit_report(self, X)

    def _html_repr(self) -> str:
        # Pages and pictures need packages that are not installed with the models.
        try:
            notebook = import_module("graphtailor.report.fit_page")
        except ImportError:
            return super()._html_repr()
        return notebook.model_html(self)


def warn_of_broken_links(broken: list[tuple[int, int]], n_clusters: int) -> None:
    """Warn of cannot-links that the labels do not meet."""
    if broken:
        warnings.warn(
            f"The labels break {len(broken)} cannot-links, the first between the rows "
            f"{broken[0][0]} and {broken[0][1]}: no {n_clusters} clusters were found "
            "that meet all of them. Raise n_clusters.",
            ConvergenceWarning,
            stacklevel=6,
        )
