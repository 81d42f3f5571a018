"""Names and merges of groups that a reader made on the page of a fit."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from graphtailor.io import schema as s
from graphtailor.io.limits import MOST_PLAN, clear_errors, parse_json

FORMAT = "graphtailor names"
_MOST_GROUPS = 100_000
_RULE = s.complete(
    {
        "format": s.one_of(FORMAT),
        "n_clusters": s.whole(1, _MOST_GROUPS),
        "names": s.mapping_of(s.text(1000), most=_MOST_GROUPS),
        "merged": s.mapping_of(s.whole(), most=_MOST_GROUPS),
    }
)


@dataclass(frozen=True)
class GroupNames:
    """Names of the clusters of one level, and which of them are one group.

    Examples
    --------
    >>> found = GroupNames(3, {0: "small", 1: "large"}, {2: 1})
    >>> labels = found.merge(np.array([0, 2, 1]))
    >>> labels.tolist(), found.of(labels)
    ([0, 1, 1], ['small', 'large', 'large'])
    """

    n_clusters: int  # of the level
    names: dict[int, str]
    merged: dict[int, int]  # clusters that count as another one

    def merge(self, labels: np.ndarray) -> np.ndarray:
        """Labels in which merged clusters have one number."""
        return self._targets()[labels]

    def merge_memberships(self, memberships: np.ndarray) -> np.ndarray:
        """Memberships in which a merged cluster's are added to its target's."""
        found = np.zeros_like(memberships)
        np.add.at(found.T, self._targets(), memberships.T)
        return found

    def of(self, labels: np.ndarray) -> list[str]:
        """The name of each label; its number where it has none."""
        return [self.names.get(int(k), str(k)) for k in labels]

    def _targets(self) -> np.ndarray:
        return np.array([self.merged.get(k, k) for k in range(self.n_clusters)])


def read_group_names(path: str | os.PathLike[str]) -> GroupNames:
    """Read the file that the page of a fit saves."""
    name = os.fspath(path)
    with clear_errors(
        lambda why: (
            f"{name} holds no names of groups: {why}. Save it again on the "
            "page of the fit"
        )
    ):
        if Path(path).stat().st_size > MOST_PLAN:
            raise ValueError(f"it is larger than {MOST_PLAN:,} bytes")
        content = parse_json(Path(path).read_bytes(), depth=3, values=4 * _MOST_GROUPS)
        _check(content)
    return GroupNames(
        content["n_clusters"],
        {int(k): value for k, value in content["names"].items()},
        {int(k): value for k, value in content["merged"].items()},
    )


def _check(content: Any) -> None:
    _RULE(content, "names")
    numbers = {str(k) for k in range(content["n_clusters"])}
    for part in ("names", "merged"):
        for key in content[part]:
            if key not in numbers:
                s.refuse(key, f"names.{part}", "a number of a cluster")
    for key, target in content["merged"].items():
        if str(target) not in numbers or str(target) in content["merged"]:
            s.refuse(
                target, f"names.merged.{key}", "a cluster that is not merged itself"
            )
