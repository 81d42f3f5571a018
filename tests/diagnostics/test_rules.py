"""Rules in words, whose shares are those of the words."""

import numpy as np
import pandas as pd
import pytest

from graphtailor.diagnostics.rules import Rule, RuleFinder


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "cost": np.round(rng.uniform(0, 20_000, 400)),
            "private": rng.choice(["Yes", "No"], 400),
            "founded": rng.integers(1800, 2000, 400),
        }
    )


def test_two_conditions_and_their_shares(frame):
    inside = ((frame.cost > 11_900) & (frame.private == "Yes")).to_numpy()
    rule = RuleFinder(frame, np.arange(400)).rule_for([0, 1, 2], inside)
    assert "private is" in rule.text
    assert "cost >" in rule.text
    limit = float(rule.text.split("cost > ")[1].split(" and")[0].replace(",", ""))
    says_yes = "private is Yes" in rule.text or "private is not No" in rule.text
    assert says_yes
    holds = ((frame.cost > limit) & (frame.private == "Yes")).to_numpy()
    assert rule.inside == holds[inside].mean() > 0.95
    assert rule.outside == holds[~inside].mean() < 0.05


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_numbers_beyond_single_precision(frame, scale):
    inside = (frame.cost > 11_900).to_numpy()
    X = frame.cost.to_numpy()[:, None]
    near = RuleFinder(X, np.arange(400)).rule_for([0], inside)
    far = RuleFinder(X * scale, np.arange(400)).rule_for([0], inside)
    assert (far.inside, far.outside) == (near.inside, near.outside)
    assert far.inside > 0.98


def test_years_have_no_commas(frame):
    inside = (frame.founded > 1900).to_numpy()
    rule = RuleFinder(frame, np.arange(400)).rule_for([2], inside)
    assert rule.text == "founded > 1900"
    assert (rule.inside, rule.outside) == (1, 0)


def test_no_rule_for_noise_or_for_all_rows(frame):
    noise = np.random.default_rng(1).random(400) < 0.5
    finder = RuleFinder(frame, np.arange(400))
    assert finder.rule_for([0, 1, 2], noise) is None
    assert finder.rule_for([0], np.ones(400, dtype=bool)) is None


def test_missing_values_and_arrays():
    X = np.array([[np.nan, 1.0], [0.0, 2.0], [1.0, 8.0], [2.0, 9.0]])
    rule = RuleFinder(X, np.arange(4)).rule_for([0, 1], X[:, 1] > 5)
    assert rule.text == "f2 > 5"


def test_of_two_levels_a_rule_says_the_one_that_is_there():
    frame = pd.DataFrame({"sex": ["f", "m", "m", None] * 20, "size": np.arange(80.0)})
    inside = (frame.sex == "m").to_numpy()
    finder = RuleFinder(frame, np.arange(80))
    assert finder.rule_for([0, 1], inside) == Rule("sex is m", 1.0, 0.0)
    tree = finder.rule_for([0], (frame.sex != "m").to_numpy())
    assert tree.text == "sex is f"
    # The missing rows are not of that level.
    assert tree.inside == 0.5
