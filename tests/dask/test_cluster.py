"""A local cluster can be reached from this machine only."""

import pytest

from graphtailor.dask.cluster import dask_client

pytest.importorskip("distributed")
psutil = pytest.importorskip("psutil")


def listening_hosts() -> set[str]:
    """Hosts on which this process and its children accept connections."""
    me = psutil.Process()
    return {
        connection.laddr.ip
        for process in (me, *me.children(recursive=True))
        for connection in process.net_connections("inet")
        if connection.status == psutil.CONN_LISTEN
    }


def test_a_local_cluster_listens_on_loopback_only() -> None:
    with dask_client("local:1") as client:
        assert listening_hosts() == {"127.0.0.1"}
        assert client.scheduler.address.startswith("tcp://127.0.0.1:")


@pytest.mark.parametrize("address", ["local:", "local:0", "local:x"])
def test_a_local_cluster_needs_a_number_of_workers(address: str) -> None:
    with (
        pytest.raises(ValueError, match="number of workers"),
        dask_client(address),
    ):
        pass
