"""Things named by a text such as "sklearn.cluster:Birch"."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any


def is_import_path(text: str) -> bool:
    """Whether the text has the form "module:name"."""
    module, colon, name = text.partition(":")
    return bool(module and colon and name.isidentifier())


@cache
def imported(path: str) -> Any:
    """The object at "module:name".

    Parameters
    ----------
    path : str
        Module and name, with a colon between them.

    Returns
    -------
    object
        The object.

    Examples
    --------
    >>> from graphtailor.bench.plan.import_path import imported
    >>> imported("sklearn.cluster:Birch").__name__
    'Birch'
    """
    module, _, name = path.partition(":")
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"{path!r} cannot be imported: {error}.") from error
