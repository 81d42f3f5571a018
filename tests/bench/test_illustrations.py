import numpy as np
import pytest

from graphtailor.bench import Store, parse_plan, run_plan
from graphtailor.bench.results.results import collect_results
from graphtailor.bench.run.illustrations import illustrate, read_illustrations
from graphtailor.datasets import load_dataset
from graphtailor.plot.heat_maps import extremes_sentence, search_figure
from graphtailor.plot.illustration_figures import graph_figure, objective_figure
from graphtailor.report.bench.figure_list import search_pictures

VALUES = {
    "methods": ["PCA", "JointModel"],
    "datasets": ["iris"],
    "scaling": {"default": "none"},
    "seeds": {"search": {"first": 0, "count": 1}, "report": {"first": 9, "count": 1}},
    "method": {
        "JointModel": {
            "grid": {"alpha": [1.0, 10.0], "beta": [10.0]},
            "also": {"alpha": [0.0], "beta": [0.0]},
            "search_params": {"n_init": 1, "max_iter": 10},
            "note": "a short search",
        }
    },
}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with Store(tmp_path_factory.mktemp("illustrated")) as store:
        run_plan(parse_plan(VALUES), store, jobs=1)
        illustrate(store, jobs=1)
        yield store


@pytest.fixture(scope="module")
def illustrations(store):
    return read_illustrations(store.path.parent / "illustrations")


def test_both_solvers_at_the_weights_of_the_study_until_their_rules_are_met(
    illustrations,
):
    curves = [item for item in illustrations if "objective" in item.arrays]
    assert [item.about["settings"]["solver"] for item in curves] == [
        "descent",
        "multiplicative",
    ]
    for item in curves:
        settings = item.about["settings"]
        weights = [settings[name] for name in ("alpha", "beta", "scaling")]
        assert weights == [1.0, 1.0, None]
        objective = item.arrays["objective"]
        # Algorithm 1 needs far more iterations than the study's 100.
        assert len(objective) > (1000 if settings["solver"] == "multiplicative" else 2)
        assert (np.diff(objective) <= 1e-9 * objective[0]).all()


def test_graphs_are_of_the_samples_by_class(illustrations):
    arrays = illustrations[0].arrays
    assert arrays["indicator truth"].argmax(axis=1).tolist() == sorted(
        load_dataset("iris").target
    )
    for name in ("given", "L2-Graph", "learned"):
        graph = arrays[f"graph {name}"]
        assert graph.shape == (150, 150)
        np.testing.assert_allclose(graph, graph.T, atol=1e-6)
        assert graph.min() >= 0
    for name in ("SC", "SymNMF", "L2-Graph", "L2-SymNMF", "Proposed"):
        assert arrays[f"indicator {name}"].shape == (150, 3)


def test_what_is_there_is_not_fitted_again(store):
    paths = illustrate(store, jobs=1)
    before = [path.stat().st_mtime_ns for path in paths]
    assert [path.stat().st_mtime_ns for path in illustrate(store, jobs=1)] == before


def test_the_figures_show_all_of_it(illustrations):
    panels = graph_figure(illustrations).axes[:9]
    assert all(panel.images[0].get_array().shape == (150, 150) for panel in panels)
    panel = objective_figure(illustrations, ["wine", "iris"]).axes[0]
    assert panel.get_title().startswith("iris")
    assert panel.get_xscale() == "log"
    for line, item in zip(panel.lines, illustrations[1:], strict=True):
        np.testing.assert_array_equal(line.get_ydata(), item.arrays["objective"])


def test_without_fits_there_are_no_figures(tmp_path):
    assert read_illustrations(tmp_path / "none") == []
    assert graph_figure([]) is None
    assert objective_figure([], ["iris"]) is None


def test_the_map_has_the_weights_0_too(store):
    results = collect_results(store)
    (map_,) = search_figure(results, "JointModel").axes
    ticks = [label.get_text() for label in map_.get_yticklabels()]
    assert ticks == ["0", "1", "10"]
    assert [label.get_text() for label in map_.get_xticklabels()] == ["0", "10"]
    assert len(map_.texts) == 3 * 2
    scores = results.searched["ACC"].droplevel([0, 1])
    zeros = scores.index.str.contains(r'"(?:alpha|beta)": 0\.0')
    both = scores.index.str.contains('"alpha": 0.0, "beta": 0.0', regex=False)
    inside = int(scores[~zeros].max() > scores[zeros].max())
    worst = int(scores[both].min() == scores.min())
    told = extremes_sentence(results, "JointModel")
    assert f"on {inside} of 1 sets" in told
    assert f"both weights 0 on {worst}." in told
    assert told in search_pictures(results)[0].caption


def test_no_claim_where_no_weight_is_0(results):
    assert extremes_sentence(results, "GLPCA") == ""
