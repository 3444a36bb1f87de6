"""Reports: the same judgement on a terminal, as JUnit and for Prometheus; whatever a host says, none of them breaks."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.judgement import Use
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.judgement import judge as judge_evidence
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.report import junit, prometheus, terminal
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.report.files import write
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.report.report import Change, Report, clean, diff_text
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.report.terminal import Look
from seen_rack import Rack, declared

HOSTILE = '\x1b[2J\x07]]>&<"\'\u202e\x00\nname{a="b"} 1'


def report_of(rack: Rack, use: Use = "doctor", *changes: Change) -> Report:
    judgement, _findings = judge_evidence(use, "spark8", declared(rack.plan), rack.evidence)
    return Report(judgement, changes)


def qsfp28(rack: Rack) -> Rack:
    rack.monitor("crs812", "qsfp56-1-1", rate="100Gbps", sfp_encoding="nrz", sfp_type="QSFP28")
    for rail in "AB":
        rack.rail("spark-3", rail)["speed_mbps"] = 100000
    for node in rack.evidence.nodes.values():
        for row in node.parts["bandwidth"]:
            if node.parts is rack.node("spark-3") or row["partner"] == "spark-3":
                row["average_gbps"] = 50.0
    return rack


def test_a_rack_in_order(rack: Rack) -> None:
    report = report_of(rack)
    assert (report.verdict, report.exit_code) == ("ok", 0)
    text = terminal.render(report)
    assert "✓ spark8: in order  (doctor)" in text
    assert "8 nodes, 2 switches and 9 links are as declared" in text
    assert "10 of 10 hosts answered" in text


def test_a_cause_comes_with_what_follows_from_it_and_what_to_do(rack: Rack) -> None:
    report = report_of(qsfp28(rack))
    assert report.exit_code == 1
    text = terminal.render(report, Look(100))
    assert "✗ spark8: 1 failure (4 more follow from these)" in text
    assert "✗ FAIL  SL201 cable 200g-dac between crs812/qsfp56-1 and spark-3/1" in text
    assert text.index("SL201") < text.index("follows") < text.index("SL407")
    assert "do       buy a QSFP56" in text
    assert max(len(line) for line in text.splitlines()) <= 100


def test_many_consequences_are_counted_by_kind(rack: Rack) -> None:
    rack.silence("spark-3")
    text = terminal.render(report_of(rack), Look(90))
    assert "SL307 frames of the fabric's MTU do not pass: 7 times" in text or "SL501" in text
    assert len(text.splitlines()) < 40


@pytest.mark.parametrize("width", [1, 50, 80, 400])
def test_it_fits_the_terminal(rack: Rack, width: int) -> None:
    text = terminal.render(report_of(qsfp28(rack)), Look(width))
    longest_word = 45
    assert max(len(line) for line in text.splitlines()) <= max(50, min(width, 110)) + longest_word


def test_colours_come_only_when_wanted(rack: Rack) -> None:
    report = report_of(qsfp28(rack))
    assert "\033[" not in terminal.render(report)
    coloured = terminal.render(report, Look(100, colour=True))
    assert "\033[1;31m" in coloured


def test_open_questions_are_said_and_exit_with_2(rack: Rack) -> None:
    rack.without("spark-5", clock="chronyc did not answer within 5 s")
    report = report_of(rack)
    assert (report.verdict, report.exit_code) == ("unknown", 2)
    text = terminal.render(report)
    assert "? spark8: could not tell" in text
    assert "? UNKNOWN  SL002 spark-5" in text


def test_changes_of_the_main_job_are_findings_of_a_drift_run(rack: Rack) -> None:
    change = Change("spark-1", "nccl : Write the environment", "-NCCL_NET=Socket\n+NCCL_NET=IB")
    report = report_of(rack, "drift", change, Change("spark-2", change.task, change.diff))
    assert (report.verdict, report.exit_code) == ("findings", 1)
    text = terminal.render(report)
    assert "2 changes that site.yml would make" in text
    assert "~ spark-1, spark-2: nccl : Write the environment" in text
    assert "      +NCCL_NET=IB" in text
    assert report.to_dict()["changes"][0] == {"host": "spark-1", "task": change.task, "diff": change.diff}


def cases(report: Report) -> dict[str, ET.Element]:
    suite = ET.fromstring(junit.render(report))  # noqa: S314 - our own document.
    found = {f"{case.get('classname')}/{case.get('name')}": case for case in suite.findall("testcase")}
    assert len(found) == int(suite.get("tests", "0")), "two cases have one name"
    return found


def test_junit_has_a_case_for_every_link_and_host(rack: Rack) -> None:
    found = cases(report_of(rack))
    assert len(found) == 9 + 2 + 8
    assert not any(len(case) for case in found.values())


def test_junit_fails_the_link_that_is_the_cause(rack: Rack) -> None:
    found = cases(report_of(qsfp28(rack)))
    bad = {name: case for name, case in found.items() if len(case)}
    assert list(bad) == ["sparkloom.links/crs812/qsfp56-1-1 = spark-3/1"]
    failure = bad["sparkloom.links/crs812/qsfp56-1-1 = spark-3/1"].find("failure")
    assert failure is not None
    assert failure.get("type") == "SL201 fail"
    assert "do: buy a QSFP56" in (failure.text or "")


def test_junit_tells_an_open_question_from_a_failure(rack: Rack) -> None:
    rack.without("spark-5", clock="no answer")
    case = cases(report_of(rack))["sparkloom.nodes/spark-5"]
    assert [entry.tag for entry in case] == ["error"]


def metrics(report: Report) -> dict[str, float]:
    found = {}
    for line in prometheus.render(report).splitlines():
        if not line.startswith("#"):
            name, value = line.rsplit(" ", 1)
            assert name not in found
            found[name] = float(value)
    return found


def test_prometheus_knows_links_findings_and_counters(rack: Rack) -> None:
    found = metrics(report_of(qsfp28(rack)))
    assert found['sparkloom_verdict{cluster="spark8"}'] == 1
    link = 'cluster="spark8",link="crs812/qsfp56-1-1 = spark-3/1"'
    assert found[f"sparkloom_link_rate_gbps{{{link}}}"] == 100
    assert found[f"sparkloom_link_expected_gbps{{{link}}}"] == 200
    assert found[f"sparkloom_link_up{{{link}}}"] == 0
    assert found['sparkloom_rs_fec_uncorrected_total{cluster="spark8",switch="crs804",port="qsfp56-dd-2-1"}'] == 0
    assert found['sparkloom_carrier_changes_total{cluster="spark8",node="spark-1",interface="enp1s0f1np1"}'] == 2
    assert found['sparkloom_last_run_timestamp_seconds{cluster="spark8"}'] == 1796090400


def test_every_metric_has_help_and_type_before_its_samples(rack: Rack) -> None:
    seen: set[str] = set()
    for line in prometheus.render(report_of(qsfp28(rack))).splitlines():
        if line.startswith("# TYPE "):
            seen.add(line.split()[2])
        elif not line.startswith("#"):
            assert line.split("{")[0] in seen


@pytest.mark.parametrize("hostile", [HOSTILE, "x" * 100_000])
def test_what_a_host_says_breaks_no_report(rack: Rack, hostile: str, tmp_path: Path) -> None:
    rack.node("spark-4")["environment"]["NCCL_NET"] = hostile[:4000]
    rack.without("spark-5", clock=hostile)
    rack.cut_paths("spark-6", "spark-7", error=hostile)
    report = report_of(rack, "drift", Change(hostile, hostile, diff_text({"before": "", "after": hostile})))
    text = terminal.render(report)
    assert "\x1b" not in text
    assert "\x00" not in text
    cases(report)
    metrics(report)
    write(report, tmp_path / "spark8", ["json", "junit", "prometheus"])
    assert json.loads((tmp_path / "spark8/report.json").read_text())["verdict"] == "findings"


def test_files_are_whole_private_and_replaced(rack: Rack, tmp_path: Path) -> None:
    folder = tmp_path / "reports/spark8"
    for _run in range(2):
        paths = write(report_of(rack), folder, ["json", "junit", "prometheus"])
    assert sorted(path.name for path in folder.iterdir()) == ["junit.xml", "report.json", "sparkloom.prom"]
    assert stat.S_IMODE(Path(paths["json"]).stat().st_mode) == 0o600
    assert stat.S_IMODE(Path(paths["prometheus"]).stat().st_mode) == 0o644


@pytest.mark.parametrize(
    ("diff", "text"),
    [
        ({"before": "a\nb\n", "after": "a\nc\n"}, "@@ -1,2 +1,2 @@\n a\n-b\n+c"),
        ({"before": {"mtu": 1500}, "after": {"mtu": 9000}}, "@@ -1 +1 @@\n-mtu: 1500\n+mtu: 9000"),
        ({"before": "", "after": "x", "after_header": "/etc/a"}, "# /etc/a\n@@ -0,0 +1 @@\n+x"),
        ({"prepared": "one\ntwo"}, "one\ntwo"),
        ([{"before": "a", "after": "a"}], ""),
        (None, ""),
        (["nonsense"], ""),
    ],
)
def test_diffs(diff: Any, text: str) -> None:
    assert diff_text(diff) == text


def test_a_long_diff_is_cut_and_says_so() -> None:
    text = diff_text({"before": "", "after": "\n".join(map(str, range(500)))})
    assert len(text.splitlines()) == 41
    assert text.endswith("more lines")


def test_clean_keeps_what_people_write() -> None:
    assert clean("µ — 200G ✓\nü") == "µ — 200G ✓\nü"
