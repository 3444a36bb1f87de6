# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the documentation of every routeros module shares."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  host:
    description: Name or address at which the switch's API is reached.
    type: str
    required: true
  port:
    description: TCP port of the API. Left out, 8729 with O(tls) and 8728 without.
    type: int
  username:
    description: RouterOS user.
    type: str
    required: true
  password:
    description: The user's password; from Ansible Vault or the environment.
    type: str
    required: true
  tls:
    description:
      - Whether the API is spoken over TLS. Certificate and name are verified.
    type: bool
    default: true
  ca_path:
    description: File with the CA that signed the switch's certificate. Left out, the system's are used.
    type: path
  timeout:
    description: Seconds to wait for an answer.
    type: float
    default: 15.0
requirements:
  - librouteros >= 4.2
"""
