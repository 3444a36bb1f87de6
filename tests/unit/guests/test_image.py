import fcntl
import shutil
import threading
from pathlib import Path

import pytest

from lab.guests import image
from lab.guests.errors import GuestError


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(image, "_fetch_packages", lambda target: target.write_text("packages"))
    return tmp_path / "sparkloom"


def build(packages: Path, target: Path) -> None:
    target.mkdir()
    (target / "disk.img").write_text(packages.read_text())


def test_an_image_is_built_once(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image, "_build", build)
    said: list[str] = []
    made = image.ensure_image(said.append)
    assert made.disk.read_text() == "packages"
    assert len(said) == 2
    assert image.ensure_image(said.append) == made
    assert len(said) == 2
    assert sorted(path.name.split("-")[0] for path in cache.iterdir()) == ["build.lock", "image", "packages"]


def test_a_failed_build_leaves_no_image(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(packages: Path, target: Path) -> None:
        target.mkdir()
        raise GuestError("no room")

    monkeypatch.setattr(image, "_build", fail)
    with pytest.raises(GuestError, match="no room"):
        image.ensure_image(lambda _: None)
    assert sorted(path.name.split("-")[0] for path in cache.iterdir()) == ["build.lock", "packages"]


def test_a_second_builder_waits_and_builds_nothing(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image, "_build", lambda *_: pytest.fail("built twice"))
    cache.mkdir()
    waiting = threading.Event()
    results: list[image.Image] = []
    with (cache / "build.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        second = threading.Thread(target=lambda: results.append(image.ensure_image(lambda _: waiting.set())))
        second.start()
        assert waiting.wait(10)
        (cache / f"image-{image.image_hash()}").mkdir()
    second.join(10)
    assert len(results) == 1


def test_the_recipe_is_named_after_its_files(tmp_path: Path) -> None:
    files = tmp_path / "files"
    shutil.copytree(image.FILES, files)
    before = image.image_hash(files)
    assert before == image.image_hash()
    (files / "init").chmod(0o644)
    without_mode = image.image_hash(files)
    (files / "init").write_text("#!/bin/sh\n")
    assert len({before, without_mode, image.image_hash(files)}) == 3


def test_a_missing_tool_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GuestError, match=r"no mmdebstrap here; run lab/install-tools"):
        image._fetch_packages(tmp_path / "packages.tar")
