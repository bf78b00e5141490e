"""One way to compile a kernel: cached where possible, and never broken by a cache that is not."""

import os
from functools import wraps
from hashlib import sha256
from pathlib import Path

import numba
import numpy as np
from numba.core.caching import FunctionCache

# numba renews a cached function when its own file changes, not when a helper in another file does.
_SOURCES = sha256(b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))).hexdigest()


class _KernelCache(FunctionCache):
    """Numba's cache, renewed by a change in any kernel file; a damaged cache file costs a compilation, not a crash."""

    def _index_key(self, sig, codegen):
        return (*super()._index_key(sig, codegen), _SOURCES)

    def load_overload(self, sig, target_context):
        try:
            return super().load_overload(sig, target_context)
        except Exception:
            self._forget()
            return None

    def save_overload(self, sig, data):
        try:
            super().save_overload(sig, data)
        except Exception:
            self._forget()

    def _forget(self):
        try:
            self.flush()
        except OSError:
            self.disable()


def kernel(*, parallel):
    """Compile an entry point of the package: without the GIL, cached unless ``MINHASH_NB_CACHE=0``."""

    def compile_(function):
        if numba.config.DISABLE_JIT:
            return _interpreted(function)
        options = {"nogil": True, "parallel": parallel}
        if os.environ.get("MINHASH_NB_CACHE", "1") == "0":
            return numba.njit(**options)(function)
        try:
            dispatcher = numba.njit(cache=True, **options)(function)
        except RuntimeError:  # neither the package's folder nor the user's cache folder can be written
            return numba.njit(**options)(function)
        dispatcher._cache.__class__ = _KernelCache
        return dispatcher

    return compile_


def helper(function):
    """Compile a function that kernels call: it becomes part of their code, so it is not cached itself."""
    return _interpreted(function) if numba.config.DISABLE_JIT else numba.njit(nogil=True)(function)


def _interpreted(function):
    """With ``NUMBA_DISABLE_JIT=1``: plain Python, which checks every bound; unsigned numbers wrap as compiled."""

    @wraps(function)
    def run(*args):
        with np.errstate(over="ignore"):
            return function(*args)

    return run
