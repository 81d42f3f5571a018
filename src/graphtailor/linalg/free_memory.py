"""How much memory there is, and an error in time where a fit needs more."""

import os
from collections.abc import Iterator
from pathlib import Path

try:
    import resource
except ImportError:  # there is none on Windows
    resource = None  # type: ignore[assignment]

# What needs no more than this is never asked about.
_SMALL = 1 << 26


def check_memory(needed: float, what: str, instead: str) -> None:
    """Refuse what needs more memory than there is."""
    if needed <= _SMALL:
        return
    there = available_bytes()
    if there is not None and needed > there:
        raise MemoryError(
            f"{what} needs about {readable_size(int(needed))} of memory, but "
            f"{readable_size(there)} are available. {instead}"
        )


def readable_size(n_bytes: int) -> str:
    """A number of bytes with its unit."""
    if n_bytes < 10**7:
        return f"{n_bytes:,} bytes"
    gigabytes = n_bytes / 1e9
    return f"{gigabytes:.2g} GB" if gigabytes >= 1e5 else f"{gigabytes:,.1f} GB"


def available_bytes() -> int | None:
    """Bytes that this process may still take; None if that is not known.

    The least of what is free on the machine, what control groups leave to the
    process, and what its limit of addresses (``ulimit -v``) leaves.
    """
    known = [*_free_on_machine(), *_left_by_groups(), *_left_by_limits()]
    return max(min(known), 0) if known else None


def _free_on_machine() -> Iterator[int]:
    for line in _lines("/proc/meminfo"):
        if line.startswith("MemAvailable:"):
            yield 1024 * int(line.split()[1])
            return
    names = getattr(os, "sysconf_names", {})
    if "SC_AVPHYS_PAGES" in names and "SC_PAGE_SIZE" in names:
        yield os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _left_by_groups() -> Iterator[int]:
    """Of the process's control groups and those above them, versions 1 and 2."""
    for line in _lines("/proc/self/cgroup"):
        _, kinds, path = line.strip().split(":", 2)
        if not kinds:
            root, most, used = "/sys/fs/cgroup", "memory.max", "memory.current"
        elif "memory" in kinds.split(","):
            root = "/sys/fs/cgroup/memory"
            most, used = "memory.limit_in_bytes", "memory.usage_in_bytes"
        else:
            continue
        group = Path(root, path.lstrip("/"))
        # In a container the path may be one of the host: its own group is the root.
        for folder in {group, *group.parents, Path(root)}:
            if folder.is_relative_to(root):
                yield from _left_in_group(folder, most, used)


def _left_in_group(folder: Path, most: str, used: str) -> Iterator[int]:
    limit, usage = _lines(folder / most), _lines(folder / used)
    if not limit or not usage or not limit[0].strip().isdigit():
        return  # "max" is no limit
    cached = 0
    for line in _lines(folder / "memory.stat"):
        # Files that were read and may be dropped count as used.
        if line.startswith(("inactive_file ", "total_inactive_file ")):
            cached = int(line.split()[1])
    yield int(limit[0]) - int(usage[0]) + cached


def _left_by_limits() -> Iterator[int]:
    if resource is None:
        return
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    pages = _lines("/proc/self/statm")
    if limit != resource.RLIM_INFINITY and pages:
        yield limit - int(pages[0].split()[0]) * resource.getpagesize()


def _lines(path: str | Path) -> list[str]:
    """Lines of a file; none where it cannot be read."""
    try:
        return Path(path).read_text().splitlines()
    except (OSError, ValueError):
        return []
