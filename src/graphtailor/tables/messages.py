"""Words for what is wrong with a table, and what to do about it."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterable, Sequence

_MOST_NAMES = 6
_LIKENESS = 0.7


def listed(names: Iterable[str]) -> str:
    """Names in quotes, the first few of them.

    Examples
    --------
    >>> listed(["a", "b"])
    "'a', 'b'"
    >>> listed("abcdefgh")
    "'a', 'b', 'c', 'd', 'e', 'f' and 2 more"
    """
    names = list(names)
    shown = ", ".join(repr(str(name)) for name in names[:_MOST_NAMES])
    more = len(names) - _MOST_NAMES
    return f"{shown} and {more} more" if more > 0 else shown


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The nearest known name as a question with a space before it, or nothing.

    Examples
    --------
    >>> did_you_mean("wnie", ["iris", "wine"])
    " Did you mean 'wine'?"
    """
    by_lower = {str(each).lower(): str(each) for each in known}
    near = difflib.get_close_matches(str(name).lower(), by_lower, n=1, cutoff=_LIKENESS)
    return f" Did you mean {by_lower[near[0]]!r}?" if near else ""


def drop_options(names: Sequence[str]) -> str:
    """The options that leave columns out, ready to be pasted into a shell.

    Examples
    --------
    >>> drop_options(["city", "first name"])
    "--drop city --drop 'first name'"
    """
    shown = " ".join(f"--drop {shlex.quote(name)}" for name in names[:_MOST_NAMES])
    return f"{shown} ..." if len(names) > _MOST_NAMES else shown
