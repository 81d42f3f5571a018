"""Names in a plan that are not known."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from graphtailor.tables.messages import did_you_mean


def refuse_unknown(
    entry: Mapping[str, Any], known: Collection[str], where: str
) -> None:
    """Raise a ValueError that names the first key that is not known."""
    for key in entry:
        if key not in known:
            raise ValueError(f"{where}: {unknown(key, known)}")


def unknown(name: Any, known: Collection[str]) -> str:
    """Say that a name is not known, what it may have meant, and what is known."""
    return (
        f"{name!r} is not known.{did_you_mean(str(name), known)} Known: "
        + ", ".join(known)
    )
