from __future__ import annotations

from ansible_collections.sparkloom.cluster.plugins.module_utils.node import perftest

# ib_write_bw of perftest 24.01 with --report_gbits, shortened.
OUTPUT = """
---------------------------------------------------------------------------------------
                    RDMA_Write BW Test
 Dual-port       : OFF\t\tDevice         : rocep1s0f1
 Mtu             : 4096[B]
 Link type       : Ethernet
 GID index       : 3
---------------------------------------------------------------------------------------
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 65536      5000             111.86             111.71 \t\t     0.213067
---------------------------------------------------------------------------------------
"""


def test_the_table_is_read_in_gigabits() -> None:
    assert perftest.parse(OUTPUT) == perftest.Bandwidth(65536, 5000, 111.86, 111.71)


def test_output_without_a_table_has_no_figure() -> None:
    assert perftest.parse("Couldn't connect to 192.168.100.12:12000\nUnable to open file descriptor") is None


def test_only_a_client_names_its_server() -> None:
    server = perftest.command("rocep1s0f1", 12000, 65536, 200, 3, None)
    client = perftest.command("rocep1s0f1", 12000, 65536, 200, 3, "192.168.100.12")
    assert client == [*server, "192.168.100.12"]
    assert client[client.index("-x") + 1] == "3"


def test_an_unknown_gid_index_is_left_to_perftest() -> None:
    assert "-x" not in perftest.command("rocep1s0f1", 12000, 65536, 200, None, None)
