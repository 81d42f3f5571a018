"""Files of a few kilobytes that would unpack to gigabytes are refused in one line.

``python test_file_bombs.py FILE...`` reads each file as a table, with little memory,
and writes a line of JSON for it. The process ends if a file takes too long.
"""

from __future__ import annotations

import bz2
import faulthandler
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

pytest.importorskip("resource")

BYTES, SECONDS = 3 * 2**29, 60

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SHEET = "xl/worksheets/sheet1.xml"
STRINGS = "xl/sharedStrings.xml"
STYLES = "xl/styles.xml"


def workbook(path: Path, parts: dict[str, str]) -> None:
    """A workbook with other text in some of its parts."""
    import openpyxl

    book = openpyxl.Workbook()
    for row in (["a", "b"], ["x", 2.5], ["y", 3.5]):
        book.active.append(row)
    book.save(path)
    with zipfile.ZipFile(path) as file:
        whole = {name: file.read(name).decode() for name in file.namelist()}
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    strings = (
        f'<Override PartName="/{STRINGS}" ContentType="{kind}.sharedStrings+xml"/>'
    )
    if STRINGS in parts and STRINGS not in whole:
        types = whole["[Content_Types].xml"].replace("</Types>", f"{strings}</Types>")
        whole["[Content_Types].xml"] = types
    whole |= parts
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for name, text in whole.items():
            file.writestr(name, text)


def sheet(rows: str, root: str = "worksheet", before: str = "", after: str = "") -> str:
    inside = f"{before}<sheetData>{rows}</sheetData>{after}"
    return f'<{root} xmlns="{MAIN}">{inside}</{root}>'


def _sheet_of_another_root(path: Path) -> None:
    far = '<row r="1"><c r="A1"><v>1</v></c></row><row r="{}"><c><v>1</v></c></row>'
    workbook(path, {SHEET: sheet(far.format(30_000_000), root="chart")})


def _row_two_billion(path: Path) -> None:
    far = '<row r="2000000000"><c r="XFD2000000000"><v>1</v></c></row>'
    workbook(path, {SHEET: sheet(far, root="chart")})


def _one_long_shared_string(path: Path) -> None:
    cells = "".join(
        f'<row r="{i}"><c r="A{i}" t="s"><v>0</v></c></row>' for i in range(1, 2000)
    )
    text = "x" * 5_000_000
    strings = f'<sst xmlns="{MAIN}"><si><t>{text}</t></si></sst>'
    workbook(path, {SHEET: sheet(cells), STRINGS: strings})


def _lower_case_places(path: Path) -> None:
    rows = (f'<row r="{i}"><c r="xfd{i}"><v>1</v></c></row>' for i in range(1, 3000))
    workbook(path, {SHEET: sheet("".join(rows))})


def _elements_before_the_cells(path: Path) -> None:
    workbook(path, {SHEET: sheet("", before="<a/>" * 20_000_000)})


def _cells_without_end(path: Path) -> None:
    workbook(path, {SHEET: sheet("<row>" + "<c/>" * 20_000_000 + "</row>")})


def _styles_without_end(path: Path) -> None:
    many = '<xf numFmtId="0"/>' * 2_000_000
    styles = f'<styleSheet xmlns="{MAIN}"><cellXfs>{many}</cellXfs></styleSheet>'
    workbook(path, {STYLES: styles})


def _a_format_slow_to_match(path: Path) -> None:
    code = "[" * 1_000_000
    formats = f'<numFmts><numFmt numFmtId="200" formatCode="{code}"/></numFmts>'
    xfs = '<cellXfs><xf numFmtId="200"/></cellXfs>'
    text = f'<styleSheet xmlns="{MAIN}">{formats}{xfs}</styleSheet>'
    workbook(path, {STYLES: text})


def _ranges_without_end(path: Path) -> None:
    rules = '<cfRule type="expression" priority="1"><formula>1</formula></cfRule>'
    many = "A1 " * 20_000_000
    after = f'<conditionalFormatting sqref="{many}">{rules}</conditionalFormatting>'
    workbook(path, {SHEET: sheet("", after=after)})


def _one_sheet_under_many_names(path: Path) -> None:
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    one = '<sheet name="{}" sheetId="{}" r:id="rId1"/>'
    sheets = "".join(one.format(f"s{i}", i) for i in range(1, 3000))
    book = f'<workbook xmlns="{MAIN}" xmlns:r="{office}"><sheets>{sheets}</sheets>'
    parts = {"xl/workbook.xml": f"{book}</workbook>"}
    workbook(path, {**parts, SHEET: sheet("", before="<v/>" * 20_000)})


def _dictionary(length: int, n: int) -> pa.DictionaryArray:
    indices = pa.array(np.zeros(n, dtype=np.int32))
    return pa.DictionaryArray.from_arrays(indices, ["x" * length])


def _parquet_dictionary(path: Path) -> None:
    table = pa.table({"a": _dictionary(10**6, 10**6)})
    parquet.write_table(table, path, compression="zstd", store_schema=False)


def _parquet_categories(path: Path) -> None:
    parquet.write_table(
        pa.table({"a": _dictionary(10**6, 10**6)}), path, compression="zstd"
    )


def _parquet_prefixes(path: Path) -> None:
    texts = pa.array(["x" * 10_000] * 30_000)
    parquet.write_table(
        pa.table({"a": texts}),
        path,
        compression="zstd",
        use_dictionary=False,
        column_encoding={"a": "DELTA_BYTE_ARRAY"},
    )


def _parquet_list(path: Path) -> None:
    values = pa.array(np.zeros(60_000_000, dtype=np.int8))
    lists = pa.ListArray.from_arrays([0, len(values)], values)
    parquet.write_table(pa.table({"a": lists}), path, compression="zstd")


def _parquet_pages(path: Path) -> None:
    texts = pa.array(["\0" * 1_000_000] * 300)
    parquet.write_table(
        pa.table({"a": texts}), path, compression="zstd", use_dictionary=False
    )


def _feather(path: Path, column: pa.Array, compression: str | None = "zstd") -> None:
    options = pa.ipc.IpcWriteOptions(compression=compression)
    schema = pa.schema({"a": column.type})
    with pa.ipc.new_file(path, schema, options=options) as file:
        file.write_batch(pa.record_batch([column], schema=schema))


def _feather_zstd(path: Path) -> None:
    _feather(path, pa.array(np.zeros(2**26)))


def _feather_dictionary(path: Path) -> None:
    _feather(path, _dictionary(10**6, 10**6))


def _feather_views(path: Path) -> None:
    # Every view points to the one text.
    _feather(path, pa.repeat(pa.scalar("x" * 10_000, pa.string_view()), 100_000))


def _feather_decimals(path: Path) -> None:
    kind = pa.decimal128(38)
    zeros = pa.py_buffer(bytes(16 * 5_000_000))
    _feather(path, pa.Array.from_buffers(kind, 5_000_000, [None, zeros]))


def _names_without_end(path: Path) -> None:
    path.write_text("\n".join(f'{{"{k:x}":1}}' for k in range(15_000)))


def _names_in_a_list(path: Path) -> None:
    path.write_text(json.dumps([{f"{k:x}": 1} for k in range(12_000)]))


def _packed(path: Path) -> None:
    """A text of 2 GB in a few kilobytes."""
    line = b'{"a":"' + b"x" * (2**13 - 9) + b'"}\n'
    # Streams that follow each other are one file.
    path.write_bytes(bz2.compress(line * 2**13) * 32)


def _zipped(path: Path) -> None:
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive,
        archive.open("a.csv", "w") as file,
    ):
        for _ in range(300):
            file.write(b"a" * 2**20)


def _cells_that_stand_for_many(path: Path) -> None:
    kinds = "urn:oasis:names:tc:opendocument:xmlns"
    cell = f'<x:table-cell xmlns:o="{kinds}:office:1.0" o:value="1"'
    cell += ' x:number-columns-repeated="900000"/>'
    row = f'<x:table-row x:number-rows-repeated="1000000">{cell}</x:table-row>'
    with zipfile.ZipFile(path, "w") as archive:
        sheet = f'<x:table xmlns:x="{kinds}:table:1.0" x:name="a">{row}</x:table>'
        archive.writestr("content.xml", sheet)


def _cells_that_widen_all_rows(path: Path) -> None:
    kinds = "urn:oasis:names:tc:opendocument:xmlns"
    cell = f'<x:table-cell xmlns:o="{kinds}:office:1.0" o:value="1"'
    rows = f'<x:table-row x:number-rows-repeated="1000000">{cell}/></x:table-row>'
    wide = f'{cell} x:number-columns-repeated="50000"/>'
    sheet = f'<x:table xmlns:x="{kinds}:table:1.0" x:name="a">{rows}'
    with zipfile.ZipFile(path, "w") as archive:
        text = f"{sheet}<x:table-row>{wide}</x:table-row></x:table>"
        archive.writestr("content.xml", text)


BOMBS: dict[str, Callable[[Path], None]] = {
    "other_root.xlsx": _sheet_of_another_root,
    "far_row.xlsx": _row_two_billion,
    "shared_string.xlsx": _one_long_shared_string,
    "lower_case.xlsx": _lower_case_places,
    "elements.xlsx": _elements_before_the_cells,
    "cells.xlsx": _cells_without_end,
    "styles.xlsx": _styles_without_end,
    "format.xlsx": _a_format_slow_to_match,
    "ranges.xlsx": _ranges_without_end,
    "sheets.xlsx": _one_sheet_under_many_names,
    "dictionary.parquet": _parquet_dictionary,
    "categories.parquet": _parquet_categories,
    "prefixes.parquet": _parquet_prefixes,
    "list.parquet": _parquet_list,
    "pages.parquet": _parquet_pages,
    "zstd.feather": _feather_zstd,
    "dictionary.feather": _feather_dictionary,
    "views.feather": _feather_views,
    "decimals.feather": _feather_decimals,
    "names.jsonl": _names_without_end,
    "names.json": _names_in_a_list,
    "packed.jsonl.bz2": _packed,
    "zipped.csv.zip": _zipped,
    "cells.ods": _cells_that_stand_for_many,
    "wide.ods": _cells_that_widen_all_rows,
}


def tell(**what: Any) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def main(paths: list[str]) -> None:
    import resource

    from graphtailor.tables import read_table

    size = int(Path("/proc/self/statm").read_text().split()[0])
    most = size * resource.getpagesize() + BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    for path in paths:
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        try:
            read_table(path)
            tell(name=Path(path).name, refusal="it was read")
        except ValueError as error:
            tell(name=Path(path).name, refusal=str(error))
        faulthandler.cancel_dump_traceback_later()


@pytest.fixture(scope="module")
def bombed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What was said of each bomb, by a process with little memory and time."""
    folder = tmp_path_factory.mktemp("bombs")
    paths = [folder / name for name in BOMBS]
    for path in paths:
        BOMBS[path.name](path)
        assert path.stat().st_size < 200_000
    command = [sys.executable, __file__]
    done = subprocess.run(
        [*command, *paths], capture_output=True, text=True, check=False
    )
    said = {}
    for line in done.stdout.splitlines():
        answer = json.loads(line)
        said[answer["name"]] = answer["refusal"]
    for path in paths:
        said.setdefault(path.name, f"the process ended: {done.stderr}")
    return said


@pytest.mark.parametrize("name", BOMBS)
def test_a_small_file_that_would_take_gigabytes(
    name: str, bombed: dict[str, str]
) -> None:
    refusal = bombed[name]
    if name == "ranges.xlsx" and refusal.endswith("ranges.xlsx has no rows."):
        return  # newer parsers do not come to the long tag behind the rows
    assert re.search(f"{name} (is damaged or not|could not be read as)", refusal)
    assert re.search(
        "taken for a bomb|over 1,048,576 rows|over 300,000 styles", refusal
    ), refusal
    assert "\n" not in refusal


if __name__ == "__main__":
    main(sys.argv[1:])
