"""TLS: verified by authority and name, and refused in words when either is not right."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from crs_certificates import Authority, make_authority

if TYPE_CHECKING:
    from conftest import ServedSwitch, ServeRack

TRUST = "set ca_path of the switch to the CA that signed it"


@pytest.fixture
def secure(serve_rack: ServeRack, authority: Authority) -> ServedSwitch:
    return serve_rack(context=authority.server_context("127.0.0.1", "crs812.lab"))["crs812"]


def test_a_certificate_of_the_given_authority_for_this_address_is_good(
    secure: ServedSwitch, authority: Authority
) -> None:
    trusted: dict[str, Any] = {"tls": True, "ca_path": str(authority.ca_path)}
    assert not secure.run("facts", **trusted).failed
    assert secure.run("ports", **trusted).changed
    assert not secure.run("ports", **trusted).changed


def test_another_authority_is_not_trusted(secure: ServedSwitch, tmp_path: Path) -> None:
    before = secure.export()
    outcome = secure.run("ports", tls=True, ca_path=str(make_authority(tmp_path).ca_path))
    assert outcome.failed
    assert f"the certificate of 127.0.0.1:{secure.port} is not trusted: " in outcome.message
    assert TRUST in outcome.message
    assert secure.export() == before


def test_without_a_ca_path_the_systems_authorities_count(secure: ServedSwitch) -> None:
    outcome = secure.run("facts", tls=True)
    assert outcome.failed
    assert "is not trusted: " in outcome.message
    assert TRUST in outcome.message


def test_a_certificate_for_another_address_is_refused(serve_rack: ServeRack, authority: Authority) -> None:
    switch = serve_rack(context=authority.server_context("10.0.0.2", "crs812.lab"))["crs812"]
    outcome = switch.run("facts", tls=True, ca_path=str(authority.ca_path))
    assert outcome.failed
    assert "certificate is not valid for '127.0.0.1'" in outcome.message
    assert "reach the switch by a name or address that is in the certificate" in outcome.message


def test_a_plain_port_is_not_taken_for_tls(switch: ServedSwitch, authority: Authority) -> None:
    outcome = switch.run("facts", tls=True, ca_path=str(authority.ca_path), timeout=1.0)
    assert outcome.failed
    assert "tls: false" in outcome.message or "api-ssl is enabled" in outcome.message


def test_a_tls_port_is_not_taken_for_a_plain_one(secure: ServedSwitch) -> None:
    outcome = secure.run("facts", tls=False, timeout=1.0)
    assert outcome.failed
    assert "no API answer from" in outcome.message


def test_a_switch_without_a_certificate_is_refused(serve_rack: ServeRack, authority: Authority) -> None:
    """RouterOS without a certificate offers anonymous ciphers alone; nobody verifies anything there."""
    anonymous = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    switch = serve_rack(context=anonymous)["crs812"]
    outcome = switch.run("facts", tls=True, ca_path=str(authority.ca_path))
    assert outcome.failed
    assert "does not speak TLS that can be verified" in outcome.message
    assert "give /ip/service api-ssl a certificate" in outcome.message


@pytest.mark.parametrize("content", [None, "", "no certificate"])
def test_a_ca_file_that_cannot_be_used_is_named(secure: ServedSwitch, tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    outcome = secure.run("facts", tls=True, ca_path=str(path))
    assert outcome.failed
    assert f"ca_path {path} cannot be used: " in outcome.message
