"""What a comparison of methods means, in sentences."""

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from graphtailor.diagnostics.comparison import Comparison

# Mean adjusted Rand indices from which methods agree nearly, and mostly.
_NEARLY, _MOSTLY = 0.9, 0.6
_OURS = "GraphTailor"
Reason = Literal["chance", "alone", "shapes", "alike", "ours", "agreement"]
# Mean agreements that differ by less than this are taken as the same.
_NEAR_BEST = 0.1


def headline(comparison: Comparison) -> str:
    """Whether methods agree, in one line."""
    voters, number = comparison.votes.methods, _number(comparison)
    if comparison.verdict_level == "none":
        return "No method finds groups beyond chance"
    if len(comparison.entries) == 1:
        return f"One method finds {_counted(number, 'group')}"
    if len(voters) < 2:
        return "Each method finds another number of groups"
    mean = float(mean_agreement(comparison).mean())
    methods = _counted(len(voters), "method")
    if mean >= _NEARLY:
        return f"{methods} find nearly the same {number} groups"
    if mean >= _MOSTLY:
        return f"{methods} find mostly the same {number} groups"
    return f"{methods} do not agree on {number} groups"


def mean_agreement(comparison: Comparison) -> np.ndarray:
    """How well each method that votes agrees with the others that vote."""
    chosen = [entry.method in comparison.votes.methods for entry in comparison.entries]
    table = comparison.agreement[np.ix_(chosen, chosen)]
    return (table.sum(axis=1) - 1) / max(len(table) - 1, 1)


def whom_to_trust(comparison: Comparison) -> list[str]:
    """Which method to believe on these rows, and why, in a few sentences."""
    return [*_warnings(comparison), *_choice(comparison), *_classes(comparison)]


def path_sentence(comparison: Comparison) -> str:
    """For which number of groups the methods agree; empty if that is not known."""
    path = comparison.path
    if path is None or not path.numbers:
        return ""
    others = _listed(path.methods[1:])
    best, mean = path.best, path.mean
    said = (
        f"With {best} groups {path.methods[0]}, {others} agree most "
        f"({mean.max():.2f} on average, where 1 is the same groups and 0 is chance)"
    )
    number = _number(comparison)
    if number not in path.numbers or number == best:
        return f"{said}."
    own = mean[path.numbers.index(number)]
    return f"{said}; with the {number} groups compared here it is {own:.2f}."


def votes_sentence(comparison: Comparison) -> str:
    """On how many rows the methods do not agree, and which methods were asked."""
    votes = comparison.votes
    n, disputed = len(votes.count), int(votes.disputed.sum())
    if len(votes.methods) < 2:
        return "The methods find different numbers of groups, so rows have no votes."
    whole = int((votes.count == len(votes.methods)).sum())
    said = (
        f"All {len(votes.methods)} methods agree on {whole:,} of {n:,} rows, and fewer "
        f"than three quarters of them agree on {disputed:,}."
    )
    left = [e.method for e in comparison.entries if e.method not in votes.methods]
    if not left:
        return said
    have = "has" if len(left) == 1 else "have"
    return f"{said} {_listed(left)} {have} another number of groups and no vote."


def _warnings(comparison: Comparison) -> Iterator[str]:
    if comparison.verdict_level == "weak":
        yield "The groups are weak: shuffled columns give groups nearly as close."


def trusted_method(comparison: Comparison) -> tuple[Reason, str]:
    """Why a method should be believed first, and which one; empty where it is none.

    Rows without clusters give none, and neither do methods that all agree or have no
    second one to agree with. GraphTailor follows groups that are not round. Elsewhere
    it comes first unless another method agrees clearly better with the rest.
    """
    decision, voters = comparison.decision, comparison.votes.methods
    if comparison.verdict_level == "none":
        return "chance", ""
    if len(voters) < 2:
        return "alone", ""
    if decision is not None and decision.shapes:
        return "shapes", _OURS
    means = mean_agreement(comparison)
    if means.mean() >= _NEARLY:
        return "alike", ""
    own = means[voters.index(_OURS)] if _OURS in voters else -1.0
    if own >= means.max() - _NEAR_BEST:
        return "ours", _OURS
    return "agreement", voters[int(means.argmax())]


def _choice(comparison: Comparison) -> Iterator[str]:
    reason, first = trusted_method(comparison)
    if reason == "shapes":
        yield from _about_shapes(comparison)
        return
    voters, means = comparison.votes.methods, mean_agreement(comparison)
    agrees = ""
    if first:
        agrees = (
            f"({means[voters.index(first)]:.2f} on average, where 1 is the same groups "
            "and 0 is chance)"
        )
    yield {
        "chance": "Trust none of them: these rows show no clusters beyond chance, and "
        "every method cuts such rows in its own way. Shuffled columns give such groups "
        "too.",
        "alone": "There is no second method with as many groups to agree with.",
        "alike": "It hardly matters whom you trust: any two of these methods put "
        f"nearly the same rows together (agreement {means.mean():.2f}, where 1 is the "
        "same).",
        "ours": f"Trust {_OURS} first: it agrees with the other methods as well as "
        f"any, or nearly {agrees}, and in our tests on tables with known classes it "
        "came nearest to these on average, though not on each.",
        "agreement": f"Look at {first} first: it agrees best with the other methods "
        f"{agrees}, so its groups depend least on the habits of one method. That is no "
        "proof that they are right.",
    }[reason]
    if first and means.min() < means.max() - _NEAR_BEST:
        worst = voters[int(means.argmin())]
        yield f"{worst} differs most from the other methods ({means.min():.2f})."


def _about_shapes(comparison: Comparison) -> Iterator[str]:
    yield (
        "Trust GraphTailor here: near neighbours separate groups that are not round, "
        "and it follows them."
    )
    methods = [entry.method for entry in comparison.entries]
    agreement = comparison.agreement[methods.index(_OURS)]
    # Methods that agree less than this with GraphTailor cut through its shapes.
    cut = [methods[i] for i in np.flatnonzero(agreement < 0.8)]
    if cut:
        verb = "cuts" if len(cut) == 1 else "cut"
        yield f"{_listed(cut)} {verb} through these shapes."


def _classes(comparison: Comparison) -> Iterator[str]:
    scores = [(entry.scores or {}).get("ARI") for entry in comparison.entries]
    known = [score for score in scores if score is not None]
    if len(known) < 2:
        return
    best = comparison.entries[int(np.argmax(known))].method
    yield (
        f"{best} comes closest to the known classes (ARI {max(known):.2f}), which no "
        "method was given."
    )


def _number(comparison: Comparison) -> int:
    return comparison.entries[0].n_clusters


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _listed(names: Sequence[str]) -> str:
    """Names with commas and an "and"."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
