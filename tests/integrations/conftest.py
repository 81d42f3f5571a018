"""Which versions of other people's packages the tests of this folder ran with."""

from importlib.metadata import PackageNotFoundError, version

PACKAGES = (
    *("scanpy", "anndata", "igraph", "networkx", "polars", "pandas", "evoc"),
    *("bertopic", "toponymy", "datamapplot", "umap-learn", "scikit-learn"),
)


def _version_of(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not here"


def pytest_report_header() -> str:
    found = ", ".join(f"{name} {_version_of(name)}" for name in PACKAGES)
    return f"integrations: {found}"
