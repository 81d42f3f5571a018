import numpy as np
import pytest

import scale.sets
from debian_files import NotInstalled
from scale.sets import DATA, fashion, letters, pendigits


@pytest.mark.parametrize(
    ("loader", "missing"),
    [
        (letters, r"apt-get install \S*r-cran-mlbench"),
        (fashion, r"apt-get install \S*fashion-mnist"),
        (pendigits, "GRAPHTAILOR_DATA"),
    ],
)
def test_what_is_missing_is_named(loader, missing, monkeypatch, tmp_path):
    monkeypatch.setattr(scale.sets, "MLBENCH", "not/here")
    monkeypatch.setattr(scale.sets, "FASHION", "not/here")
    monkeypatch.setenv("GRAPHTAILOR_DATA", str(tmp_path))
    with pytest.raises(NotInstalled, match=missing):
        loader()


def test_the_seed_shuffles_real_rows(tmp_path):
    written = []
    for seed in (0, 1):
        DATA["digits"].write(tmp_path / str(seed), 1797, seed)
        X, y = (np.load(tmp_path / str(seed) / f"{name}.npy") for name in "Xy")
        written.append(np.column_stack([X, y]))
    first, second = written
    assert not np.array_equal(first, second)
    # The rows are the same ones, and each still has its class.
    np.testing.assert_array_equal(
        first[np.lexsort(first.T)], second[np.lexsort(second.T)]
    )
