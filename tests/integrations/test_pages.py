"""The code of the pages about other packages runs."""

import doctest
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.cluster import HDBSCAN, KMeans, SpectralClustering
from sklearn.datasets import load_iris

from graphtailor import GraphTailor

REASON = "NOT CHECKED with {}: `make test-integrations` installs it"
DOCS = Path(__file__).parents[2] / "docs"
CODE = re.compile(r"^```(python|pycon)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def code_of(page):
    """All code of a page, in its order."""
    parser = doctest.DocTestParser()
    return "\n".join(
        code
        if kind == "python"
        else "".join(example.source for example in parser.get_examples(code))
        for kind, code in CODE.findall((DOCS / f"{page}.md").read_text())
    )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("page", "package", "result"),
    [
        ("scanpy", "scanpy", "adata"),
        ("bertopic", "bertopic", "topics"),
        ("other-libraries", "networkx", "memberships"),
        ("graphs-for-others", "umap", "places"),
    ],
)
def test_code_of_a_page_runs(page, package, result):
    pytest.importorskip(package, reason=REASON.format(package))
    names = {}
    exec(compile(code_of(page), page, "exec"), names)
    assert len(names[result])


@pytest.mark.filterwarnings("ignore")
def test_lines_that_replace_those_of_others_run():
    igraph = pytest.importorskip("igraph", reason=REASON.format("igraph"))
    names = {
        "X": load_iris().data,
        "graph": igraph.Graph.Famous("Zachary"),
        **{cls.__name__: cls for cls in (GraphTailor, HDBSCAN, KMeans)},
        "SpectralClustering": SpectralClustering,
    }
    exec(compile(code_of("coming-from"), "coming-from", "exec"), names)
    sure = names["model"].probabilities_
    assert np.mean(sure < np.quantile(sure, 0.1)) == pytest.approx(0.1, abs=0.02)
