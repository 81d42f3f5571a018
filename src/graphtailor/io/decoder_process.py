"""Parquet and Arrow files are decoded in a process of their own, with little memory.

Arrow believes what a file says of itself: a changed one can end the process that reads
it, or fill the memory. Here this befalls a child, which sends the checked columns.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING

from graphtailor.io import arrow_decoder
from graphtailor.io.limits import file_size, most_unpacked, reason_of

if TYPE_CHECKING:
    import pyarrow as pa

_DECODERS = {
    "parquet": arrow_decoder.decode_parquet,
    "arrow": arrow_decoder.decode_arrow,
}
# Of the current process, whose imports may be all that the child finds.
_CALL = "import sys; sys.path[:] = {}; from {} import main; main(*sys.argv[1:])"
_REFUSED, _MOST_WORDS = 9, 5000
# What the threads of Arrow take, whatever the file; and how many there are at most.
_BYTES_OF_THREADS, _MOST_THREADS = 2**30, 4


def decoded_apart(path: Path, form: str) -> tuple[int, pa.Schema, list[pa.RecordBatch]]:
    """The number of rows, all columns, and the values of those that are plain.

    Parameters
    ----------
    path : Path
        The file.
    form : {"parquet", "arrow"}
        What it should be.

    Raises
    ------
    ValueError
        If the file is refused, or ends the process that decodes it.
    """
    call = _CALL.format([place for place in sys.path if type(place) is str], __name__)
    # Isolated, so that no file of the current folder is taken for a module.
    command = [sys.executable, "-I", "-W", "ignore", "-c", call, form, str(path)]
    wrong: Exception | None = None
    with (
        TemporaryFile() as messages,
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=messages,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        ) as child,
    ):
        assert child.stdout is not None
        try:
            received = _received(child.stdout)
        except Exception as error:
            wrong = error
        except BaseException:
            child.kill()
            raise
        child.stdout.close()
        child.wait()
        messages.seek(0)
        said = messages.read(_MOST_WORDS).decode(errors="replace")
    if isinstance(wrong, MemoryError):
        raise wrong
    if child.returncode == 0 and wrong is None:
        return received
    if child.returncode == _REFUSED:
        raise ValueError(said)
    raise ValueError(f"it ends the process that decodes it ({_end(child.returncode)})")


def _end(code: int) -> str:
    with suppress(ValueError):
        return signal.Signals(-code).name
    return f"exit code {code}"


def _received(source: IO[bytes]) -> tuple[int, pa.Schema, list[pa.RecordBatch]]:
    import pyarrow as pa

    n_rows = int.from_bytes(source.read(8), "little")
    schema = pa.ipc.read_schema(source)
    return n_rows, schema, list(pa.ipc.open_stream(source))


def _send(decoded: arrow_decoder.Decoded, sink: IO[bytes]) -> None:
    import pyarrow as pa

    n_rows, schema, batches = decoded
    sink.write(n_rows.to_bytes(8, "little"))
    sink.write(schema.serialize())
    first = next(batches, None)
    with pa.ipc.new_stream(sink, pa.schema([]) if first is None else first.schema) as s:
        if first is not None:
            s.write(first)
        for batch in batches:
            s.write(batch)


def main(form: str, path: str) -> None:
    """Decode a file, and write its columns to the standard output."""
    import pyarrow as pa

    pa.set_cpu_count(min(_MOST_THREADS, pa.cpu_count()))
    pa.set_io_thread_count(_MOST_THREADS)
    _limit_memory(file_size(path))
    try:
        _send(_DECODERS[form](Path(path)), sys.stdout.buffer)
    except Exception as error:
        sys.stderr.write(reason_of(error))
        sys.exit(_REFUSED)


def _limit_memory(n_bytes: int) -> None:
    """Let the process take no more than the file may unpack to, twice, where it can."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + _BYTES_OF_THREADS
        most += n_bytes + 2 * most_unpacked(n_bytes)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
