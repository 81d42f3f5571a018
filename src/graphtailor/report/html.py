"""HTML pages from templates, complete in one file."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from graphtailor.diagnostics.formatting import (
    DARK_PALETTE,
    PALETTE,
    cluster_style,
    is_square,
    readable_number,
)


def render_page(template: str, **values: Any) -> str:
    """Fill a template of this package; all values are escaped.

    Parameters
    ----------
    template : str
        Name of the template's file.
    **values
        Values that the template shows.

    Returns
    -------
    str
        HTML that needs no other file.
    """
    return _environment().get_template(template).render(**values)


@cache
def _environment() -> Environment:
    # Cached: reading the templates takes longer than filling them.
    environment = Environment(
        loader=PackageLoader("graphtailor.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = readable_number
    environment.filters["cluster_style"] = cluster_style
    environment.tests["square"] = is_square
    environment.globals["palettes"] = (PALETTE, DARK_PALETTE)
    return environment
