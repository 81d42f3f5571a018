"""What was decided: a frozen object, and a sentence for every branch."""

import dataclasses

import pytest

from graphtailor.decide.decision import Decision, count_members
from graphtailor.decide.n_clusters import Level
from graphtailor.decide.verdict import Verdict
from graphtailor.graphs.ensemble.members import Member

PLAIN = Decision(
    verdict=Verdict("clear", 0.481, 0.632, 1e-9, 19),
    n_rows=1500,
    n_representatives=1500,
    isolated=0,
    every_row=True,
    views=("as it is", "ranks"),
    members={"spectral": 12, "k-means": 4},
    separated=None,
    leaving=None,
    compactness=None,
    shapes=False,
    suggestions=(),
    levels=(Level(3, 0.2, 0.61234, 0.4, suggested=True),),
    alpha=100.0,
    beta=50.0,
    n_clusters=3,
    cut="linkage",
    cut_agreement=0.61234,
    model_agreement=0.6,
)


def sentences(**changes):
    return str(dataclasses.replace(PLAIN, **changes)).split("\n")


def test_a_decision_is_frozen():
    for field in dataclasses.fields(Decision):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(PLAIN, field.name, None)
    with pytest.raises(dataclasses.FrozenInstanceError):
        PLAIN.levels[0].score = 1.0


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {},
            "Clear clusters: rows lie closer together than in shuffled copies (0.48 "
            "against 0.63, p < 0.0001).",
        ),
        (
            {"verdict": None},
            "Clusters were not compared with chance, because X is sparse or has too "
            "few different rows.",
        ),
        (
            {"verdict": None, "views": ("given graph",)},
            "Clusters were not compared with chance, because X holds pairs.",
        ),
    ],
)
def test_the_verdict_comes_first(changes, sentence):
    assert sentences(**changes)[0] == sentence


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, "Each of the 1,500 rows represents itself."),
        (
            {"isolated": 2},
            "Each of the 1,500 rows represents itself; 2 of them have no edge, so that "
            "the graph does not say where they belong.",
        ),
        (
            {"n_representatives": 1200},
            "1,200 distinct rows represent all 1,500, each with its multiplicity.",
        ),
        (
            {"n_representatives": 900, "every_row": False},
            "900 weighted anchors represent 1,500 rows, which have more distinct "
            "values than that.",
        ),
    ],
)
def test_rows(changes, sentence):
    assert sentences(**changes)[1] == sentence


def test_members():
    assert sentences()[2] == (
        "16 quick clusterings (12 spectral, 4 k-means) looked at them in 2 views "
        "(as it is, ranks)."
    )
    assert PLAIN.n_members == 16


def test_members_are_counted_by_kind():
    members = [Member(kind, "ranks", None) for kind in ("b", "a", "b")]
    assert list(count_members(members).items()) == [("b", 2), ("a", 1)]


def test_separated_clusters():
    assert sentences()[3] == "Near neighbours separate no clusters."
    figures = {"separated": 4, "leaving": 0.00042, "compactness": 0.256}
    compact = sentences(**figures)[3]
    assert compact == (
        "Near neighbours separate 4 clusters: at most 0.04% of a cluster's edge weight "
        "leaves it."
    )
    shapes = sentences(**figures, shapes=True)[3]
    assert shapes.startswith(compact)
    assert "not compact (k-means agrees with them to 0.26" in shapes
    pairs = sentences(views=("given graph",))[3]
    assert pairs == "Separated clusters were not looked for, because X holds pairs."


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, "3 clusters were asked for."),
        (
            {"suggestions": (3,)},
            "3 clusters agree best with the members for their number.",
        ),
        (
            {"suggestions": (3, 7, 5)},
            "3 clusters agree best with the members for their number; 5 or 7 would be "
            "plausible too.",
        ),
        (
            {"suggestions": (3, 2), "separated": 3, "leaving": 0.0},
            "3 clusters are what near neighbours separate; 2 would be plausible too.",
        ),
        (
            {"suggestions": (3, 2), "verdict": Verdict("none", 0.5, 0.5, 0.5, 29)},
            "3 groups are the cut that members agree on most; 2 would be as good a "
            "cut.",
        ),
        ({"suggestions": (2, 5)}, "3 clusters were asked for."),
        (
            {"n_clusters": 7, "n_representatives": 7},
            "Each distinct row is a cluster of its own.",
        ),
    ],
)
def test_the_number(changes, sentence):
    assert sentences(**changes)[4] == sentence


def test_labels():
    assert sentences()[5] == (
        "The labels are those of the consensus cut by linkage (mean correlation with "
        "the members 0.612; that of the joint model at alpha = 100 0.600)."
    )


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"verdict": None},
        {"separated": 2, "leaving": 0.0, "compactness": 0.3, "shapes": True},
        {"suggestions": (3, 2)},
    ],
)
def test_every_sentence_is_one(changes):
    decision = dataclasses.replace(PLAIN, **changes)
    assert str(decision) == "\n".join(decision.sentences())
    for sentence in decision.sentences():
        assert sentence[0].isupper() or sentence[0].isdigit()
        assert sentence.endswith(".")
        assert "  " not in sentence
