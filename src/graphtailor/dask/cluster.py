"""Start or join a Dask cluster, and recognise Dask collections; Dask is optional."""

from __future__ import annotations

import errno
import logging
import warnings
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # Dask is optional
    from distributed import Client

_LOCAL = "local:"
_LOOPBACK = "127.0.0.1"


def is_dask(X: object) -> bool:
    """Whether X is a Dask collection; Dask is not imported to find out."""
    return type(X).__module__.startswith("dask.")


@contextmanager
def dask_client(address: str) -> Iterator[Client]:
    """A client of the cluster at an address, or of a new one on this machine."""
    try:
        from distributed import Client, LocalCluster

        import dask
    except ImportError as error:
        raise ValueError(
            "A Dask cluster needs the package distributed: "
            "pip install 'graphtailor[dask]'."
        ) from error
    if address.startswith(_LOCAL):
        with (
            LocalCluster(
                n_workers=_n_workers(address),
                threads_per_worker=1,
                # Dask checks no password, so that only this machine may connect. The
                # scheduler's HTTP server always starts; given no address, it would
                # take the fixed port 8787 and warn where that is in use.
                host=_LOOPBACK,
                scheduler_kwargs={
                    "dashboard": False,
                    "dashboard_address": f"{_LOOPBACK}:0",
                },
            ) as cluster,
            Client(cluster) as client,
        ):
            try:
                yield client
            finally:
                # On a busy machine workers end late and are killed, which is no matter.
                logging.getLogger("distributed.nanny").setLevel(logging.ERROR)
        return
    # A client whose scheduler has died stays Dask's default; this restores the former.
    with dask.config.set(scheduler=dask.config.get("scheduler", None)):
        try:
            client = Client(address, timeout="20s")
        except (OSError, ValueError) as error:
            raise ValueError(
                f"No Dask scheduler answers at {address!r}: {error}"
            ) from error
        with client:
            _check_workers(client, address)
            try:
                yield client
            except CancelledError as error:
                _let_go(client)
                reason = (
                    "the connection to the scheduler is lost. Results that were stored "
                    "are kept. Start the cluster again, and then the same command"
                )
                raise OSError(errno.ECONNRESET, reason, address) from error


def _let_go(client: Client) -> None:
    """Close the client of a scheduler that has died."""
    # By default the client waits for the scheduler to return, and logs every attempt.
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
    with suppress(Exception):
        client.close(timeout=1)


def _n_workers(address: str) -> int:
    count = address.removeprefix(_LOCAL)
    if not count.isdecimal() or int(count) < 1:
        raise ValueError(
            f"{address!r} is not a cluster: 'local:' must be followed by the number of "
            "workers, for instance local:4."
        )
    return int(count)


def _check_workers(client: Client, address: str) -> None:
    threads = client.nthreads()
    if not threads:
        raise ValueError(
            f"The cluster at {address!r} has no workers. Start some first."
        )
    if max(threads.values()) > 1:
        warnings.warn(
            "Some workers of the cluster have several threads, which share one memory "
            "limit and slow each other down. Start them with --nthreads 1.",
            UserWarning,
            stacklevel=4,
        )
