"""What both estimators share."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.callback import CallbackSupportMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import ClassifierTags, Tags
from sklearn.utils.validation import validate_data

from graphtailor.linalg.sparse import intact, sums_may_overflow


class Clusterer(ClusterMixin, CallbackSupportMixin, BaseEstimator):
    """A clusterer that predicts, takes sparse X and shows itself in notebooks."""

    @property
    def _takes_pairs(self) -> bool:
        """Whether X holds distances or affinities in place of samples."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self._takes_pairs
        # scikit-learn's checks read this of everything that has predict_proba.
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags

    @sums_may_overflow
    def _checked(self, X: Any, **wanted: Any) -> Any:
        return validate_data(self, intact(X), accept_sparse="csr", order="C", **wanted)

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

    def report(self, X: Any = None) -> str:
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
            notebook = import_module("graphtailor.report.notebook")
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
