"""Writing files so that a failed run leaves the last good one intact."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[Any]]:
    """Open a temporary binary file beside `path`; put it in the place of `path` when the block ends well.

    Whatever goes wrong in the block, an interrupt included, the temporary file is removed and `path`
    keeps its content. Permissions are those of the file replaced, or those of a new file.

    Raises
    ------
    OSError
        If the folder does not exist or cannot be written to.
    """
    target = Path(os.path.realpath(path))  # a link keeps pointing where it points
    descriptor, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        os.chmod(temporary, _mode(target))
        os.replace(temporary, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def _mode(target: Path) -> int:
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
