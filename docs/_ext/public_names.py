"""What docstrings need before Sphinx reads them, and what of classes is shown.

References to a name where it is defined lead to where it is public: docstrings say
``graphtailor.diagnostics.comparison.compare_runs``, the place of the code, and the
reference documents ``graphtailor.report.compare_runs``.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

from sphinx.util.nodes import make_refnode

_SHAPE = re.compile(r"of shape \([^)]*\)")
# Methods that scikit-learn adds to estimators, with references to its own pages.
_ROUTING = re.compile(r"set_\w+_request")


def public_name(target: str, known: dict[str, Any]) -> str | None:
    """The documented name of the object that `target` names, if there is one."""
    last = target.rpartition(".")[2]
    names = [name for name in known if name.rpartition(".")[2] == last]
    if target.startswith("graphtailor."):
        parts = target.split(".")[:-1]
        homes = {".".join(parts[:k]) for k in range(1, len(parts) + 1)}
        near = [name for name in names if name.rpartition(".")[0] in homes]
        names = near or names
    return names[0] if len(names) == 1 else None


def resolve(app: Any, env: Any, node: Any, content: Any) -> Any:
    """Sphinx calls this for a reference that it cannot find."""
    if node.get("refdomain") != "py":
        return None
    domain = env.domains["py"]
    name = public_name(node["reftarget"], domain.objects)
    if name is None:
        return None
    found = domain.objects[name]
    return make_refnode(
        app.builder, node["refdoc"], found.docname, found.node_id, content, name
    )


def skip_member(
    app: Any, what: str, name: str, member: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out what scikit-learn adds, and fields that have a section of their own."""
    doc = inspect.getdoc(member) or ""
    is_field = doc.startswith("Alias for field number")
    is_theirs = str(getattr(member, "__module__", "")).startswith("sklearn.")
    return True if is_field or is_theirs or _ROUTING.fullmatch(name) else None


def escape_shapes(
    app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """``(n_iter_,)`` is a shape, not a reference to "n_iter"."""

    def escaped(shape: re.Match[str]) -> str:
        return re.sub(r"(\w)_(?=[\s,)+])", r"\1\\_", shape[0])

    lines[:] = [_SHAPE.sub(escaped, line) for line in lines]


def setup(app: Any) -> dict[str, bool]:
    app.connect("missing-reference", resolve)
    app.connect("autodoc-skip-member", skip_member)
    app.connect("autodoc-process-docstring", escape_shapes, priority=100)
    return {"parallel_read_safe": True}
