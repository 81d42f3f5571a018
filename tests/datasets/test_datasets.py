"""The contents of all ten data sets."""

import os
from pathlib import Path

import numpy as np
import pytest

from graphtailor.datasets import DatasetInfo, _loaders, list_datasets, load_dataset

INFOS = list_datasets()
BUNDLED = [info.name for info in INFOS if info.availability == "bundled"]
FILES = ["ecoli", "yeast", "libras", "ionosphere", "soybean"]
CLASS_SIZES = {
    "ecoli": [143, 77, 52, 35, 20, 5, 2, 2],
    "yeast": [463, 429, 244, 163, 51, 44, 35, 30, 20, 5],
    "libras": [24] * 15,
    "ionosphere": [126, 225],
    "soybean": [
        *(20, 20, 20, 88, 44, 20, 20, 92, 20, 20),
        *(20, 44, 20, 91, 91, 15, 14, 16, 8),
    ],
    "iris": [50] * 3,
    "wine": [59, 71, 48],
    "isolet": [60] * 26,
    "binalpha": [39] * 36,
    "msra": [175, 154, 113, 178, 186, 159, 179, 128, 133, 131, 128, 135],
}


def reference_file(name):
    """File of a data set in GRAPHTAILOR_DATA; the test skips when it is not there."""
    folder = os.environ.get("GRAPHTAILOR_DATA")
    if not folder:
        pytest.skip(f"GRAPHTAILOR_DATA is not set: {name}.npz cannot be compared")
    path = Path(folder) / f"{name}.npz"
    if not path.is_file():
        pytest.skip(f"GRAPHTAILOR_DATA has no {name}.npz")
    return path


@pytest.mark.parametrize("info", INFOS, ids=lambda info: info.name)
def test_every_set_has_the_uniform_result(info):
    if info.availability != "bundled":
        reference_file(info.name)
    result = load_dataset(info.name)
    assert set(result) == {
        *("data", "target", "feature_names", "target_names", "name"),
        *("DESCR", "licence", "citation", "imputation"),
    }
    assert result.data.shape == (info.n_samples, info.n_features)
    assert result.data.dtype == np.float64
    assert np.isfinite(result.data).all()
    assert result.target.dtype == np.int64
    assert np.bincount(result.target).tolist() == CLASS_SIZES[info.name]
    assert len(set(result.feature_names)) == info.n_features
    assert len(set(result.target_names)) == info.n_classes
    assert result.target_names[result.target].shape == (info.n_samples,)
    assert result.name == info.name
    assert result.DESCR
    assert result.licence
    assert result.citation


@pytest.mark.parametrize("info", INFOS, ids=lambda info: info.name)
def test_sets_equal_the_reference_files(info):
    path = reference_file(info.name)
    result = load_dataset(info.name, impute=None)
    with np.load(path, allow_pickle=False) as expected:
        np.testing.assert_array_equal(result.data, expected["X"])
        np.testing.assert_array_equal(result.target, expected["y"])
        # scikit-learn counts the cultivars of wine from 0, the reference from 1.
        if "class_names" in expected and info.name != "wine":
            assert result.target_names.tolist() == expected["class_names"].tolist()
        if "feature_names" in expected:
            assert result.feature_names == expected["feature_names"].tolist()


def test_registry():
    assert all(isinstance(info, DatasetInfo) for info in INFOS)
    assert {info.name: info.availability for info in INFOS} == {
        **dict.fromkeys([*FILES, "iris", "wine"], "bundled"),
        "isolet": "openml",
        "binalpha": "folder",
        "msra": "folder",
    }


@pytest.mark.parametrize("name", FILES)
def test_bundled_files_hold_no_pickle_and_are_small(name):
    path = Path(_loaders.__file__).parent / "data" / f"{name}.npz"
    assert path.stat().st_size < 100_000
    with np.load(path, allow_pickle=False) as archive:
        assert sorted(archive) == ["X", "class_names", "feature_names", "y"]
        assert not any(archive[key].dtype.hasobject for key in archive)


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_sets_need_no_folder(name, tmp_path):
    assert load_dataset(name, data_home=tmp_path / "absent").name == name


def test_results_are_independent():
    load_dataset("iris").data[:] = 0
    load_dataset("ecoli").data[:] = 0
    assert load_dataset("iris").data.any()
    assert load_dataset("ecoli").data.any()


def test_soybean_keeps_its_missing_values_on_request():
    result = load_dataset("soybean", impute=None)
    missing = np.isnan(result.data)
    assert result.imputation is None
    assert missing.sum() == 2337
    assert missing.any(axis=1).sum() == 121


@pytest.mark.parametrize(
    ("impute", "statistic"),
    [
        ("median", np.median),
        ("mean", np.mean),
        ("most_frequent", lambda x: np.bincount(x.astype(int)).argmax()),
        ("own_value", lambda x: x.min() - 1),
    ],
)
def test_soybean_imputation(impute, statistic):
    raw = load_dataset("soybean", impute=None).data
    result = load_dataset("soybean", impute=impute)
    assert result.imputation == impute
    for filled, column in zip(result.data.T, raw.T, strict=True):
        missing = np.isnan(column)
        np.testing.assert_array_equal(filled[~missing], column[~missing])
        np.testing.assert_allclose(filled[missing], statistic(column[~missing]))


def test_imputation_is_the_median_by_default_and_none_where_nothing_is_missing():
    assert load_dataset("soybean").imputation == "median"
    assert load_dataset("ecoli").imputation is None


@pytest.mark.parametrize("name", ["soybean", "iris"])
def test_unknown_imputation_is_named(name):
    with pytest.raises(ValueError, match=r"impute must be one of.*got 'zero'"):
        load_dataset(name, impute="zero")


@pytest.mark.parametrize(
    ("name", "near"),
    [("Iris", "iris"), ("ionsphere", "ionosphere"), ("MSRA25", "msra")],
)
def test_unknown_name_suggests_the_nearest(name, near):
    with pytest.raises(ValueError, match=f"name='{name}'.*Did you mean '{near}'"):
        load_dataset(name)


def test_unknown_name_lists_the_known():
    with pytest.raises(ValueError, match=r"Known are: soybean, .*, msra") as caught:
        load_dataset("qqq")
    assert "Did you mean" not in str(caught.value)


@pytest.mark.parametrize("name", ["isolet", "binalpha", "msra"])
def test_folder_by_argument_and_by_variable(name, monkeypatch, tmp_path):
    path = reference_file(name)
    by_variable = load_dataset(name)
    # A user's own file has the right contents but other bytes and no names.
    with np.load(path, allow_pickle=False) as archive:
        np.savez(tmp_path / f"{name}.npz", X=archive["X"], y=archive["y"])
    monkeypatch.setenv("GRAPHTAILOR_DATA", str(tmp_path / "absent"))
    by_argument = load_dataset(name, data_home=str(tmp_path))
    np.testing.assert_array_equal(by_variable.data, by_argument.data)
    np.testing.assert_array_equal(by_variable.target, by_argument.target)
