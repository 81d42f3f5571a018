"""Parameters that are declared as fields: signature, checks and docstring agree."""

import inspect
import re

import numpy as np
import pytest
from sklearn.base import clone

from graphtailor.baselines._base import BaseClusterer
from graphtailor.baselines._parameters import clusterer
from graphtailor.registry import METHODS

ESTIMATORS = [
    method.estimator
    for method in METHODS.values()
    if issubclass(method.estimator, BaseClusterer)
]


def entries(estimator, section):
    """Names that a section of the docstring explains, and whether with words."""
    doc = inspect.getdoc(estimator)
    text = re.split(rf"{section}\n-+\n", doc)[1]
    text = re.split(r"\n\n(?=[A-Z][A-Za-z ]+\n-+\n)", text)[0]
    found = re.findall(r"^(\w[\w, ]*) : .+\n    \S", text, flags=re.M)
    return [name for group in found for name in group.split(", ")]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_signature_checks_and_docstring_name_the_same_parameters(estimator):
    names = list(inspect.signature(estimator).parameters)
    assert names[0] == "n_clusters"
    assert set(estimator._parameter_constraints) == set(names)
    if estimator.__name__ in ("RSSR", "RSSAR"):  # their docstrings lead to RSSA
        return
    assert entries(estimator, "Parameters") == names


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.filterwarnings("ignore")
def test_the_docstring_explains_every_fitted_attribute(estimator):
    X = np.kron(np.eye(2), np.ones((10, 3)))
    X += np.random.default_rng(0).uniform(high=0.1, size=X.shape)
    model = estimator(2, random_state=0).fit(X)
    explained = inspect.getdoc(estimator)
    for name in vars(model):
        if name.endswith("_") and name not in ("n_features_in_",):
            assert name in explained or estimator.__name__ in ("RSSR", "RSSAR")


def test_a_parameter_without_a_check_is_refused():
    with pytest.raises(KeyError, match="unheard_of"):

        @clusterer()
        class Method(BaseClusterer):
            unheard_of: int = 1


def test_words_of_a_method_stand_in_the_place_of_the_shared_ones():
    @clusterer()
    class Method(BaseClusterer):
        """A method.

        Parameters
        ----------
        max_iter : int, default=3
            Rounds.

        Attributes
        ----------
        n_iter_ : int
            Rounds done.

        Notes
        -----
        None.
        """

        max_iter: int = 3
        n_init: int = 7

    doc = Method.__doc__
    assert "max_iter : int, default=3\n    Rounds." in doc
    assert "n_init : int, default=7\n    K-means starts" in doc
    assert doc.count("n_iter_ :") == 1
    assert doc.index("Parameters") < doc.index("labels_ :") < doc.index("Rounds done")
    assert doc.endswith("Notes\n-----\nNone.")
    assert clone(Method(max_iter=5)).max_iter == 5
    with pytest.raises(TypeError):
        Method(2, 5)
