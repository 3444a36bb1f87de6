# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the documentation of every module that only looks has in common."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
attributes:
  check_mode:
    description: Reads only, so it does the same in check mode.
    support: full
  diff_mode:
    description: Changes nothing, so it has no difference to show.
    support: none
"""
