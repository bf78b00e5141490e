"""The shape of the package: imports point one way, start-up is light, modules are short."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def test_imports_point_one_way():
    pytest.importorskip("importlinter", reason="import-linter (extra: dev) is not installed")
    script = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    out = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert out.returncode == 0, out.stdout + out.stderr
    assert "0 broken" in out.stdout


def test_import_is_light():
    script = "import sys, json, minhash_nb; print(json.dumps(sorted({m.split('.')[0] for m in sys.modules})))"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(json.loads(out.stdout))
    assert "minhash_nb" in loaded
    assert not loaded & {"pandas", "matplotlib", "pyarrow", "click", "tqdm", "datasketch", "dask"}


def test_public_names_are_there():
    import minhash_nb

    for name in minhash_nb.__all__:
        assert getattr(minhash_nb, name) is not None
    assert sorted(minhash_nb.__all__) == minhash_nb.__all__
    with pytest.raises(AttributeError, match="module 'minhash_nb' has no attribute 'nothing'"):
        minhash_nb.nothing  # noqa: B018


def test_modules_are_short():
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in (ROOT / "minhash_nb").rglob("*.py")
    }
    assert len(lengths) > 20
    assert {name: length for name, length in lengths.items() if length > 300} == {}


def test_kernels_import_numpy_and_numba_only():
    """Import-linter checks named packages; this checks all, by loading the kernels and nothing else."""
    script = """
import sys, types
sys.modules["minhash_nb"] = package = types.ModuleType("minhash_nb")  # without running its __init__
package.__path__ = [sys.argv[1]]
import importlib, json, pkgutil
import numba, llvmlite, numpy
before = {name.split(".")[0] for name in sys.modules}
import minhash_nb.kernels
for module in pkgutil.iter_modules(minhash_nb.kernels.__path__, "minhash_nb.kernels."):
    importlib.import_module(module.name)
print(json.dumps(sorted({name.split(".")[0] for name in sys.modules} - before - set(sys.stdlib_module_names))))
"""
    out = subprocess.run(
        [sys.executable, "-c", script, str(ROOT / "minhash_nb")],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"MINHASH_NB_CACHE": "0"},
    )
    assert json.loads(out.stdout) == []
