"""Self-contained HTML pages from templates."""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from matplotlib.figure import Figure


def render_page(template: str, **values: Any) -> str:
    """Fill a template of this package; all values are escaped.

    Parameters
    ----------
    template : str
        Name of the template's file.
    **values
        What it shows.

    Returns
    -------
    str
        HTML that needs no other file.
    """
    environment = Environment(
        loader=PackageLoader("graphtailor.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = readable_number
    return environment.get_template(template).render(**values)


def picture_uri(figure: Figure, dpi: int = 130) -> str:
    """A figure as a PNG image inside an address."""
    content = BytesIO()
    figure.savefig(content, format="png", dpi=dpi, bbox_inches="tight")
    return "data:image/png;base64," + b64encode(content.getvalue()).decode("ascii")


def readable_number(value: float) -> str:
    """Four significant digits, without an exponent where that is readable.

    Examples
    --------
    >>> [readable_number(v) for v in (0.123456, 17, 1234567.0, 0, 2.5e-7)]
    ['0.1235', '17', '1,234,567', '0', '2.5e-07']
    """
    if abs(value) >= 1000 or value == int(value):
        return f"{value:,.0f}" if abs(value) < 1e12 else f"{value:.4g}"
    return f"{value:.4g}"
