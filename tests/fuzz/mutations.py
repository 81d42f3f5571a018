"""Damage files and load them, in a process of its own with little memory.

``python mutations.py FOLDER COUNT SEED KIND...`` writes a line of JSON for each kind
begun, for each load that ends in another way than it may, and for each kind done. A
crash, a hang and a lack of memory end the process: its last line says in what.
"""

from __future__ import annotations

import faulthandler
import io
import json
import random
import re
import resource
import sqlite3
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

# No load may take longer, nor more memory than the process has already.
SECONDS, BYTES = 5, 3 * 2**30

# What a field might be made to say.
HOSTILE = [
    *(b"-1", b"0", b"1e999", b"nan", b"99999999999999999999", b"1152921504606846976"),
    *(b"null", b"true", b'"', b"'", b"[", b"{}", b"\x00", b"\xff\xfe", b"=1+1", b""),
    *(b"../../x", b"<script>", b"x" * 5000, b"((((((((", b"|O", b"<f8", b"-"),
]
HOSTILE_VALUES = [
    *(None, -1, 0, 2**70, 1.5, float("nan"), True, "", "x", "../../x", "x" * 5000),
    *([], {}, [[]], {"$array": "header"}, {"$dict": {}}, {"$array": "state.rows"}),
    {"$sparse": {"place": "state.rows", "shape": [2**60, 2], "kind": "csr_array"}},
]
_TOKEN = re.compile(rb"[A-Za-z0-9_.+-]+")


def mutate_bytes(content: bytes, chance: random.Random) -> bytes:
    """One of the ways in which disks, networks and enemies change a file."""
    data = bytearray(content)
    n = len(data)
    at, other = chance.randrange(n), chance.randrange(n)
    size = min(chance.choice([1, 4, 16, 64, 512, 4096]), n)
    chunk = bytes(data[at : at + size])
    match chance.randrange(8):
        case 0:
            for _ in range(chance.randint(1, 8)):
                data[chance.randrange(n)] ^= 1 << chance.randrange(8)
        case 1:
            del data[at:]
        case 2:
            data[other:other] = chunk
        case 3:
            data[at : at + size] = bytes(len(chunk))
        case 4:
            data[at : at + size], data[other : other + size] = (
                bytes(data[other : other + size]),
                chunk,
            )
        case 5:
            data[at : at + size] = chance.randbytes(size)
        case 6:
            data += chance.randbytes(size)
        case 7:
            # Numbers in heads are where things go wrong: all small or all large.
            data[at : at + 4] = chance.choice([b"\0\0\0\0", b"\xff\xff\xff\x7f"])
    return bytes(data)


def mutate_text(content: bytes, chance: random.Random) -> bytes:
    """A word or a number changed to something hostile."""
    words = list(_TOKEN.finditer(content))
    if not words:
        return mutate_bytes(content, chance)
    word = chance.choice(words)
    return content[: word.start()] + chance.choice(HOSTILE) + content[word.end() :]


def mutate_json(content: bytes, chance: random.Random) -> bytes:
    """A value somewhere in it changed, or a key left out."""
    whole = json.loads(content)
    value, places = whole, []
    while isinstance(value, dict | list) and value:
        key = chance.choice(
            list(value) if isinstance(value, dict) else [*range(len(value))]
        )
        places.append((value, key))
        value = value[key]
    owner, key = chance.choice(places)
    if chance.random() < 0.2:
        del owner[key]
    else:
        owner[key] = chance.choice(HOSTILE_VALUES)
    return json.dumps(whole).encode()


def mutate_array(content: bytes, chance: random.Random) -> bytes:
    """An array with another head, or with other values, that is otherwise right."""
    head = content.index(b"\n") + 1 if b"\n" in content else 0
    if chance.random() < 0.5 and head:
        text = mutate_text(content[10:head].rstrip(), chance)
        length = len(text) + 1
        return (
            content[:8] + length.to_bytes(2, "little") + text + b"\n" + content[head:]
        )
    values = bytearray(content[head:]) or bytearray(1)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(values))
        values[at : at + 8] = chance.choice(
            [b"\xff" * 8, bytes(8), chance.randbytes(8), b"\0\0\0\0\0\0\xf8\x7f"]
        )
    return content[:head] + bytes(values)


def mutate_archive(content: bytes, chance: random.Random) -> bytes:
    """An entry changed before it is packed, so that its checksum is right."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    name = chance.choice(list(entries))
    text = entries[name]
    if name == "header.npy" and chance.random() < 0.8:
        head = text.index(b"\n") + 1
        packed = io.BytesIO()
        import numpy as np

        changed = mutate_json(text[head:], chance)
        np.save(packed, np.frombuffer(changed, dtype=np.uint8))
        entries[name] = packed.getvalue()
    elif name.endswith(".npy"):
        entries[name] = mutate_array(text, chance)
    else:
        entries[name] = mutate_text(text, chance)
    if chance.random() < 0.1:
        del entries[chance.choice(list(entries))]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in entries.items():
            archive.writestr(name, text)
    return packed.getvalue()


def mutate_store(content: bytes, chance: random.Random) -> bytes:
    """A cell of a table changed, by SQLite itself."""
    db = sqlite3.connect(":memory:")
    # In memory there is no write-ahead log, which these two bytes ask for.
    db.deserialize(content[:18] + b"\1\1" + content[20:])
    named = "SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE TABLE%'"
    table = chance.choice(sorted(name for (name,) in db.execute(named)))
    columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
    values = [-1, 2**62, 1e300, "x", "../../x", "<script>", b"\0\1", "x" * 5000, "{}"]
    changed = (chance.choice(values), chance.randrange(1, 4))
    column = chance.choice(columns)
    try:
        db.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", changed)
        db.commit()
    except sqlite3.Error:
        pass
    changed_file = db.serialize()
    return changed_file[:18] + content[18:20] + changed_file[20:]


def mutate(content: bytes, ending: str, chance: random.Random) -> bytes:
    """A change that suits the kind of file, or one that suits any."""
    ways: list[Callable[[bytes, random.Random], bytes]] = [mutate_bytes]
    if ending in (".npz", ".xlsx", ".ods", ".zip"):
        ways.append(mutate_archive)
    elif ending == ".npy":
        ways.append(mutate_array)
    elif ending in (".csv", ".toml", ".jsonl", ".json"):
        ways.append(mutate_text)
    elif ending == ".sqlite":
        ways.append(mutate_store)
    changed = chance.choice(ways)(content, chance)
    if chance.random() < 0.2:
        changed = mutate_bytes(changed or b"\0", chance)
    return changed


def load_table(path: Path) -> None:
    from graphtailor.tables import read_table

    read_table(str(path))


def load_dataset(path: Path) -> None:
    from graphtailor.datasets import load_dataset

    load_dataset("msra", data_home=path.parent)


def load_model(path: Path) -> None:
    import numpy as np

    from graphtailor.io.models import load_model, load_notes

    model = load_model(path)
    load_notes(path)
    X = np.random.default_rng(0).normal(size=(5, model.n_features_in_))
    try:
        model.predict(X)
    except Exception:  # it must not crash; what it says is not the file's matter
        return


def load_names(path: Path) -> None:
    from graphtailor.io.group_names import read_group_names

    found = read_group_names(path)
    labels = found.merge(range(found.n_clusters))
    found.of(labels)


def load_plan(path: Path) -> None:
    from graphtailor.bench import load_plan

    load_plan(path)


def load_results(path: Path) -> None:
    from graphtailor.bench import opened_results
    from graphtailor.bench.results.results import collect_results

    with opened_results(path) as store:
        for key in store.runs()["key"]:
            store.labels(key)
        collect_results(store)


LOADERS: dict[str, Callable[[Path], None]] = {
    "model.npz": load_model,
    "anchors.npz": load_model,
    "X.npz": load_table,
    "matrix.npz": load_table,
    "X.npy": load_table,
    "table.csv": load_table,
    "table.csv.gz": load_table,
    "table.parquet": load_table,
    "table.feather": load_table,
    "table.xlsx": load_table,
    "table.ods": load_table,
    "table.jsonl": load_table,
    "table.csv.zip": load_table,
    "names.json": load_names,
    "msra.npz": load_dataset,
    "plan.toml": load_plan,
    "bench.sqlite": load_results,
    "runs.parquet": load_results,
}


# What these hold is not what they should: a checksum, a file of data.
REFUSED = ("msra.npz",)


def wrong_end(path: Path, load: Callable[[Path], Any]) -> str | None:
    """What is wrong with how a load ends; None if nothing is."""
    try:
        load(path)
    except (ValueError, OSError) as error:
        text = str(error)
        if path.name not in text:
            return f"does not name the file: {text!r}"
        return f"more than a line: {text!r}" if "\n" in text else None
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    return None


def run(folder: Path, count: int, seed: int, kinds: list[str]) -> None:
    for kind in kinds:
        whole = (folder / kind).read_bytes()
        place = folder / "changed" / kind
        place.parent.mkdir(exist_ok=True)
        tell(kind=kind, begun=count)
        # A change proves nothing if the file as it was is not read either.
        if kind not in REFUSED:
            LOADERS[kind](folder / kind)
        for number in range(count):
            chance = random.Random(f"{seed} {kind} {number}")
            place.write_bytes(mutate(whole, place.suffix, chance))
            for beside in place.parent.glob(f"{kind}-*"):
                beside.unlink()
            tell(kind=kind, at=number)
            faulthandler.dump_traceback_later(SECONDS, exit=True)
            wrong = wrong_end(place, LOADERS[kind])
            faulthandler.cancel_dump_traceback_later()
            if wrong is not None:
                tell(kind=kind, number=number, wrong=wrong)
        tell(kind=kind, done=count)


def tell(**what: Any) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def limit_memory() -> None:
    size = int(Path("/proc/self/statm").read_text().split()[0])
    most = size * resource.getpagesize() + BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


if __name__ == "__main__":
    import warnings

    # Before the limit, as libraries take more of the address space than they use.
    import graphtailor.bench.results.results
    import graphtailor.io.models  # noqa: F401

    warnings.simplefilter("ignore")
    limit_memory()
    run(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
