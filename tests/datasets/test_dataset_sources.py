"""Folders and downloads: what is read, what is refused, and what the error says."""

import urllib.error
from dataclasses import replace

import numpy as np
import pytest

from graphtailor.datasets import _isolet, _loaders, load_dataset


@pytest.fixture
def no_folder(monkeypatch):
    """A user without a folder of data."""
    monkeypatch.delenv("GRAPHTAILOR_DATA", raising=False)


@pytest.fixture
def openml(monkeypatch, no_folder, tmp_path):
    """Let OpenML serve given rows; the addresses asked for are recorded."""
    calls = []
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "sklearn"))

    def serve(data, letters):
        def send(url, path, **limits):
            calls.append(url)
            assert limits["most_bytes"] <= 10**8
            head = [f"@ATTRIBUTE f{j} NUMERIC" for j in range(data.shape[1])]
            rows = [
                ",".join([*map(str, row), f"'{letter}'"])
                for row, letter in zip(data, letters, strict=True)
            ]
            text = ["% ISOLET", "@RELATION isolet", *head, "@DATA", *rows]
            path.write_text("\n".join(text))

        monkeypatch.setattr(_isolet, "download", send)
        return calls

    return serve


def spoken_letters(n_speakers=31, n_features=617):
    """Data of the form of ISOLET: one speaker after the other, each letter twice."""
    letters = np.tile(np.repeat(np.arange(1, 27), 2), n_speakers)
    row_number = np.arange(letters.size)
    data = np.tile(row_number[:, None], (1, n_features))
    return data, letters


@pytest.fixture
def reference(monkeypatch):
    """Take the made-up letters for the right ones."""
    data, letters = spoken_letters()
    y = letters[:1560] - 1
    order = np.argsort(y, kind="stable")
    checksum = _loaders.content_sha256(data[order], y[order])
    info = replace(_loaders.REGISTRY["isolet"], sha256=checksum)
    monkeypatch.setitem(_loaders.REGISTRY, "isolet", info)


@pytest.mark.parametrize("name", ["binalpha", "msra"])
def test_sets_of_a_folder_say_where_to_get_them(name, no_folder, tmp_path):
    message = "no folder was given.*GitHub repository.*data_home=.*GRAPHTAILOR_DATA"
    with pytest.raises(FileNotFoundError, match=message):
        load_dataset(name)
    with pytest.raises(FileNotFoundError, match=f"no file .*{name}.npz"):
        load_dataset(name, data_home=tmp_path)


@pytest.mark.parametrize("name", ["isolet", "binalpha", "msra"])
def test_wrong_contents_are_refused(name, tmp_path):
    np.savez(tmp_path / f"{name}.npz", X=np.zeros((3, 2)), y=np.arange(3))
    with pytest.raises(ValueError, match=r"X \(3, 2\).*have sha256 .*, expected"):
        load_dataset(name, data_home=tmp_path)


def test_one_changed_value_or_label_is_refused():
    X, y = np.array([[0.0, np.nan], [1.0, 2.0]]), np.array([0, 1])
    checksum = _loaders.content_sha256(X, y)
    assert _loaders.content_sha256(-1 * -X, y.astype(np.int32)) == checksum
    assert _loaders.content_sha256(np.asfortranarray(X), y) == checksum
    assert _loaders.content_sha256(np.nan_to_num(X), y) != checksum
    assert _loaders.content_sha256(X + 1e-15, y) != checksum
    assert _loaders.content_sha256(X, y[::-1]) != checksum


def damage(path, kind):
    """Write a file that is not a readable archive of X and y."""
    if kind == "pickle":
        np.savez(path, X=np.array([{}], dtype=object), y=np.arange(1))
    elif kind == "no y":
        np.savez(path, X=np.zeros((3, 2)))
    elif kind == "not an archive":
        path.write_bytes(b"<html>not found</html>")
    elif kind == "empty":
        path.write_bytes(b"")
    else:
        np.savez_compressed(path, X=np.random.default_rng(0).random((99, 9)), y=[0])
        content = bytearray(path.read_bytes())
        if kind == "truncated":
            del content[len(content) // 2 :]
        else:
            content[2000:2100] = bytes(100)
        path.write_bytes(content)


@pytest.mark.parametrize(
    "kind", ["truncated", "corrupt", "pickle", "no y", "not an archive", "empty"]
)
def test_damaged_files_are_refused(kind, tmp_path):
    damage(tmp_path / "msra.npz", kind)
    with pytest.raises(ValueError, match=r"msra\.npz is damaged or not.*Get .*EBSA"):
        load_dataset("msra", data_home=tmp_path)


def test_a_damaged_installation_is_named(monkeypatch, tmp_path):
    (tmp_path / "data").mkdir()
    damage(tmp_path / "data" / "ecoli.npz", "truncated")
    monkeypatch.setattr(_loaders.resources, "files", lambda _: tmp_path)
    with pytest.raises(ValueError, match=r"damaged.*install the package again"):
        load_dataset("ecoli")


def test_isolet_from_openml_is_the_first_part_by_class(openml, reference, tmp_path):
    calls = openml(*spoken_letters())
    result = load_dataset("isolet", data_home=tmp_path)
    assert calls == [_isolet.ADDRESS]
    assert result.data.shape == (1560, 617)
    assert result.target.tolist() == np.repeat(np.arange(26), 60).tolist()
    assert "".join(result.target_names) == "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    # Within a class the speakers keep their order: two of each letter in 52 rows.
    assert result.data[:4, 0].tolist() == [0, 1, 52, 53]
    assert result.data[60:64, 0].tolist() == [2, 3, 54, 55]


@pytest.mark.parametrize("in_folder", [True, False])
def test_isolet_is_fetched_once(openml, reference, tmp_path, in_folder):
    calls = openml(*spoken_letters())
    where = {"data_home": tmp_path / "mine"} if in_folder else {}
    first, second = (load_dataset("isolet", **where) for _ in range(2))
    np.testing.assert_array_equal(first.data, second.data)
    assert first.target_names.tolist() == second.target_names.tolist()
    assert len(calls) == 1
    kept = "mine/isolet.npz" if in_folder else "sklearn/graphtailor/isolet.npz"
    assert (tmp_path / kept).is_file()


def test_isolet_that_is_not_the_reference_is_refused(openml, tmp_path):
    openml(*spoken_letters())
    with pytest.raises(ValueError, match=r"OpenML sent .* sha256 .*, expected 1f89"):
        load_dataset("isolet", data_home=tmp_path)
    assert not (tmp_path / "isolet.npz").exists()


@pytest.mark.parametrize(
    ("data", "letters"),
    [
        spoken_letters(n_features=616),
        spoken_letters(n_speakers=29),
        (spoken_letters()[0], np.sort(spoken_letters()[1])),
        (spoken_letters()[0], np.full(31 * 52, "A")),
    ],
    ids=["features", "rows", "order of rows", "labels"],
)
def test_other_data_from_openml_are_refused(data, letters, openml):
    openml(data, letters)
    with pytest.raises(ValueError, match="is not ISOLET"):
        load_dataset("isolet")


def test_isolet_without_network(monkeypatch, openml):
    def fail(*_, **__):
        raise urllib.error.URLError("Name or service not known")

    monkeypatch.setattr(_isolet, "download", fail)
    message = r"not be fetched from OpenML.*not known.*Isolet\.mat.*data_home="
    with pytest.raises(FileNotFoundError, match=message):
        load_dataset("isolet")
