#!/usr/bin/python
# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: node_files
short_description: Write the files of one concern in one call
version_added: 0.1.0
description:
  - Makes many files what they shall be, each whole or as a managed block of a file that is otherwise
    kept, and shows one difference for each.
  - A file is replaced at once (a temporary file beside it, renamed), so a reader never sees half of it.
  - A symbolic link is never written through; one on the way that belongs to root is resolved.
  - Everything is planned before the first file is written.
author: Sparkloom developers (@sparkloom)
options:
  files:
    description: The files. Several entries may name blocks of the same file.
    type: list
    elements: dict
    required: true
    suboptions:
      path:
        description: Absolute path of the file.
        type: str
        required: true
      content:
        description: Text of the file, or of the block.
        type: str
        default: ""
      mode:
        description:
          - Octal mode as a string, such as V("0644").
          - Without it an existing file keeps its own and a new one gets V(0644).
        type: str
      owner:
        description: Owner; without it an existing file keeps its own.
        type: str
      group:
        description: Group; without it an existing file keeps its own.
        type: str
      state:
        description: Whether the file, or the block, is there.
        type: str
        choices: [present, absent]
        default: present
      block:
        description:
          - Name of a managed block. The content then stands between C(# BEGIN sparkloom NAME) and
            C(# END sparkloom NAME), at its old place or at the end.
        type: str
      remove_lines:
        description: Regular expressions of lines to remove outside the block; for entries with O(files[].block).
        type: list
        elements: str
        default: []
      sensitive:
        description: Whether the difference hides the text.
        type: bool
        default: false
  make_parents:
    description: Whether missing folders are made (mode 0755); otherwise a missing folder is an error.
    type: bool
    default: false
attributes:
  check_mode:
    description: Can run in check mode and predicts the change without making it.
    support: full
  diff_mode:
    description: Shows one difference for each file.
    support: full
"""

EXAMPLES = r"""
- name: Name every node in /etc/hosts
  sparkloom.cluster.node_files:
    files:
      - path: /etc/hosts
        block: hosts
        content: |
          10.83.0.11 spark-1
          10.83.0.12 spark-2
        remove_lines: ['^127\.0\.1\.1\s+spark-1$']
"""

RETURN = r"""
paths:
  description: Files that changed, or would change.
  returned: always
  type: list
  elements: str
"""

import re
from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.sparkloom.cluster.plugins.module_utils.node import filesystem
from ansible_collections.sparkloom.cluster.plugins.module_utils.node.files import Change, FileError, Wanted, plan

ARGUMENTS: dict[str, Any] = {
    "files": {
        "type": "list",
        "elements": "dict",
        "required": True,
        "options": {
            "path": {"type": "str", "required": True},
            "content": {"type": "str", "default": ""},
            "mode": {"type": "str"},
            "owner": {"type": "str"},
            "group": {"type": "str"},
            "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
            "block": {"type": "str"},
            "remove_lines": {"type": "list", "elements": "str", "default": []},
            "sensitive": {"type": "bool", "default": False},
        },
    },
    "make_parents": {"type": "bool", "default": False},
}

MODE = re.compile(r"0?[0-7]{3,4}")


def wanted(entry: dict[str, Any]) -> Wanted:
    """Read one entry; what no file could be made of is refused in words."""
    path, mode = entry["path"], entry["mode"]
    if not path.startswith("/"):
        raise FileError(f"{path}: an absolute path is needed")
    if mode is not None and not MODE.fullmatch(mode):
        raise FileError(f"{path}: the mode '{mode}' is not octal; quote it, as in \"0644\"")
    if entry["remove_lines"] and entry["block"] is None:
        raise FileError(f"{path}: remove_lines needs a block; a whole file has its lines in content")
    try:
        re.compile("|".join(f"(?:{pattern})" for pattern in entry["remove_lines"]))
    except re.error as error:
        raise FileError(f"{path}: remove_lines holds what is no regular expression: {error}") from error
    return Wanted(
        path=path,
        content=entry["content"],
        mode=None if mode is None else int(mode, 8),
        owner=entry["owner"],
        group=entry["group"],
        present=entry["state"] == "present",
        block=entry["block"],
        remove_lines=tuple(entry["remove_lines"]),
        sensitive=entry["sensitive"],
    )


def refuse_missing_folders(changes: list[Change]) -> None:
    """Refuse before the first write what would fail at a later one."""
    missing = [change.path for change in changes if change.after is not None and not Path(change.path).parent.is_dir()]
    if missing:
        raise FileError(f"the folders of {', '.join(missing)} do not exist; make_parents makes them")


def main() -> None:
    module = AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True)
    try:
        entries = [wanted(entry) for entry in module.params["files"]]
        changes = plan(entries, {entry.path: filesystem.read(entry.path) for entry in entries})
        # In check mode a folder may be what an earlier task would have made.
        if not module.params["make_parents"] and not module.check_mode:
            refuse_missing_folders(changes)
        for change in changes if not module.check_mode else []:
            filesystem.make_parents(change.path)
            filesystem.apply(change)
    except FileError as error:
        module.fail_json(msg=str(error))
    module.exit_json(
        changed=bool(changes),
        paths=[change.path for change in changes],
        diff=[entry for change in changes for entry in change.diff()],
    )


if __name__ == "__main__":
    main()
