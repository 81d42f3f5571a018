from dataclasses import replace

import pytest

from graphtailor.bench import Plan, load_plan, parse_plan
from graphtailor.bench.plan.parse import PRESETS
from graphtailor.bench.run.data import load_data
from graphtailor.registry import METHODS

# Methods of the library that the study does not compare.
LATER = {"L1-Graph", "SmoothGraph", "NSC", "Self-tuning"}
VARIANTS = ["LRR (recovered)", "SymNMF (MU)", "L2-SymNMF (MU)"]


def test_paper_preset_is_the_studys_experiment():
    plan = load_plan("paper")
    study = [name for name in METHODS if name not in LATER]
    assert len(study) == 19 + 3  # the paper's own algorithm and our two models
    assert [method.name for method in plan.methods] == [*study, *VARIANTS]
    assert len(plan.datasets) == 10
    assert len(plan.report_seeds) == 20
    grid = [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]
    for method in plan.methods:
        assert all(values == grid for values in method.grid.values())
    scaling = {data.name: data.scaling for data in plan.datasets}
    assert {scaling.pop(name) for name in ("iris", "msra")} == {"none"}
    in_unit_range = ("ecoli", "libras", "soybean", "yeast")
    assert {scaling.pop(name) for name in in_unit_range} == {"minmax"}
    assert set(scaling.values()) == {"maxabs"}


def test_the_small_preset_prepares_the_data_as_the_whole_one_does():
    small, whole = load_plan("paper-small"), load_plan("paper")
    assert [m.name for m in small.methods] == [m.name for m in whole.methods]
    assert small.datasets == whole.datasets[:6]
    assert small.report_seeds == whole.report_seeds
    assert small.method("Proposed").settings() == whole.method("Proposed").settings()


@pytest.mark.parametrize("name", ["RSSA", "RSSR", "RSSAR"])
def test_a_reconstruction_is_marked_in_every_plan(name):
    entry = {"search": 1, "note": "searched on 1 seed"}
    plain = parse_plan({"methods": [name], "datasets": ["iris"]})
    assert "reconstruction" in plain.notes()[name]
    reduced = parse_plan(
        {"methods": [name], "datasets": ["iris"], "method": {name: entry}}
    )
    assert reduced.notes()[name] == f"{plain.notes()[name]}; searched on 1 seed"
    # The registry's note does not say what is reduced.
    del entry["note"]
    with pytest.raises(ValueError, match="note"):
        parse_plan({"methods": [name], "datasets": ["iris"], "method": {name: entry}})


@pytest.mark.parametrize("preset", ["paper-small", "paper"])
def test_paper_preset_says_what_is_reduced(preset):
    plan = load_plan(preset)
    for method in plan.methods:
        is_whole = (
            method == method.on(10**6)
            and not method.search_params
            and plan.seeds(method, "search") == plan.search_seeds
            and plan.seeds(method, "report") == plan.report_seeds
        )
        assert is_whole == (not method.note), method.name


def test_paper_preset_has_a_coarse_grid_and_a_map_of_the_scores():
    plan = load_plan("paper")
    coarse = plan.method("GRPCA").on(1001)
    assert coarse.grid == {key: [0.1, 10.0, 1000.0] for key in ("lam", "gamma")}
    ours = plan.method("JointModel")
    # The weights 0 are only looked at.
    assert len(ours.settings()) == 36
    assert len(ours.searched_settings()) == 49
    assert ours.settings()[0] == {
        "scaling": "length",
        "n_init": 4,
        "max_iter": 200,
        "alpha": 0.01,
        "beta": 0.01,
    }
    assert ours.params == {"scaling": "length"}


def test_a_large_data_set_may_have_its_own_search():
    entry = {
        "search": 3,
        "large": {"above": 200, "grid": {"alpha": [1.0]}, "search": 1, "report": 2},
        "note": "less on large sets",
    }
    plan = parse_plan(
        {"methods": ["GLPCA"], "datasets": ["iris"], "method": {"GLPCA": entry}}
    )
    small, large = plan.methods[0].on(200), plan.methods[0].on(201)
    assert len(small.settings()) == 6
    assert large.settings() == [{"alpha": 1.0}]
    assert plan.seeds(small, "search") == plan.search_seeds[:3]
    assert plan.seeds(small, "report") == plan.report_seeds
    assert plan.seeds(large, "search") == plan.search_seeds[:1]
    assert plan.seeds(large, "report") == plan.report_seeds[:2]


def test_all_methods_see_the_data_of_the_plan():
    # The joint model scales by itself: here the plan scales, the same for all.
    assert load_plan("quick").method("JointModel").params == {"scaling": "length"}
    paper = load_plan("paper").method("Proposed").params
    exact = {"scaling": None, "solver": "multiplicative", "solver__dtype": "float32"}
    assert paper == exact


def test_json_round_trip():
    for name in PRESETS:
        plan = load_plan(name)
        assert Plan.from_json(plan.to_json()) == plan


def test_search_and_report_seeds_must_differ():
    plan = load_plan("quick")
    with pytest.raises(ValueError, match="luck"):
        replace(plan, report_seeds=plan.search_seeds)


def test_a_method_is_added_by_one_entry():
    plan = parse_plan(
        {
            "methods": ["PCA", "slow JointModel", "Ward"],
            "datasets": ["wine"],
            "method": {
                "slow JointModel": {
                    "uses": "jointmodel",
                    "params": {"solver": "multiplicative", "beta": 1.0},
                },
                "Ward": {
                    "uses": "sklearn.cluster:AgglomerativeClustering",
                    "randomness": "none",
                    "grid": {"linkage": ["ward", "average"]},
                },
            },
        }
    )
    variant, ward = plan.methods[1:]
    assert (variant.name, variant.uses) == ("slow JointModel", "JointModel")
    assert list(variant.grid) == ["alpha"]  # beta is held fixed
    assert ward.settings() == [{"linkage": "ward"}, {"linkage": "average"}]
    assert plan.reference == "Ward"


def test_file_with_a_table_of_the_users(tmp_path):
    rows = ["a,b,kind"] + [f"{i % 2},{i},{'xy'[i % 2]}" for i in range(10)]
    (tmp_path / "own.csv").write_text("\n".join(rows))
    (tmp_path / "plan.toml").write_text(
        'methods = ["K-means"]\n[data.own]\nfile = "own.csv"\nlabel = "kind"\n'
    )
    plan = load_plan(tmp_path / "plan.toml")
    assert plan.name == "plan"
    assert [data.name for data in plan.datasets] == ["own"]
    data = load_data(plan.datasets[0])
    assert data.X.shape == (10, 3)  # a has two levels
    assert data.n_clusters == 2


def test_overrides_replace_the_plans_own():
    plan = load_plan("quick", methods=["gmf", "PCA"], datasets=["ecoli"])
    assert [method.name for method in plan.methods] == ["GMF", "PCA"]
    assert [data.name for data in plan.datasets] == ["ecoli"]
    assert plan.reference == "PCA"
    assert len(load_plan("quick", methods="all").methods) == len(METHODS)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"methods": ["Kmaens"]}, "Did you mean 'K-means'"),
        ({"datasets": ["irsi"]}, "Did you mean 'iris'"),
        ({"metrics": ["AC"]}, "Did you mean 'ACC'"),
        ({"choices": ["orcale"]}, "Did you mean 'oracle'"),
        ({"reference": "SC"}, "reference"),
        ({"limits": {"second": 3}}, "Did you mean 'seconds'"),
        ({"scaling": {"wine": "max"}}, "wine"),
        ({"data": {"iris": {"impute": "medain"}}}, "Did you mean 'median'"),
        ({"data": {"iris": {"label": "class"}}}, "'label' is not known"),
        ({"seeds": {"search": 3}}, "first = 0, count = 5"),
        ({"repeats": 3}, "'repeats' is not known"),
        ({"methods": []}, "no methods"),
        ({"method": {"PCA": {"grid": {"center": True}}}}, "list of values"),
        ({"method": {"PCA": {"randomness": "some"}}}, "randomness"),
        ({"method": {"PCA": {"search": 2}}}, "say in a note"),
        ({"method": {"PCA": {"report": 0, "note": "few"}}}, "number of seeds"),
        ({"method": {"PCA": {"large": {"report": 2}, "note": "few"}}}, "above"),
        (
            {"method": {"PCA": {"large": {"above": 9, "reports": 2}, "note": "few"}}},
            "Did you mean 'report'",
        ),
        ({"method": {"PCA": {"also": {"alpha": [0.0]}}}}, "'alpha' is not known"),
    ],
)
def test_mistakes_are_named(change, message):
    values = {"methods": ["PCA", "K-means"], "datasets": ["iris"], **change}
    with pytest.raises(ValueError, match="(?s)" + message.replace("(", r"\(")):
        parse_plan(values)


def test_no_such_plan(tmp_path):
    with pytest.raises(FileNotFoundError, match="quick, paper"):
        load_plan(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("methods = [")
    with pytest.raises(ValueError, match="not a TOML file"):
        load_plan(tmp_path / "bad.toml")
