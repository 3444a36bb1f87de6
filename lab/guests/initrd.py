"""The guests' initial ramdisk: a static busybox, the few modules that find the disk, and our own ``init``.

Debian's own is seven times larger, and an emulated CPU unpacks it at every boot.
"""

from __future__ import annotations

import lzma
import struct
from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePosixPath
from stat import S_IFDIR, S_IFLNK, S_IFREG

# ext4 asks the kernel for crc32c by name, which modules.dep does not tell.
MODULES = ("virtio_pci", "virtio_blk", "crc32c_generic", "ext4")
APPLETS = ("sh", "mount", "insmod", "sleep", "grep", "echo", "poweroff", "chroot", "switch_root")
_DIRECTORIES = ("bin", "dev", "proc", "sys", "modules", "root")
_ALIGNMENT = 4
_PT_INTERP = 3


def module_name(path: str) -> str:
    """Return the kernel's name of a module file: ``kernel/fs/ext4/ext4.ko.xz`` is ``ext4``."""
    return PurePosixPath(path).name.split(".")[0].replace("-", "_")


def load_order(dependencies: str, builtin: str, wanted: Iterable[str]) -> list[str]:
    """Return the module files to load, each after what it needs; the arguments are modules.dep and modules.builtin."""
    needs = {
        path: rest.split() for path, _, rest in (line.partition(":") for line in dependencies.splitlines()) if path
    }
    files = {module_name(path): path for path in needs}
    in_kernel = {module_name(path) for path in builtin.splitlines() if path}
    order: list[str] = []

    def add(path: str) -> None:
        for need in needs[path]:
            if need not in order:
                add(need)
        if path not in order:
            order.append(path)

    for name in wanted:
        if name not in in_kernel:
            add(files[name])
    return order


def needs_interpreter(elf: bytes) -> bool:
    """Return whether a 64-bit ELF program is dynamic, that is, has a PT_INTERP header."""
    (table,) = struct.unpack_from("<Q", elf, 32)
    size, count = struct.unpack_from("<HH", elf, 54)
    return any(struct.unpack_from("<I", elf, table + n * size)[0] == _PT_INTERP for n in range(count))


def cpio_newc(entries: Iterable[tuple[str, int, bytes]]) -> bytes:
    """Return a cpio archive, as the kernel reads it, of (name, mode, content), all of root's."""
    archive = bytearray()

    def pad() -> None:
        archive.extend(b"\0" * (-len(archive) % _ALIGNMENT))

    for inode, (name, mode, content) in enumerate((*entries, ("TRAILER!!!", 0, b"")), start=1):
        encoded = name.encode() + b"\0"
        fields = (inode, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(encoded), 0)
        archive.extend(b"070701" + b"".join(b"%08x" % value for value in fields) + encoded)
        pad()
        archive.extend(content)
        pad()
    return bytes(archive)


def build_initrd(busybox: bytes, init: bytes, order: Iterable[str], read_module: Callable[[str], bytes]) -> bytes:
    """Return the initial ramdisk; ``read_module`` reads a file named in modules.dep."""
    modules: Mapping[str, bytes] = {module_name(path) + ".ko": _unpack(path, read_module(path)) for path in order}
    return cpio_newc(
        [
            *((name, S_IFDIR | 0o755, b"") for name in _DIRECTORIES),
            ("bin/busybox", S_IFREG | 0o755, busybox),
            *((f"bin/{applet}", S_IFLNK | 0o777, b"busybox") for applet in APPLETS),
            *((f"modules/{name}", S_IFREG | 0o644, content) for name, content in modules.items()),
            ("modules/order", S_IFREG | 0o644, "".join(f"{name}\n" for name in modules).encode()),
            ("init", S_IFREG | 0o755, init),
        ]
    )


def _unpack(path: str, content: bytes) -> bytes:
    # busybox' insmod passes the file to the kernel as it is.
    return lzma.decompress(content) if path.endswith(".xz") else content
