"""How Sphinx builds these pages: ``make docs``."""

from __future__ import annotations

import os
import sys
from importlib.metadata import version as installed_version
from pathlib import Path

# Before numpy is loaded: threads of a BLAS only get in the way of small examples.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

project = "graphtailor"
author = "The graphtailor developers"
copyright = author
release = version = installed_version("graphtailor")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",
    "sphinx.ext.viewcode",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "public_names",
    "method_table",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "gallery/**/*.ipynb", "gallery/**/*.py"]
myst_enable_extensions = ["amsmath", "dollarmath"]
myst_heading_anchors = 3

autodoc_typehints = "none"  # numpydoc's sections say it in words
autosummary_generate = True
numpydoc_show_class_members = False

# Every name of ours must be found; those of other projects are not linked, so that
# pages are built without a network.
nitpicky = True
nitpick_ignore_regex = [
    (r"py:.*", r"(sklearn|numpy|scipy|pandas|matplotlib|tomllib|dask|anndata)(\..*)?"),
    # Types in the base classes that Sphinx prints.
    (r"py:class", r"(object|ABC|Protocol|NamedTuple|tuple|str|Exception)"),
]

html_theme = "pydata_sphinx_theme"
html_title = "graphtailor"
html_theme_options = {
    "header_links_before_dropdown": 6,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
# The column on the left is for the examples and the reference, which have many pages.
html_sidebars = {
    page: []
    for page in (
        "benchmark",
        "bertopic",
        "coming-from",
        "guide",
        "large-data",
        "other-libraries",
        "page",
        "paper-to-code",
        "promises",
        "quickstart",
        "reproduce-paper",
        "reproducibility",
        "results",
        "scanpy",
        "which-method",
    )
}
html_show_sourcelink = False

sphinx_gallery_conf = {
    "examples_dirs": str(HERE.parent / "examples"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "within_subsection_order": "gallery_order.ReadingOrder",
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("graphtailor",),
    "remove_config_comments": True,
    "show_memory": False,
    "write_computation_times": False,
    "matplotlib_animations": False,
}
