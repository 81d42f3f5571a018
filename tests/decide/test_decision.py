"""What was decided: a frozen object, and a sentence for every branch."""

import dataclasses

import pytest

from graphtailor.decide.decision import Decision, Setting, count_members
from graphtailor.decide.verdict import Verdict
from graphtailor.graphs.ensemble.members import Member

PLAIN = Decision(
    verdict=Verdict("clear", 0.481, 0.632, 1e-9, 19),
    n_rows=1500,
    n_representatives=1500,
    every_row=True,
    views=("as it is", "ranks"),
    members={"spectral": 12, "k-means": 4},
    leaving=None,
    compactness=None,
    n_clusters=3,
    suggestions=(),
    scores=(),
    cut="linkage",
    cut_agreement=0.61234,
    settings=(Setting(100.0, 0.6),),
    labels_from="cut",
    alpha=100.0,
    beta=50.0,
)


def sentences(**changes):
    return str(dataclasses.replace(PLAIN, **changes)).split("\n")


def test_a_decision_is_frozen():
    for field in dataclasses.fields(Decision):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(PLAIN, field.name, None)
    with pytest.raises(dataclasses.FrozenInstanceError):
        PLAIN.settings[0].alpha = 1.0


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


def test_shapes():
    assert sentences()[3] == (
        "Near neighbours show no separated clusters beyond compact ones."
    )
    assert not PLAIN.shapes
    told = sentences(leaving=0.00042, compactness=0.256)[3]
    assert "not compact" in told
    assert "0.04%" in told
    assert "0.26 only" in told
    assert dataclasses.replace(PLAIN, leaving=0.0, compactness=0.2).shapes


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
            "3 clusters agree best with the members for their number; 7 or 5 would be "
            "plausible too.",
        ),
        (
            {"n_clusters": 7, "n_representatives": 7},
            "Each distinct row is a cluster of its own.",
        ),
    ],
)
def test_the_number(changes, sentence):
    assert sentences(**changes)[4] == sentence


def test_labels():
    figures = (
        "mean correlation with the members 0.612; joint model 0.600 at alpha = 100"
    )
    assert sentences()[5] == (
        f"The labels are those of the consensus cut by linkage ({figures})."
    )
    assert sentences(labels_from="model")[5] == (
        f"The labels are the joint model's (cut by linkage: {figures})."
    )


def test_the_agreement_of_the_model_that_was_kept():
    settings = (Setting(100.0, 0.6), Setting(1000.0, 0.7))
    kept = dataclasses.replace(PLAIN, settings=settings, alpha=1000.0)
    assert kept.model_agreement == 0.7


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"verdict": None},
        {"leaving": 0.0, "compactness": 0.3},
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
