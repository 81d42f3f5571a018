"""How far a benchmark is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Progress:
    """How far a benchmark is.

    Attributes
    ----------
    total : int
        Runs of the plan, as far as they are known.
    done, failed : int
        Runs that are stored, and those of them that are no result.
    fresh : int
        Runs that were made by this call.
    running : int
        Units being worked on.
    phase : {"search", "report"}
        What the runs are for.
    last : str
        What was finished last.
    last_failure : str
        The newest failure and its reason.
    """

    total: int = 0
    done: int = 0
    failed: int = 0
    fresh: int = 0
    running: int = 0
    phase: str = "search"
    last: str = ""
    last_failure: str = ""
    missing: dict[str, str] = field(default_factory=dict)


Watcher = Callable[[Progress], None]
