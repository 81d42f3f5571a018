"""Pictures show the graph that they name, ordered by cluster."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy import sparse
from sklearn.datasets import load_iris, make_blobs

from graphtailor import GraphTailor, JointModel, plot
from graphtailor.baselines import KMeansClustering, SymNMF
from graphtailor.diagnostics.graph_map import ordered_image
from graphtailor.diagnostics.levels import Levels
from graphtailor.diagnostics.model_access import FittedModel
from graphtailor.diagnostics.sensitivity import SettingsAgreement
from graphtailor.diagnostics.stability import SAME


@pytest.fixture
def tiny() -> SimpleNamespace:
    """Clusters {1, 3} and {0, 2}; samples 0 and 1 are tied across."""
    learned = np.zeros((4, 4))
    learned[0, 2] = learned[2, 0] = 3.0
    learned[1, 3] = learned[3, 1] = 2.0
    learned[0, 1] = learned[1, 0] = 1.0
    return SimpleNamespace(
        labels_=np.array([1, 0, 1, 0]),
        affinity_matrix_=sparse.csr_array(learned),
        graph_=SimpleNamespace(affinity_=sparse.csr_array(1 - np.eye(4))),
        objective_=np.array([5.0, 3.0, 2.0]),
        n_iter_=2,
        converged_=True,
    )


def test_image_is_the_graph_in_the_order_of_the_clusters(tiny: SimpleNamespace) -> None:
    ax = plot.affinity(tiny)
    assert isinstance(ax, Axes)
    shown = ax.images[0].get_array()
    order = [1, 3, 0, 2]
    expected = tiny.affinity_matrix_.toarray()[np.ix_(order, order)]
    np.testing.assert_array_equal(shown, expected)
    # What is 0 is transparent.
    opacity = ax.images[0].to_rgba(shown)[..., 3]
    np.testing.assert_array_equal(opacity == 0, expected == 0)
    assert ax.get_title() == "Learned graph: 83% inside clusters"
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0", "1"]
    given = plot.affinity(tiny, which="given").images[0].get_array()
    np.testing.assert_array_equal(given, np.ones((4, 4)) - np.eye(4))


def test_large_graphs_are_binned_to_means() -> None:
    rng = np.random.default_rng(0)
    graph = sparse.random_array((100, 100), density=0.2, rng=rng, format="csr")
    labels = rng.integers(0, 3, 100)
    image, sizes = ordered_image(graph, labels, most_pixels=10)
    order = np.argsort(labels, kind="stable")
    blocks = graph.toarray()[np.ix_(order, order)].reshape(10, 10, 10, 10)
    np.testing.assert_allclose(image, blocks.mean(axis=(1, 3)), rtol=1e-12)
    assert sizes.tolist() == np.bincount(labels).tolist()
    uneven, _ = ordered_image(graph, labels, most_pixels=7)
    assert uneven.shape == (7, 7)
    assert uneven.mean() == pytest.approx(graph.mean(), rel=0.1)


def test_a_graph_of_many_samples_is_never_made_dense() -> None:
    n = 200_000
    chain = sparse.diags_array([np.ones(n - 1)], offsets=[1], shape=(n, n)).tocsr()
    model = SimpleNamespace(labels_=np.arange(n) % 2, affinity_matrix_=chain)
    assert plot.affinity(model).images[0].get_array().shape == (800, 800)


def test_convergence_draws_the_objective(tiny: SimpleNamespace) -> None:
    line = plot.convergence(tiny).lines[0]
    assert line.get_xdata().tolist() == [0, 1, 2]
    assert line.get_ydata().tolist() == [5.0, 3.0, 2.0]
    tiny.objective_ = np.array([1e4, 1.0, 0.5])
    assert plot.convergence(tiny).get_yscale() == "log"


def test_given_axes_are_used(tiny: SimpleNamespace) -> None:
    ax = Figure().subplots()
    assert plot.affinity(tiny, ax) is ax
    assert plot.convergence(tiny, ax) is ax


def test_overview_of_models() -> None:
    X = load_iris().data

    def titles(model: FittedModel) -> list[str]:
        figure = plot.overview(model, Figure())
        figure.canvas.draw()
        return [ax.get_title().split(":")[0] for ax in figure.axes]

    for ours in (GraphTailor, JointModel):
        tailored = ours(n_clusters=3, random_state=0).fit(X)
        assert titles(tailored) == ["Given graph", "Learned graph", "Objective"]
    # SymNMF cuts the graph that it was given, and K-means has none.
    cut = SymNMF(3, random_state=0).fit(X)
    assert titles(cut) == ["Given graph", "Objective"]
    assert titles(KMeansClustering(3, random_state=0).fit(X)) == ["Objective"]
    assert pyplot.get_fignums() == []
    assert plot.overview(cut) is pyplot.gcf()


def test_wrong_wishes() -> None:
    X = np.arange(8.0).reshape(4, 2)
    model = KMeansClustering(2, random_state=0).fit(X)
    with pytest.raises(ValueError, match="has no learned graph"):
        plot.affinity(model)
    with pytest.raises(ValueError, match="which='given'"):
        plot.affinity(SymNMF(2, random_state=0).fit(X))
    with pytest.raises(ValueError, match="Give the features as X"):
        plot.graph(model)
    with pytest.raises(ValueError, match="n_init of 2 or more"):
        plot.stability(model)
    with pytest.raises(ValueError, match="cannot be tried: KMeansClustering has no"):
        plot.settings(model, X)
    with pytest.raises(ValueError, match="GraphTailor has fewer than two starts"):
        plot.stability(GraphTailor(2, random_state=0).fit(X))
    pairs = JointModel(2, graph="precomputed", n_init=1, random_state=0)
    with pytest.raises(ValueError, match="fitted to a graph, not to features"):
        plot.profile(pairs.fit(np.ones((4, 4))), np.ones((4, 4)))
    with pytest.raises(ValueError, match="which must be"):
        plot.affinity(model, which="other")  # type: ignore[arg-type]


def test_dense_graph_and_empty_clusters() -> None:
    model = SimpleNamespace(
        labels_=np.array([0, 0, 2, 2]), affinity_matrix_=np.full((4, 4), 0.5)
    )
    ax = plot.affinity(model)
    assert ax.get_title() == "Learned graph: 50% inside clusters"
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0", "2"]
    model.affinity_matrix_ = sparse.csr_array((4, 4))
    assert "0%" in plot.affinity(model).get_title()


@pytest.fixture(scope="module")
def iris() -> tuple[JointModel, pd.DataFrame]:
    X = load_iris(as_frame=True).data
    return JointModel(n_clusters=3, n_init=4, random_state=0).fit(X), X


DISPLAYS = {
    "affinity": (plot.AffinityDisplay, False),
    "graph": (plot.GraphDisplay, False),
    "convergence": (plot.ConvergenceDisplay, False),
    "profile": (plot.ProfileDisplay, True),
    "settings": (plot.SettingsDisplay, True),
    "stability": (plot.StabilityDisplay, False),
}


@pytest.mark.parametrize("name", DISPLAYS)
def test_displays_follow_the_convention(
    name: str, iris: tuple[JointModel, pd.DataFrame]
) -> None:
    model, X = iris
    kind, needs_data = DISPLAYS[name]
    given = (model, X) if needs_data else (model,)
    display = kind.from_estimator(*given)
    assert isinstance(display, kind)
    # Notebooks show the figures of pyplot.
    assert display.figure_ is display.ax_.figure is pyplot.gcf()
    pyplot.close("all")
    first = display.ax_
    figure = Figure()
    ax = figure.subplots()
    assert display.plot(ax=ax) is display
    assert display.ax_ is ax is not first
    assert display.figure_ is figure
    assert kind.from_estimator(*given, ax=ax).ax_ is ax
    draw = getattr(plot, name)
    assert draw(*given, ax=ax) is ax
    assert pyplot.get_fignums() == []
    assert draw(*given) is pyplot.gca()
    figure.canvas.draw()
    # A title that says what it shows, and a sentence on how to read it.
    assert len(display.ax_.get_title()) > 15
    assert len(display.ax_.texts[-1].get_text()) > 60


def test_map_shows_each_row_in_its_cluster(
    iris: tuple[JointModel, pd.DataFrame],
) -> None:
    model, _ = iris
    ax = plot.graph(model)
    points = [c for c in ax.collections if c.get_label().startswith("cluster")]
    drawn = [len(c.get_offsets()) for c in points]
    assert drawn == np.bincount(model.labels_).tolist()
    # A method without any graph is drawn by its features.
    X = load_iris().data
    kmeans = KMeansClustering(3, random_state=0).fit(X)
    assert "nearest neighbours in the features" in plot.graph(kmeans, X).get_title()


def test_profile_leads_with_the_largest_difference() -> None:
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], 20)
    X = rng.normal(size=(60, 30))
    X[labels == 1, 17] += 50
    model = SimpleNamespace(labels_=labels)
    display = plot.ProfileDisplay.from_estimator(model, X)
    assert display.features[0] == "f18"
    assert display.effect.shape == (12, 3)
    caption = display.ax_.texts[-1].get_text().replace("\n", " ")
    assert "Left out, as they differ less: 18." in caption
    dollars = pd.DataFrame(X[:, :2], columns=["$a_$", "x" * 90])
    plot.profile(model, dollars).figure.canvas.draw()


def test_stability_says_how_many_starts_agree(
    iris: tuple[JointModel, pd.DataFrame],
) -> None:
    model, _ = iris
    display = plot.StabilityDisplay.from_estimator(model)
    same = int((display.stability.with_kept >= SAME).sum())
    assert display.ax_.get_title() == f"Starts: {same} of 4 found the kept clusters"
    shown = display.ax_.collections[0].get_array()
    np.testing.assert_array_equal(shown, display.stability.agreement)


def _agreement(
    agreement: list[list[float]], sizes: dict[int, float], n_rows: int = 90
) -> SettingsAgreement:
    """Agreement at weights of 1, 10, ..., with the middle ones as those of the fit."""
    values = np.array(agreement)
    alphas, betas = (10.0 ** np.arange(k) for k in values.shape)
    kept = (len(alphas) // 2, len(betas) // 2)
    n_neighbors = 6 if sizes else 0
    halves = np.array(list(sizes), dtype=int), np.array(list(sizes.values()))
    return SettingsAgreement(
        alphas, betas, values, kept, n_neighbors, *halves, n_rows, 90
    )


@pytest.mark.parametrize(
    ("agreement", "sizes", "n_rows", "title"),
    [
        ([[1, 1, 1], [0.9, 1, 1], [1, 1, 1]], {3: 1.0, 12: 0.95}, 90, "stay the same"),
        ([[1, 1, 1], [0.4, 1, 1], [1, 0.8, 1]], {3: 0.8, 12: 1.0}, 90, "e with beta"),
        ([[1, 0.2, 1], [0.4, 1, 1], [1, 1, 1]], {}, 90, "with alpha and beta"),
        (
            [[1, 1, 1], [1, 1, 1], [1, 1, 1]],
            {3: 0.8},
            90,
            "a little with the number of",
        ),
        (
            *([[1, 0.2, 1], [0.4, 1, 1], [1, 1, 1]], {3: 0.1}, 90),
            "with alpha, beta and the number of neighbours",
        ),
        (
            [[0.4, 1, 1], [1, 1, 1], [1, 1, 1]],
            {3: 1.0},
            90,
            "alpha and beta change together",
        ),
        ([[1, 1], [1, 0.5]], {12: 1.0}, 90, "Other starts alone change the clusters"),
        ([[1, 1], [1, 0.8]], {12: 1.0}, 90, "change the clusters a little, at the"),
        ([[0.5, 0.5, 0.5]], {3: 0.5}, 60, "Fewer rows and other starts alone change"),
    ],
)
def test_settings_say_what_changes_the_clusters(
    agreement: list[list[float]], sizes: dict[int, float], n_rows: int, title: str
) -> None:
    found = _agreement(agreement, sizes, n_rows)
    display = plot.SettingsDisplay(found).plot()
    display.figure_.canvas.draw()
    assert title in display.ax_.get_title()
    drawn = [text.get_text() for text in display.ax_.texts]
    cells = [f"{value:.2f}" for row in agreement for value in row]
    assert drawn[: len(cells)] == cells
    for size, value in sizes.items():
        assert f"{value:.2f}\n{size} neighbours" in drawn
    assert ("a sample of 60 of the 90" in drawn[-1].replace("\n", " ")) == (n_rows < 90)
    # One frame around the kept weights, one around the kept size.
    corners = [patch.get_xy() for patch in display.ax_.patches]
    assert len(corners) == 1 + bool(sizes)
    i, j = found.kept
    np.testing.assert_allclose(corners[0], (j - 0.46, i - 0.46))


def test_layers_are_lines_of_circles():
    labels = np.repeat([0, 1], 6)
    finer = np.repeat([0, 1, 2], 4)
    levels = Levels((2, 3), (labels, finer), 0, (3,))
    ax = plot.LayersDisplay(levels).plot().ax_
    assert [text.get_text() for text in ax.texts[:2]] == ["2", "3 *"]
    circles = [each for each in ax.collections if len(each.get_offsets()) > 1]
    areas = [each.get_sizes() for each in circles]
    assert [len(each) for each in areas] == [2, 3]
    assert areas[0][0] == pytest.approx(1.5 * areas[1][0])
    # Each end of the middle cluster is half of it.
    ends = np.concatenate([line.get_xdata() for line in ax.lines])
    assert np.isnan(ends).sum() == 4


def test_the_curve_of_n_clusters():
    X, _ = make_blobs(60, centers=3, cluster_std=0.5, random_state=0)
    model = GraphTailor(random_state=0).fit(X)
    ax = plot.n_clusters(model)
    path = [level.n_clusters for level in model.n_clusters_path_]
    assert ax.lines[0].get_xdata().tolist() == path
    assert ax.lines[1].get_xdata().tolist() == [model.n_clusters_]
    with pytest.raises(ValueError, match="compared no numbers of clusters"):
        plot.n_clusters(JointModel(3, random_state=0).fit(X))
