"""The parameters that methods share: what they mean and may be, each said once.

A method is a class whose parameters are its fields, like those of a dataclass:

    @clusterer(alpha=AT_LEAST_0)
    class GMF(GraphMixin, RowsMixin, BaseClusterer):
        alpha: float = 1.0

Its docstring has the parameters and attributes of its own, and the decorator is told
what those may be. It adds the shared ones to both, so that ``help(GMF)`` and
scikit-learn's checks have them all.
"""

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeVar, dataclass_transform

from sklearn.utils._param_validation import HasMethods, StrOptions

from graphtailor.linalg.types import AT_LEAST_0, COUNT

Class = TypeVar("Class", bound=type)
GRAPH_OR_AFFINITY = [StrOptions({"knn", "precomputed"}), HasMethods(["fit"])]


class Shared(NamedTuple):
    """What a shared parameter may be, and its entry in the docstring."""

    allowed: list[Any]
    type: str = ""
    meaning: str = ""


SHARED = {
    "n_clusters": Shared(COUNT, "int", "Number of clusters."),
    "graph": Shared(
        [StrOptions({"knn"}), HasMethods(["fit"])],
        '"knn" or builder',
        "The given graph: neighbours of the samples, or a builder such as\n"
        ":class:`~graphtailor.graphs.NeighborGraph`.",
    ),
    "n_neighbors": Shared(
        [*COUNT, StrOptions({"auto"})],
        'int or "auto"',
        r'Neighbours in the graph; "auto" is :math:`\lfloor \log_2 n + 1 \rfloor`.',
    ),
    "normalize_samples": Shared(
        ["boolean"], "bool", "Scale the samples to unit length first."
    ),
    "max_iter": Shared(COUNT, "int", "Most iterations."),
    "tol": Shared(AT_LEAST_0),
    "n_init": Shared(COUNT, "int", "K-means starts, of which the best is kept."),
    "init": Shared(
        [StrOptions({"random", "k-means++"})],
        '{"random", "k-means++"}',
        "How a K-means start is drawn.",
    ),
    "random_state": Shared(
        ["random_state"],
        "int, RandomState or None",
        "Seed of K-means and of Lanczos iterations.",
    ),
}
_ATTRIBUTES = {
    "labels_": "labels_ : ndarray of shape (n_samples,)\n    Cluster of each sample.",
    "graph_": "graph_ : builder\n    The fitted builder of the graph.",
    "n_iter_": "n_iter_ : int\n    Iterations done; 1 where the solution is closed.",
    "converged_": "converged_ : bool\n    Whether `tol` was reached; true where the "
    "solution is closed.",
}


@dataclass_transform(kw_only_default=True)
def clusterer(**allowed: list[Any]) -> Callable[[Class], Class]:
    """Make a method of a class: `__init__`, the checks of parameters, the docstring."""
    return partial(_made, allowed=allowed)


def _made(cls: Class, allowed: dict[str, list[Any]]) -> Class:
    made: Any = dataclass(eq=False, repr=False, kw_only=True)(cls)
    found = inspect.signature(made).parameters
    shared = list(SHARED)[1:]
    # A method's own parameters stand after the number of clusters, before the others.
    last = sorted(set(found).intersection(shared), key=shared.index)
    order = ["n_clusters", *(name for name in found if name not in SHARED), *last]
    defaults = {name: found[name].default for name in order}
    # Fields of mixins come first; the signature reads as the docstring does.
    signature = inspect.signature(made.__init__)
    every = [signature.parameters[name] for name in ("self", *order)]
    made.__init__.__signature__ = signature.replace(parameters=every)
    made._parameter_constraints = {
        name: allowed[name] if name in allowed else SHARED[name].allowed
        for name in defaults
    }
    if made.__doc__:  # not with python -OO
        made.__doc__ = _completed(inspect.cleandoc(made.__doc__), defaults)
    return made


def _completed(doc: str, defaults: dict[str, Any]) -> str:
    """The docstring with an entry for every parameter, in their order."""
    head, after = doc.split("\nAttributes\n----------\n", 1)
    after, *rest = re.split(r"\n\n(?=[A-Z][A-Za-z ]+\n-+\n)", after, maxsplit=1)
    head, _, before = head.partition("Parameters\n----------\n")
    own, found = _entries(before), _entries(after)
    every = [own.get(name) or _entry(name, value) for name, value in defaults.items()]
    # The words of the method itself stand in the place of the shared ones.
    attributes = {"labels_": _ATTRIBUTES["labels_"], **found}
    for name in ("graph_",) * ("graph" in defaults) + ("n_iter_", "converged_"):
        attributes[name] = attributes.pop(name, _ATTRIBUTES[name])
    parts = [
        f"{head.rstrip()}\n\nParameters\n----------\n" + "\n".join(every),
        "Attributes\n----------\n" + "\n".join(attributes.values()),
        *rest,
    ]
    return "\n\n".join(parts)


def _entries(section: str) -> dict[str, str]:
    texts = re.split(r"\n(?=\S)", section.strip())
    return {text.split(" :")[0]: text for text in texts if text}


def _entry(name: str, default: object) -> str:
    shown = f'"{default}"' if isinstance(default, str) else f"{default}"
    meaning = SHARED[name].meaning.replace("\n", "\n    ")
    return f"{name} : {SHARED[name].type}, default={shown}\n    {meaning}"
