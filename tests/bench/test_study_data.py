"""The study does not say how it prepared its data: the rows of CAN tell."""

import os

import pytest

from graphtailor.baselines import CAN
from graphtailor.bench import load_plan, paper_results
from graphtailor.bench.run.data import load_data
from graphtailor.datasets import list_datasets
from graphtailor.metrics import clustering_scores

PLANNED = {data.name: data for data in load_plan("paper").datasets}
BUNDLED = {info.name for info in list_datasets() if info.availability == "bundled"}
STUDY = paper_results().query("method == 'CAN'").set_index(["dataset", "metric"])


@pytest.mark.parametrize("name", PLANNED)
def test_a_method_without_chance_gives_the_rows_of_the_study(name):
    if name not in BUNDLED and not os.environ.get("GRAPHTAILOR_DATA"):
        pytest.skip(f"GRAPHTAILOR_DATA is not set: {name} is not looked at")
    data = load_data(PLANNED[name])
    labels = CAN(data.n_clusters, random_state=0).fit_predict(data.X)
    scores = clustering_scores(data.y, labels)
    # Not PUR: the study's of libras does not fit its three other scores.
    for metric in ("ACC", "NMI", "ARI"):
        assert abs(scores[metric] - STUDY.loc[(name, metric), "mean"]) < 0.0016
