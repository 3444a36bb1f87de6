"""Runs a module in this process, as Ansible would: arguments in, the JSON that it prints out."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
from dataclasses import dataclass
from typing import Any

from ansible.module_utils.common import warnings
from ansible.module_utils.testing import patch_module_args

MODULES = "ansible_collections.sparkloom.cluster.plugins.modules"


@dataclass(frozen=True)
class Outcome:
    """What a module said; ``text`` is all of it, as Ansible and its logs would see it."""

    failed: bool
    result: dict[str, Any]
    text: str

    @property
    def changed(self) -> bool:
        return bool(self.result["changed"])

    @property
    def message(self) -> str:
        return str(self.result.get("msg", ""))

    @property
    def diff(self) -> tuple[str, str]:
        return self.result["diff"]["before"], self.result["diff"]["after"]


def run_module(name: str, arguments: dict[str, Any], *, check: bool = False) -> Outcome:
    """Run the module ``routeros_NAME``."""
    module = importlib.import_module(f"{MODULES}.routeros_{name}")
    printed, complained = io.StringIO(), io.StringIO()
    status: Any = None
    warnings._global_warnings.clear()  # A process runs one module, elsewhere.
    with (
        patch_module_args({**arguments, "_ansible_check_mode": check, "_ansible_diff": True}),
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(complained),
    ):
        try:
            module.main()
        except SystemExit as end:
            status = end.code
    text = printed.getvalue() + complained.getvalue()
    assert status is not None, f"routeros_{name} ended without a result: {text}"
    result = json.loads(printed.getvalue())
    assert result.get("failed", False) == bool(status)
    return Outcome(bool(status), result, text)
