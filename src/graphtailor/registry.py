"""The methods by name, with what a benchmark must know of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, Literal

from graphtailor import baselines as b
from graphtailor.models import GraphTailor, JointModel

# The study searches every weight here.
STUDY_GRID = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)


@dataclass(frozen=True)
class Method:
    """A clustering method and how it is searched.

    Attributes
    ----------
    name : str
        Its name, in the study where that has it.
    estimator : type
        Its class; all take `n_clusters` and `random_state`.
    family : str
        "graph cut", "factorisation", "dimension reduction", "subspace" or
        "graph learning".
    grid : dict
        Values of each weight that the study tries; empty if there is none.
    needs_nonnegative : bool
        Whether it refuses samples with negative entries.
    uses_graph : bool
        Whether it takes the given graph of neighbours.
    randomness : {"all", "kmeans", "none"}
        What chance decides: the whole fit; only the K-means step on `embedding_`
        after a deterministic optimisation, so that one fit serves many seeds; or
        nothing.
    fixed : dict
        Parameters that a comparison sets, so that all methods see the same data.
    note : str
        What every table must say beside the name.
    """

    name: str
    estimator: type
    family: str
    grid: Mapping[str, list[Any]] = field(default_factory=dict)
    needs_nonnegative: bool = False
    uses_graph: bool = False
    randomness: Literal["all", "kmeans", "none"] = "all"
    fixed: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""


def _weights(*names: str) -> dict[str, list[Any]]:
    return {name: list(STUDY_GRID) for name in names}


_CUT, _FACTORS, _REDUCTION = "graph cut", "factorisation", "dimension reduction"
_SUBSPACE, _LEARNING = "subspace", "graph learning"
# One deterministic fit serves many seeds; the given graph is used; both.
_ONE_FIT: dict[str, Any] = {"randomness": "kmeans"}
_GRAPH: dict[str, Any] = {"uses_graph": True}
_BOTH: dict[str, Any] = {**_ONE_FIT, **_GRAPH}
_PARTS: dict[str, Any] = {"needs_nonnegative": True}
_RSS: dict[str, Any] = {
    **_ONE_FIT,
    "note": "a reconstruction, as the core of the published program is encrypted",
}
_JOINT_WEIGHTS = _weights("alpha", "beta")
# The paper's own algorithm: one random start, X exactly as it was prepared. The page
# "Reproduce the paper" compares float32 with float64.
_PROPOSED: dict[str, Any] = {
    "scaling": None,
    "solver": "multiplicative",
    "solver__dtype": "float32",
}
# The same model by our solver, with alpha in units of the mean length of the rows.
_OURS: dict[str, Any] = {"scaling": "length"}

_ALL = [
    Method("SymNMF", b.SymNMF, _CUT, **_GRAPH),
    Method("SC", b.SpectralClusteringNJW, _CUT, **_BOTH),
    Method("SSC", b.SparseSpectralClustering, _CUT, _weights("lam"), **_BOTH),
    Method("PCA", b.PCAClustering, _REDUCTION, **_ONE_FIT),
    Method("RPCA", b.RPCA, _REDUCTION, _weights("lam"), **_ONE_FIT),
    Method("GLPCA", b.GLPCA, _REDUCTION, _weights("alpha"), **_BOTH),
    Method("NMF", b.NMFClustering, _FACTORS, **_PARTS),
    Method("GNMF", b.GNMF, _FACTORS, _weights("lam"), **_PARTS, **_GRAPH),
    Method("GMF", b.GMF, _FACTORS, _weights("alpha"), **_BOTH),
    Method("GRPCA", b.GRPCA, _REDUCTION, _weights("lam", "gamma"), **_BOTH),
    Method("K-means", b.KMeansClustering, _FACTORS),
    Method("LRR", b.LRR, _SUBSPACE, _weights("lam"), **_ONE_FIT),
    Method("L2-Graph", b.L2Graph, _SUBSPACE, _weights("lam"), **_ONE_FIT),
    Method("CAN", b.CAN, _LEARNING, randomness="none"),
    Method("RSSA", b.RSSA, _SUBSPACE, _weights("t"), **_RSS),
    Method("RSSR", b.RSSR, _SUBSPACE, _weights("t"), **_RSS),
    Method("RSSAR", b.RSSAR, _SUBSPACE, _weights("t"), **_RSS),
    Method("CGL", b.CGL, _LEARNING, _weights("alpha"), **_ONE_FIT),
    Method("L2-SymNMF", b.L2SymNMF, _SUBSPACE, _weights("lam")),
    Method(
        "Proposed", JointModel, _LEARNING, _JOINT_WEIGHTS, **_GRAPH, fixed=_PROPOSED
    ),
    Method("JointModel", JointModel, _LEARNING, _JOINT_WEIGHTS, **_GRAPH, fixed=_OURS),
    # No labels and nothing to search.
    Method("GraphTailor", GraphTailor, _LEARNING),
    # Named in the related work of the study, and no part of its tables.
    Method("L1-Graph", b.L1Graph, _SUBSPACE, **_ONE_FIT),
    Method("SmoothGraph", b.SmoothGraph, _LEARNING, **_ONE_FIT),
    Method("NSC", b.NonnegativeSpectralClustering, _CUT, _weights("lam"), **_GRAPH),
    Method("Self-tuning", b.SelfTuningSpectralClustering, _CUT, **_ONE_FIT),
]

METHODS: Mapping[str, Method] = MappingProxyType({m.name: m for m in _ALL})


def get_method(name: str) -> Method:
    """The method of that name, whatever its case and hyphens.

    Parameters
    ----------
    name : str
        A key of `METHODS`, for instance "K-means" or "kmeans".

    Returns
    -------
    Method
        The method.

    Examples
    --------
    >>> from graphtailor.registry import get_method
    >>> get_method("k_means").name
    'K-means'
    """
    plain = {_plain(known): method for known, method in METHODS.items()}
    if _plain(name) in plain:
        return plain[_plain(name)]
    near = get_close_matches(_plain(name), plain, n=1)
    hint = f" Did you mean {plain[near[0]].name!r}?" if near else ""
    raise ValueError(
        f"There is no method {name!r}.{hint} Known are {', '.join(METHODS)}."
    )


def _plain(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())
