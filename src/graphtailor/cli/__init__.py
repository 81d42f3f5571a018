"""The command line ``graphtailor``: it parses options, calls the library and prints."""

import signal
import sys
from collections.abc import Sequence
from importlib.util import find_spec

__all__ = ["main"]

# What the extra "cli" installs, by the names under which it is imported.
_PACKAGES = ("typer", "rich", "pandas", "pyarrow", "matplotlib", "jinja2", "openpyxl")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code.

    `arguments` come without the program's name; None takes those of the process.
    """
    # SIGTERM gets the same care as Ctrl-C: workers are ended, temporary files removed.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    missing = [package for package in _PACKAGES if find_spec(package) is None]
    if missing:
        sys.stderr.write(
            f"Error: the command line needs {', '.join(missing)}. "
            "Install it with: pip install 'graphtailor[cli]'\n"
        )
        sys.exit(2)
    try:
        # Ctrl-C may be pressed while modules are imported.
        from graphtailor.cli.app import run
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(run(arguments))
