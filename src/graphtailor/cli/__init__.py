"""The command line ``graphtailor``: it parses, calls the library and draws."""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code.

    Parameters
    ----------
    arguments : sequence of str or None, default=None
        Without the program's name; None takes those of the process.
    """
    try:
        # Loading numerical libraries takes seconds, in which one may press Ctrl-C.
        from graphtailor.cli.app import run
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(run(arguments))
