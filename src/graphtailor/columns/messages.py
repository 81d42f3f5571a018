"""Messages about tables, in the words of Python and in those of the command line."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterable, Sequence
from typing import Any, Self

_MOST_NAMES = 6
_LIKENESS = 0.7

# Arguments of read_table, as Python and as the command line write them.
_ARGUMENTS = {
    "source": ("source", "DATA"),
    "label": ("label", "--label"),
    "id": ("id", "--id"),
    "known": ("known", "--known"),
    "columns": ("columns", "--columns"),
    "drop": ("drop", "--drop"),
    "categorical": ("categorical", "--categorical"),
    "numeric": ("numeric", "--numeric"),
    "scale": ("scale", "--scale"),
    "minmax": ("scale='minmax'", "--scale minmax"),
    "delimiter": ("delimiter", "--delimiter"),
    "sheet": ("sheet", "--sheet"),
    "no_header": ("header=False", "--no-header"),
}
_IN_PYTHON = {name: words[0] for name, words in _ARGUMENTS.items()}
_IN_COMMAND = {name: words[1] for name, words in _ARGUMENTS.items()}


class Message(str):
    """A message that names arguments of :func:`graphtailor.tables.read_table`.

    The text is in the words of Python. `for_command` is the same message in the words
    of the command line. In the template ``{about}`` stands for an argument,
    ``{dropped}`` for columns to leave out, and other names in braces for values.

    Examples
    --------
    >>> message = Message("{label}: there is no column {name!r}.", name="x")
    >>> print(message)
    label: there is no column 'x'.
    >>> print(message.for_command)
    --label: there is no column 'x'.
    """

    for_command: str

    def __new__(
        cls,
        template: str,
        *,
        about: str = "source",
        dropped: Sequence[str] = (),
        **values: Any,
    ) -> Self:
        left_out = {"dropped": f"drop=[{listed(dropped)}]"}
        python = {**_IN_PYTHON, "about": _IN_PYTHON[about], **left_out, **values}
        message = super().__new__(cls, template.format(**python))
        options = {"dropped": drop_options(dropped)}
        command = {**_IN_COMMAND, "about": _IN_COMMAND[about], **options, **values}
        message.for_command = template.format(**command)
        return message

    @classmethod
    def of_error(cls, error: ValueError, source: str) -> Self | None:
        """What is wrong with a table, with the name of its source; else None."""
        python, command = str(error), command_words(error)
        head, _, reason = python.partition(": ")
        if head != _IN_PYTHON["source"]:
            return None
        which = "" if source in reason else f"{source}: "
        message = cls("{source}: {which}{reason}", which=which, reason=reason)
        reason = command.partition(": ")[2]
        message.for_command = f"{_IN_COMMAND['source']}: {which}{reason}"
        return message


def command_words(message: str | BaseException) -> str:
    """A message, or that of an error, in the words of the command line.

    Examples
    --------
    >>> command_words(ValueError(Message("{scale}: unknown.")))
    '--scale: unknown.'
    >>> command_words(ValueError("scale: unknown."))
    'scale: unknown.'
    """
    text = str(message)
    if isinstance(message, BaseException) and len(message.args) == 1:
        message = message.args[0]
    return message.for_command if isinstance(message, Message) else text


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
