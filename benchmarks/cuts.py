"""How well the silhouette chooses among an ensemble's cuts, beside the best choice.

    GRAPHTAILOR_DATA=FOLDER python benchmarks/cuts.py [--sets tuning] [--seeds 2]
        [--output FILE]

The number of clusters is given. Every cut of an ensemble is scored by the classes:
"chosen" is the one with the best silhouette among the members, which GraphTailor takes
where near neighbours do not separate the clusters; "by agreement" is the one that
correlates most with the members; "best" is what only labels tell. Each kind follows,
as it is and after single rows moved. "cost" is what the choice loses against the best.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from graphtailor import GraphTailor
from named_choices import names_of
from quality.run import SETS, available


def cuts_of(X: np.ndarray, y: np.ndarray, seed: int) -> dict[str, float]:
    """Adjusted Rand index of the chosen cut, of the best one and of each."""
    c = len(np.unique(y))
    model = GraphTailor(c, random_state=seed).fit(X)
    cuts = model.ensemble_.cuts().at(c)
    nearest = model._fitted_rows.nearest[:, 0]  # equal rows are one representative
    scores = [adjusted_rand_score(y, cut.labels[nearest]) for cut in cuts]
    agreement = np.argmax([cut.agreement for cut in cuts])
    found = {"chosen": scores[0], "by agreement": scores[agreement]}
    found |= {"best": max(scores), "cost": max(scores) - scores[0]}
    by_kind = sorted(zip(cuts, scores, strict=True), key=lambda pair: pair[0].agreement)
    for cut, score in by_kind:  # moves let the agreement rise
        first = cut.kind if cut.kind not in found else f"{cut.kind}, moved"
        found[first] = score
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=names_of(SETS), default=["tuning"])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    rows = []
    for use in arguments.sets:
        for name, X, y in available(SETS[use]):
            for seed in range(arguments.seeds):
                order = np.random.default_rng(seed).permutation(len(X))
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    found = cuts_of(X[order], y[order], seed)
                rows.append({"sets": use, "data": name, "seed": seed, **found})
    table = pd.DataFrame(rows)
    if arguments.output:
        table.round(4).to_csv(arguments.output, index=False)
    by_set = table.drop(columns="seed").groupby(["sets", "data"], sort=False).mean()
    print(by_set.round(3).to_string())
    print(by_set.groupby("sets", sort=False).mean().round(4).to_string())


if __name__ == "__main__":
    main()
