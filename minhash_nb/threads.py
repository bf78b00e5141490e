"""How many threads the kernels use, and what they run on."""

from __future__ import annotations

import os
import platform
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numba
import numpy as np

from minhash_nb.kernels import shingling as kernels
from minhash_nb.validation import check_integer

_LOCK = threading.RLock()


@contextmanager
def num_threads(n: int) -> Iterator[None]:
    """Use `n` threads in the kernels called inside the ``with`` block (by this Python thread).

    Results never depend on the number of threads; only the time does.

    Parameters
    ----------
    n : int
        From 1 to the number of threads numba was started with (``NUMBA_NUM_THREADS``, by default
        one for each core).

    Raises
    ------
    ValueError
        If `n` is outside that range.

    Examples
    --------
    >>> import minhash_nb as mnb
    >>> with mnb.num_threads(1):
    ...     shingles = mnb.shingle(["one thread will do"])
    """
    n = check_integer("n", n, most=int(numba.config.NUMBA_NUM_THREADS))
    before = numba.get_num_threads()
    numba.set_num_threads(n)
    try:
        yield
    finally:
        numba.set_num_threads(before)


@contextmanager
def parallel_region() -> Iterator[None]:
    """Enter parallel kernels: one caller at a time unless the threading layer is thread-safe.

    numba's ``workqueue`` layer aborts the process when two Python threads enter it together, and which
    layer is in use is known only after the first parallel call.
    """
    if _threading_layer() in {"omp", "tbb"}:
        yield
    else:
        with _LOCK:
            yield


def _threading_layer() -> str:
    try:
        return str(numba.threading_layer())
    except ValueError:
        return "not chosen yet (the first parallel call chooses)"


def first_run() -> bool:
    """Whether the kernels have yet to be compiled on this machine: then the first call takes some seconds."""
    stats = getattr(kernels.distinct, "stats", None)
    if stats is None:  # NUMBA_DISABLE_JIT=1: nothing is ever compiled
        return False
    return stats.cache_path is None or not any(Path(stats.cache_path).glob("shingling.distinct-*.nbi"))


def show_config() -> None:
    """Print versions, threading layer, threads and kernel cache: what a bug report needs.

    Examples
    --------
    >>> import minhash_nb as mnb
    >>> mnb.show_config()  # doctest: +ELLIPSIS
    minhash_nb ...
    """
    print("\n".join(f"{name:<16} {value}" for name, value in config().items()))  # noqa: T201


def config() -> dict[str, str]:
    """Return what `show_config` prints, as a dict of str."""
    from importlib.metadata import version

    cache = os.environ.get("MINHASH_NB_CACHE", "1")
    folder = os.environ.get("NUMBA_CACHE_DIR") or "beside the package, else the user's cache folder"
    return {
        "minhash_nb": version("minhash-nb"),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        **{name: version(name) for name in ("pandas", "scipy", "matplotlib")},
        "platform": f"{platform.system()} {platform.machine()}",
        "threading layer": _threading_layer(),
        "threads": f"{numba.get_num_threads()} of {numba.config.NUMBA_NUM_THREADS}",
        "kernel cache": "off (MINHASH_NB_CACHE=0)" if cache == "0" else folder,
        "jit": "off (NUMBA_DISABLE_JIT=1)" if numba.config.DISABLE_JIT else "on",
    }
