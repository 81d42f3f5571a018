"""A file appears whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from graphtailor.io.atomic import atomic_open


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_an_older_file_survives_a_failure(
    tmp_path: Path, error: type[BaseException]
) -> None:
    def write_half() -> None:
        with atomic_open(path, "w") as file:
            file.write("half")
            file.flush()
            raise error

    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(error):
        write_half()
    assert path.read_text() == "old"
    assert [found.name for found in tmp_path.iterdir()] == ["a.txt"]


def test_folders_are_made_and_permissions_are_the_usual_ones(tmp_path: Path) -> None:
    path = tmp_path / "x" / "y" / "a.bin"
    with atomic_open(path) as file:
        file.write(b"\x00\n")
        assert not path.exists()
    assert path.read_bytes() == b"\x00\n"
    (tmp_path / "usual").touch()
    usual = stat.S_IMODE(os.stat(tmp_path / "usual").st_mode)
    assert stat.S_IMODE(os.stat(path).st_mode) == usual


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    with atomic_open(tmp_path / "link.txt", "w") as file:
        file.write("é\r\n")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_bytes() == "é\r\n".encode()


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not a regular file"), atomic_open(tmp_path):
        pass
    with pytest.raises(ValueError, match="not a regular file"), atomic_open(os.devnull):
        pass
    with pytest.raises(ValueError, match="mode"), atomic_open(tmp_path / "a", "a"):
        pass
