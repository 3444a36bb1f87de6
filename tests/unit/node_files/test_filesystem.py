"""Writing: whole, in place, and nowhere else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from ansible_collections.sparkloom.cluster.plugins.module_utils.node import filesystem
from ansible_collections.sparkloom.cluster.plugins.module_utils.node.files import FileError, Wanted, plan


def write(path: Path, content: str, **more: object) -> bool:
    wanted = [Wanted(str(path), content, **more)]  # type: ignore[arg-type]
    changes = plan(wanted, {str(path): filesystem.read(path)})
    for change in changes:
        filesystem.apply(change)
    return bool(changes)


def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "a"
    assert write(path, "one", mode=0o600)
    before = path.stat().st_ino
    assert write(path, "two", mode=0o640)
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("two", 0o640)
    assert path.stat().st_ino != before
    assert not write(path, "two", mode=0o640)
    assert [entry.name for entry in tmp_path.iterdir()] == ["a"]


def test_bytes_of_the_owner_survive(tmp_path: Path) -> None:
    path = tmp_path / "hosts"
    path.write_bytes(b"# caf\xe9\n")
    write(path, "10.0.0.1 a", block="hosts")
    assert path.read_bytes().startswith(b"# caf\xe9\n# BEGIN sparkloom hosts\n")


def test_a_file_that_is_a_symlink_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    (tmp_path / "link").symlink_to("secret")
    with pytest.raises(FileError, match="symbolic link"):
        filesystem.read(tmp_path / "link")


def test_a_users_symlink_on_the_way_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "link"
    link.symlink_to("real")
    if os.getuid() == 0:
        os.chown(link, 12345, 12345, follow_symlinks=False)
    with pytest.raises(FileError, match="not followed"):
        filesystem.read(link / "file")


def test_a_missing_folder_is_said_in_words(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="does not exist"):
        write(tmp_path / "no/file", "x")


def test_folders_are_made_and_the_last_gets_its_mode(tmp_path: Path) -> None:
    filesystem.make_folder(tmp_path / "a/b", 0o700)
    assert [(tmp_path / part).stat().st_mode & 0o777 for part in ("a", "a/b")] == [0o755, 0o700]


def test_an_absent_file_goes(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("x")
    assert write(path, "", present=False)
    assert not path.exists()
