import lzma
import shutil
from pathlib import Path
from stat import S_IFREG

import pytest

from lab.guests.initrd import build_initrd, cpio_newc, load_order, module_name, needs_interpreter

DEPENDENCIES = """\
kernel/fs/ext4/ext4.ko.xz: kernel/fs/jbd2/jbd2.ko.xz kernel/fs/mbcache.ko.xz
kernel/fs/jbd2/jbd2.ko.xz: kernel/lib/crc16.ko.xz
kernel/fs/mbcache.ko.xz:
kernel/lib/crc16.ko.xz:
kernel/drivers/block/virtio_blk.ko.xz:
"""


def names(archive: bytes) -> dict[str, bytes]:
    """Read a newc archive back."""
    found: dict[str, bytes] = {}
    at = 0
    while True:
        assert archive[at : at + 6] == b"070701"
        fields = [int(archive[at + 6 + 8 * n : at + 14 + 8 * n], 16) for n in range(13)]
        size, name_size = fields[6], fields[11]
        start = at + 110 + name_size
        name = archive[at + 110 : start - 1].decode()
        if name == "TRAILER!!!":
            return found
        start += -start % 4
        found[name] = archive[start : start + size]
        at = start + size + -(start + size) % 4


def test_a_module_comes_after_what_it_needs() -> None:
    order = load_order(DEPENDENCIES, "kernel/drivers/virtio/virtio-pci.ko\n", ("virtio_pci", "virtio_blk", "ext4"))
    assert [module_name(path) for path in order] == ["virtio_blk", "crc16", "jbd2", "mbcache", "ext4"]


def test_an_archive_reads_back() -> None:
    entries = [("a", S_IFREG | 0o644, b"12345"), ("dir/long-name", S_IFREG | 0o755, b""), ("b", S_IFREG, b"x" * 8)]
    assert names(cpio_newc(entries)) == {"a": b"12345", "dir/long-name": b"", "b": b"x" * 8}


def test_modules_are_unpacked_and_listed_in_order() -> None:
    order = load_order(DEPENDENCIES, "", ("ext4",))
    found = names(build_initrd(b"busy", b"#!/bin/sh\n", order, lambda path: lzma.compress(path.encode())))
    assert found["modules/order"] == b"crc16.ko\njbd2.ko\nmbcache.ko\next4.ko\n"
    assert found["modules/ext4.ko"] == b"kernel/fs/ext4/ext4.ko.xz"
    assert found["bin/switch_root"] == b"busybox"


def test_a_dynamic_program_is_told_from_a_static_one() -> None:
    assert needs_interpreter(Path("/bin/sh").read_bytes())
    busybox = shutil.which("busybox")
    if busybox is None:
        pytest.skip("no busybox here")
    # Either may be installed; the kernel's loader is named in a dynamic one's header.
    content = Path(busybox).read_bytes()
    assert needs_interpreter(content) == (b"/lib64/ld-linux" in content[:4096])
