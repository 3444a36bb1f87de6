# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading and writing files of a node: atomically, and never through somebody's symlink.

Modules run as root and write into homes. A user who puts a symlink where a file is
expected must not gain a write elsewhere, so each folder is opened from the one above it
without following links; only links that belong to root (/lib) are resolved.
"""

from __future__ import annotations

import errno
import grp
import os
import pwd
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ansible_collections.sparkloom.cluster.plugins.module_utils.node.files import Actual, Change, FileError

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def _resolve(folder: Path) -> Path:
    """Return ``folder`` with root's symlinks resolved; anybody else's is a fault."""
    done = Path(folder.anchor)
    for part in folder.parts[1:]:
        step = done / part
        try:
            found = step.lstat()
        except FileNotFoundError:
            done = step
            continue
        if not stat.S_ISLNK(found.st_mode):
            done = step
            continue
        if found.st_uid != 0:
            raise FileError(f"{folder}: {step} is a symbolic link of a user; it is not followed")
        done = Path(os.path.realpath(step))
    return done


@contextmanager
def opened(folder: str | Path) -> Iterator[int]:
    """Open a folder, link by link; the descriptor is closed at the end."""
    path = Path(folder)
    if not path.is_absolute() or ".." in path.parts:
        raise FileError(f"{folder}: an absolute path without '..' is needed")
    resolved = _resolve(path)
    current = os.open(resolved.anchor, _FOLDER)
    try:
        for part in resolved.parts[1:]:
            below = os.open(part, _FOLDER, dir_fd=current)
            os.close(current)
            current = below
        yield current
    except NotADirectoryError as error:
        raise FileError(f"{folder} is not a folder") from error
    finally:
        os.close(current)


def user_name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def group_name(gid: int) -> str:
    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)


def user_id(name: str | None) -> int:
    """Return the id of a user by name or number; -1 (leave it) for None."""
    if name is None:
        return -1
    try:
        return int(name) if name.isdigit() else pwd.getpwnam(name).pw_uid
    except KeyError as error:
        raise FileError(f"there is no user {name} on this node") from error


def group_id(name: str | None) -> int:
    """Return the id of a group by name or number; -1 (leave it) for None."""
    if name is None:
        return -1
    try:
        return int(name) if name.isdigit() else grp.getgrnam(name).gr_gid
    except KeyError as error:
        raise FileError(f"there is no group {name} on this node") from error


def read(path: str | Path) -> Actual:
    """Return a file's text and attributes; an absent one is an empty Actual."""
    where = Path(path)
    try:
        with opened(where.parent) as folder:
            descriptor = os.open(where.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except FileNotFoundError:
        return Actual()
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise FileError(f"{path} is a symbolic link; it is not followed") from error
        raise FileError(f"{path}: {error.strerror}") from error
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise FileError(f"{path} is not a regular file")
        # Bytes that are no UTF-8 survive a round trip: the file belongs to its owner.
        text = file.read().decode("utf-8", errors="surrogateescape")
    return Actual(text, stat.S_IMODE(found.st_mode), user_name(found.st_uid), group_name(found.st_gid))


def make_folder(path: str | Path, mode: int = 0o755, owner: str | None = None, group: str | None = None) -> None:
    """Make a folder and those above it; ``mode`` and owner are for the last, also where it exists."""
    where = Path(path)
    for step in [*reversed(where.parents), where][1:]:
        with opened(step.parent) as above:
            try:
                os.mkdir(step.name, 0o755 if step != where else mode, dir_fd=above)
            except FileExistsError:
                continue
    with opened(where) as folder:
        os.fchmod(folder, mode)
        os.fchown(folder, user_id(owner), group_id(group))


def make_parents(path: str | Path) -> None:
    """Make the folders above a file, as they are missing; existing ones stay as they are."""
    folder = Path(path).parent
    if not folder.exists():
        make_folder(folder)


def _write_all(descriptor: int, text: str) -> None:
    with os.fdopen(descriptor, "wb", closefd=False) as file:
        file.write(text.encode("utf-8", errors="surrogateescape"))
        file.flush()
        os.fsync(descriptor)


def _rename(folder: int, temporary: str, name: str, text: str) -> None:
    try:
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError as error:
        if error.errno != errno.EBUSY:
            raise
        # A file that is itself a mount point (a container's /etc/hosts) cannot be replaced.
        descriptor = os.open(name, os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        try:
            _write_all(descriptor, text)
        finally:
            os.close(descriptor)
        os.unlink(temporary, dir_fd=folder)


def apply(change: Change) -> None:
    """Carry out one change; a reader sees the old file or the new one, never half of it."""
    where = Path(change.path)
    owner = user_id(change.owner or change.before.owner)
    group = group_id(change.group or change.before.group)
    try:
        with opened(where.parent) as folder:
            if change.after is None:
                os.unlink(where.name, dir_fd=folder)
            else:
                temporary = f".{where.name}.sparkloom-{os.getpid()}"
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
                descriptor = os.open(temporary, flags, 0o600, dir_fd=folder)
                try:
                    os.fchown(descriptor, owner, group)
                    os.fchmod(descriptor, change.mode)
                    _write_all(descriptor, change.after)
                    _rename(folder, temporary, where.name, change.after)
                except BaseException:
                    _forget(folder, temporary)
                    raise
                finally:
                    os.close(descriptor)
            os.fsync(folder)
    except FileNotFoundError as error:
        raise FileError(f"{change.path}: the folder {where.parent} does not exist") from error
    except OSError as error:
        raise FileError(f"{change.path}: {error.strerror}") from error


def _forget(folder: int, name: str) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return
