"""The same bytes whatever the threads, chunks, hash seeds and caches; and a cache that cannot break anything."""

import hashlib
import os
import shutil
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numba
import pytest

import minhash_nb as mnb
from minhash_nb.kernels import _compile
from minhash_nb.shingling import ids

ROOT = Path(__file__).resolve().parent.parent
EVERYTHING = '''
    """Print a digest of the results of every step, on texts small enough for plain Python."""
    import hashlib, sys
    import numpy as np
    import minhash_nb as mnb
    from minhash_nb.shingling import ids

    if len(sys.argv) > 1:
        ids.CHUNK_CHARACTERS = int(sys.argv[1])
    texts = ["The tide comes in at noon", "the tide comes in at  noon", "The tide came in at noon!", "Low water",
             "", "abc", "Caf\\u00e9 \\u03a3\\u03a3 \\u0130", "lone \\ud800", " \\u2028", "abc", "nul\\x00", "The tide"]
    results = {}
    for unit in ("char", "word", "byte"):
        for id_hash in ("fast", "md5"):
            shingles = mnb.shingle(texts, k=3, unit=unit, id_hash=id_hash)
            results["shingles", unit, id_hash] = shingles.indices
            for family in ("multiply-add", "mersenne31"):
                scheme = mnb.MinHash(24, family=family)
                signatures = mnb.compute_signatures(shingles, scheme)
                straight = mnb.sign_texts(texts, scheme, k=3, unit=unit, id_hash=id_hash)
                assert straight.values.tobytes() == signatures.values.tobytes()
                results["signatures", unit, id_hash, family] = signatures.values
                pairs = mnb.candidate_pairs(signatures, mnb.Banding(12, 2))
                results["pairs", unit, id_hash, family] = pairs
                stars = mnb.candidate_pairs(signatures, mnb.Banding(12, 2), bucket_pairs="star")
                results["stars", unit, id_hash, family] = stars
                results["estimates", unit, id_hash, family] = mnb.estimate_jaccard(signatures, pairs)
                results["exact", unit, id_hash, family] = mnb.exact_jaccard(shingles, pairs)
    wide = mnb.ShingleMatrix.from_sets([{1, 2**40, 2**64 - 1}, {2**40, 2**64 - 1}, {1}])
    for family in ("multiply-add", "mersenne31"):
        results["wide", family] = mnb.compute_signatures(wide, mnb.MinHash(24, family=family)).values
    for linkage in ("star", "components"):
        found = mnb.find_near_duplicates(texts, 0.5, k=3, num_hashes=64, linkage=linkage)
        results["labels", linkage] = found.labels
        for name in ("pairs", "removed", "clusters"):
            results[name, linkage] = getattr(found, name).to_csv().encode()
    for name, result in results.items():
        print(*name, hashlib.sha256(result if isinstance(result, bytes) else result.tobytes()).hexdigest())
'''
LITTLE = """
    import minhash_nb as mnb
    from minhash_nb.similarity import first_equal
    from minhash_nb.kernels import similarity as kernels

    shingles = mnb.ShingleMatrix.from_sets([{1, 2, 3}, {2, 3, 4}, {1, 2, 3}])
    print(mnb.exact_jaccard(shingles, [(0, 1), (0, 2)]).tolist(), first_equal(shingles).tolist())
"""
LITTLE_RESULT = "[0.5, 1.0] [0, 1, 0]\n"


def run(script, *args, cwd=None, **environment):
    out = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(script), *map(str, args)],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env=os.environ | {name: str(value) for name, value in environment.items()},
    )
    assert out.returncode == 0, out.stderr
    return out.stdout


@pytest.fixture(scope="module")
def digests():
    return run(EVERYTHING, PYTHONHASHSEED=0)


# -- between processes


def test_hash_seed_threads_and_chunks_do_not_matter(digests):
    assert digests.count("\n") > 50
    assert run(EVERYTHING, 40, PYTHONHASHSEED=1, NUMBA_NUM_THREADS=1) == digests


def test_compiled_equals_interpreted_with_all_bounds_checked(digests):
    """Plain Python raises IndexError where compiled code reads on; warnings (overflow among them) are errors."""
    assert run(EVERYTHING, NUMBA_DISABLE_JIT=1) == digests


# -- within a process


def all_bytes(texts):
    digest = hashlib.sha256()
    for unit in ("char", "word"):
        shingles = mnb.shingle(texts, unit=unit)
        digest.update(shingles.indptr.tobytes() + shingles.indices.tobytes())
        for family in ("multiply-add", "mersenne31"):
            scheme = mnb.MinHash(48, family=family)
            signatures = mnb.compute_signatures(shingles, scheme)
            digest.update(signatures.values.tobytes())
            digest.update(mnb.sign_texts(texts, scheme, unit=unit).values.tobytes())
            for bucket_pairs in ("all", "star"):
                pairs = mnb.candidate_pairs(signatures, mnb.Banding(16, 3), bucket_pairs=bucket_pairs)
                digest.update(pairs.tobytes())
                digest.update(mnb.exact_jaccard(shingles, pairs).tobytes())
                digest.update(mnb.estimate_jaccard(signatures, pairs).tobytes())
    found = mnb.find_near_duplicates(texts, 0.7)
    for frame in (found.pairs, found.removed, found.clusters):
        digest.update(frame.to_csv().encode())
    return digest.hexdigest()


@pytest.fixture(scope="module")
def texts():
    corpus = mnb.datasets.generate_corpus(num_docs=1500, dup_fraction=0.4, seed=5)
    return [*corpus, "", *(text.replace("e", "é") for text in corpus[:300]), "short", *corpus[:50]]


def test_threads_do_not_matter(texts):
    digests = set()
    for threads in range(1, numba.config.NUMBA_NUM_THREADS + 1):
        with mnb.num_threads(threads):
            assert numba.get_num_threads() == threads
            digests.update(all_bytes(texts) for _ in range(2))
    assert len(digests) == 1


def test_chunk_size_does_not_matter(texts, monkeypatch):
    whole = all_bytes(texts)
    for size in (5000, 30_011):
        monkeypatch.setattr(ids, "CHUNK_CHARACTERS", size)
        assert all_bytes(texts) == whole


def test_many_python_threads_get_the_same(texts):
    expected = all_bytes(texts)
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(all_bytes, [texts] * 6)) == {expected}


def test_many_python_threads_on_the_layer_that_is_not_thread_safe(digests):
    script = textwrap.dedent(EVERYTHING).replace("print(*name,", "lines.append(' '.join(name) + ' ' +")
    script = script.replace(".hexdigest())", ".hexdigest())")
    program = "\n".join(
        [
            "def work(_):",
            "    lines = []",
            textwrap.indent(script, "    "),
            "    return '\\n'.join(lines) + '\\n'",
            "import numba",
            "from concurrent.futures import ThreadPoolExecutor",
            "with ThreadPoolExecutor(4) as pool:",
            "    outputs = set(pool.map(work, range(4)))",
            "assert numba.threading_layer() == 'workqueue', numba.threading_layer()",
            "assert len(outputs) == 1",
            "print(outputs.pop(), end='')",
        ]
    )
    assert run(program, NUMBA_THREADING_LAYER="workqueue") == digests


def test_num_threads_is_restored_and_checked():
    before = numba.get_num_threads()
    with pytest.raises(RuntimeError, match="inside"), mnb.num_threads(1):
        raise RuntimeError("inside")
    assert numba.get_num_threads() == before
    for bad, error in ((0, ValueError), (numba.config.NUMBA_NUM_THREADS + 1, ValueError), (1.0, TypeError)):
        with pytest.raises(error, match="`n` must be "), mnb.num_threads(bad):
            pass


# -- the cache of compiled kernels


def test_cache_can_be_switched_off(tmp_path):
    assert run(LITTLE, MINHASH_NB_CACHE=0, NUMBA_CACHE_DIR=tmp_path / "cache") == LITTLE_RESULT
    assert not (tmp_path / "cache").exists()


def test_unwritable_cache_does_not_matter(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    assert run(LITTLE, NUMBA_CACHE_DIR=tmp_path / "file" / "cache") == LITTLE_RESULT


@pytest.mark.parametrize("damage", ["cut short", "empty", "garbage"])
def test_damaged_cache_is_renewed(tmp_path, damage):
    script = LITTLE + "    print(sum(kernels.count_common.stats.cache_hits.values()))\n"
    cache = tmp_path / "cache"
    assert run(script, NUMBA_CACHE_DIR=cache) == LITTLE_RESULT + "0\n"
    files = [path for path in cache.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} == {".nbi", ".nbc"}
    for path in files:
        content = path.read_bytes()
        path.write_bytes({"cut short": content[: len(content) // 2], "empty": b"", "garbage": b"\x80garbage"}[damage])
    assert run(script, NUMBA_CACHE_DIR=cache) == LITTLE_RESULT + "0\n"
    assert run(script, NUMBA_CACHE_DIR=cache) == LITTLE_RESULT + "1\n"  # whole again


def test_a_change_in_any_kernel_file_renews_the_cache(tmp_path):
    shutil.copytree(ROOT / "minhash_nb", tmp_path / "minhash_nb", ignore=shutil.ignore_patterns("__pycache__"))
    script = """
        import numpy as np
        from minhash_nb.kernels import similarity as kernels

        out = np.empty(1, dtype=np.uint64)
        ids = np.array([7], dtype=np.uint32)
        kernels.digest_rows(np.array([0, 1]), ids, out)
        print(kernels.__file__, out[0], sum(kernels.digest_rows.stats.cache_hits.values()))
    """
    first, second = (run(script, cwd=tmp_path, NUMBA_CACHE_DIR=tmp_path / "cache").split() for _ in range(2))
    assert Path(first[0]).is_relative_to(tmp_path)
    assert (first[2], second[2]) == ("0", "1")
    assert second[1] == first[1]
    mixing = tmp_path / "minhash_nb" / "kernels" / "mixing.py"
    source = mixing.read_text(encoding="utf-8")
    assert "0xFF51AFD7ED558CCD" in source
    mixing.write_text(source.replace("0xFF51AFD7ED558CCD", "0xFF51AFD7ED558CCF"), encoding="utf-8")
    third = run(script, cwd=tmp_path, NUMBA_CACHE_DIR=tmp_path / "cache").split()
    assert third[2] == "0"
    assert third[1] != first[1]


def test_cache_key_holds_the_sources():
    from minhash_nb.kernels import similarity

    if numba.config.DISABLE_JIT or os.environ.get("MINHASH_NB_CACHE") == "0":
        pytest.skip("no cache in this run")
    mnb.exact_jaccard(mnb.ShingleMatrix.from_sets([{1}, {1}]), [(0, 1)])
    kernel = similarity.count_common
    assert isinstance(kernel._cache, _compile._KernelCache)
    assert _compile._SOURCES in kernel._cache._index_key(kernel.signatures[0], kernel.targetctx.codegen())
