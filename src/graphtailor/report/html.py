"""HTML pages from templates, complete in one file."""

import base64
import hashlib
from datetime import date
from functools import cache
from importlib.resources import files

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from graphtailor.diagnostics import formatting


def render_page(template: str, **values: object) -> str:
    """Fill a template of this package with today's date; all values are escaped."""
    today = date.today().isoformat()
    return _environment().get_template(template).render(today=today, **values)


def page_script(*names: str) -> tuple[Markup, str]:
    """A script of this package, and the policy of a page that may run nothing else.

    The content security policy allows this script, and styles and pictures inside the
    page; no other script, and no request to anywhere.
    """
    folder = files("graphtailor.report") / "templates"
    text = "".join((folder / name).read_text("utf-8") for name in names)
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; "
        "style-src 'unsafe-inline'; img-src data:"
    )
    return Markup(text), policy


@cache
def _environment() -> Environment:
    # Cached: reading the templates takes longer than filling them.
    environment = Environment(
        loader=ChoiceLoader(
            [
                PackageLoader("graphtailor.report", folder)
                for folder in ("templates", "bench/templates")
            ]
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = formatting.readable_number
    environment.filters["cluster_style"] = formatting.cluster_style
    environment.tests["square"] = formatting.is_square
    environment.globals["palettes"] = (formatting.PALETTE, formatting.DARK_PALETTE)
    return environment
