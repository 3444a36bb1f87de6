# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report as JUnit XML: a test case for each host and link that was judged, failed by the causes that concern it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.report.report import Report, clean


def render(report: Report) -> str:
    """Return the document; a cause stands in one case alone, and what follows from it in that case's output."""
    judgement = report.judgement
    suite = Element("testsuite", name=f"sparkloom {judgement['kind']} {clean(judgement['cluster'])}")
    suite.set("timestamp", str(judgement["taken_at"]).removesuffix("Z"))
    left = report.roots()
    for group, name, mine in _places(judgement):
        left = _case(suite, report, group, name, [one for one in left if mine(one)], left)
    for one in list(left):
        left = _case(suite, report, "rack", clean(one["where"]), [one], left)
    for change in report.changes:
        case = SubElement(suite, "testcase", classname="sparkloom.site", name=clean(f"{change.host}: {change.task}"))
        failure = SubElement(case, "failure", type="change", message="site.yml would change this")
        failure.text = clean(change.diff)
    _count(suite)
    indent(suite)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(suite, encoding="unicode")}\n'


def _places(judgement: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Yield what was judged: kind, name, and whether a finding is about it. Links first, as causes are."""
    rack = judgement["rack"]
    for cable in rack["cables"]:
        for link in cable["links"]:
            titles = set(link["findings"])
            yield "links", link["name"], lambda one, titles=titles: one["title"] in titles
    for kind in ("switches", "nodes"):
        for host in rack[kind]:
            yield kind, host["name"], lambda one, name=host["name"]: one["hosts"][:1] == [name]


def _case(
    suite: Element,
    report: Report,
    group: str,
    name: str,
    findings: list[Mapping[str, Any]],
    left: list[Mapping[str, Any]],
) -> list[Mapping[str, Any]]:
    """Add a case with its findings, and return the findings that are left."""
    case = SubElement(suite, "testcase", classname=f"sparkloom.{group}", name=clean(name))
    for one in findings:
        tag = {"fail": "failure", "warn": "failure", "unknown": "error"}[one["severity"]]
        message = clean(f"{one['title']}: {one['problem']}", 300)
        entry = SubElement(case, tag, type=f"{one['code']} {one['severity']}", message=message)
        entry.text = _text(one)
    following = [
        f"{clean(other['title'])}: {clean(other['problem'])}"
        for one in findings
        for other in report.consequences(one["title"])
    ]
    if following:
        SubElement(case, "system-out").text = "\n".join(["follows:", *following])
    return [one for one in left if one not in findings]


def _text(finding: Mapping[str, Any]) -> str:
    labels = (("expected", "expected"), ("seen", "actual"), ("cause", "cause"), ("do", "remedy"))
    return "\n".join(f"{label}: {clean(finding[key])}" for label, key in labels if finding.get(key))


def _count(suite: Element) -> None:
    cases = suite.findall("testcase")
    suite.set("tests", str(len(cases)))
    for tag, name in (("failure", "failures"), ("error", "errors")):
        suite.set(name, str(sum(1 for case in cases if case.find(tag) is not None)))
    suite.set("skipped", "0")
