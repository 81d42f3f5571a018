"""Names and merges that were made on a page."""

import json

import numpy as np
import pytest

from graphtailor.io.group_names import read_group_names

GOOD = {
    "format": "graphtailor names",
    "n_clusters": 3,
    "names": {"0": "small", "1": "large"},
    "merged": {"2": 1},
}


def read(tmp_path, content):
    path = tmp_path / "names.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return read_group_names(path)


def test_names_and_merges(tmp_path):
    found = read(tmp_path, GOOD)
    shares = np.array([[0.2, 0.3, 0.5], [0.6, 0.4, 0.0]])
    merged = found.merge_memberships(shares)
    np.testing.assert_allclose(merged, [[0.2, 0.8, 0], [0.6, 0.4, 0]])
    assert found.of(merged.argmax(axis=1)) == ["large", "small"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"format": "other"}, "names.format"),
        ({"n_clusters": -1}, "n_clusters"),
        ({"names": {"7": "x"}}, "'7'"),
        ({"names": {"0": 5}}, "names.names"),
        ({"merged": {"2": 9}}, "merged"),
        ({"merged": {"2": 1, "1": 0}}, "not merged itself"),
        ({"merged": {"2": 2}}, "not merged itself"),
    ],
)
def test_other_files_are_refused(tmp_path, changes, said):
    with pytest.raises(ValueError, match=rf"names\.json holds no names.*{said}"):
        read(tmp_path, {**GOOD, **changes})


def test_text_that_is_not_json(tmp_path):
    with pytest.raises(ValueError, match="holds no names of groups"):
        read(tmp_path, "<html>")
