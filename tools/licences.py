"""The licences of everything graphtailor needs: fails on one that is not allowed.

``python tools/licences.py`` looks at what is installed. What users install with the
package must be permissive; tools that only developers run may also be under a licence
that asks for changes to the tool itself to be shared (MPL).
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib import metadata

# What users may install, by `pip install graphtailor[EXTRA]`.
FOR_USERS = ("", "cli", "ann", "dask", "scanpy")
FOR_DEVELOPERS = ("test", "docs")
PERMISSIVE = {
    *("MIT", "MIT-0", "MIT-CMU", "HPND", "BSD", "BSD-2-Clause", "BSD-3-Clause", "0BSD"),
    *("Apache-2.0", "ISC", "PSF-2.0", "Python-2.0", "Unlicense", "Zlib", "CC0-1.0"),
}
SHARING = {"MPL-2.0"}
# The words in which packages say the same. Copyleft comes first: it may mention others.
WORDS = (
    (r"\b(A|L)?GPL|General Public|copyleft|European Union Public", "copyleft"),
    (r"Mozilla|MPL", "MPL-2.0"),
    (r"MIT-CMU|HPND|Historical Permission", "HPND"),
    (r"\bMIT\b|Expat", "MIT"),
    (r"Apache", "Apache-2.0"),
    (r"2-Clause", "BSD-2-Clause"),
    (r"3-Clause|New BSD|Modified BSD|modification, are permitted", "BSD-3-Clause"),
    (r"\bBSD\b", "BSD"),
    (r"Python Software Foundation|\bPSF|matplotlib\b.*license", "PSF-2.0"),
    (r"\bISC\b", "ISC"),
    (r"Unlicense", "Unlicense"),
    (r"zlib", "Zlib"),
)
# Read by a person, where what a package says of itself is not the whole of it: of
# docutils only an editor's mode, which is not imported, is under the GPL.
READ = {"docutils": "BSD-2-Clause"}
_NAME = re.compile(r"[A-Za-z0-9._-]+")


def asked_for(extras: tuple[str, ...]) -> list[str]:
    """What the project itself asks for: always (no name), or with its extras."""
    with open("pyproject.toml", "rb") as file:
        project = tomllib.load(file)["project"]
    asked = {"": project["dependencies"], **project["optional-dependencies"]}
    return [requirement for extra in extras for requirement in asked[extra]]


def needed(requirements: Iterable[str], seen: set[str]) -> Iterator[str]:
    """Names of the installed packages that are required, and what they require."""
    for requirement in requirements:
        name = _NAME.match(requirement)[0].lower().replace("_", "-")  # type: ignore[index]
        if name in seen or "extra ==" in requirement:
            continue
        try:
            also = metadata.requires(name) or ()
        except metadata.PackageNotFoundError:
            continue  # for another system, or an extra that is not installed
        seen.add(name)
        yield name
        yield from needed(also, seen)


def licence_of(package: str) -> str:
    """A licence's short name; several with "AND" between them; "unknown"."""
    if package in READ:
        return READ[package]
    about = metadata.metadata(package)
    expression = about.get("License-Expression")
    if expression:
        return expression
    classifiers = [
        line.rpartition("::")[2].strip()
        for line in about.get_all("Classifier") or ()
        if line.startswith("License ::") and not line.endswith("OSI Approved")
    ]
    said = " ".join(classifiers) or (about.get("License") or "")[:2000]
    return next((name for words, name in WORDS if re.search(words, said)), "unknown")


def is_allowed(licence: str, allowed: set[str]) -> bool:
    """Whether all of "A AND B" and one of "A OR B" are allowed.

    Examples
    --------
    >>> is_allowed("MIT OR GPL-3.0", {"MIT"}), is_allowed("MIT AND GPL-3.0", {"MIT"})
    (True, False)
    """
    return all(
        any(
            part.strip(" ()").split(" WITH ")[0] in allowed
            for part in one.split(" OR ")
        )
        for one in licence.split(" AND ")
    )


def main() -> int:
    """Print a line for each package; 1 if one is not allowed."""
    seen: set[str] = set()
    wrong = []
    for whom, extras, allowed in (
        ("users", FOR_USERS, PERMISSIVE),
        ("developers", FOR_DEVELOPERS, PERMISSIVE | SHARING),
    ):
        for name in sorted(needed(asked_for(extras), seen)):
            licence = licence_of(name)
            print(f"{name:28} {metadata.version(name):14} {licence:40} for {whom}")
            if not is_allowed(licence, allowed):
                wrong.append(f"{name}: {licence} is not allowed for {whom}")
    print("\n".join(wrong) or f"{len(seen)} packages, all allowed")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
