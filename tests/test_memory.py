"""Memory and time stay linear in the input where a naive way is quadratic."""

import json
import os
import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("resource", reason="peak memory is measured by the resource module (Unix)")

PROLOGUE = """
    import json, resource, sys, time
    import minhash_nb as mnb

    def peak():  # bytes; ru_maxrss is in kilobytes on Linux, in bytes on macOS
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)

    def distinct(n):
        return [f"document {i * 7919 % 104729:06d} of its own {i**2 % 99991:05d} {i**3 % 99989:05d}" for i in range(n)]

    mnb.find_near_duplicates([*distinct(50), "same", "same"], 0.9)  # load and compile
"""


def measure(script, *args):
    """Run in a process of its own: seconds and growth of the peak memory, as the script prints them."""
    code = textwrap.dedent(PROLOGUE) + textwrap.dedent(script)
    out = subprocess.run(
        [sys.executable, "-c", code, *map(str, args)], capture_output=True, text=True, check=False, env=os.environ
    )
    assert out.returncode == 0, out.stderr
    return json.loads(out.stdout)


COPIES = """
    n = int(sys.argv[1])
    same = "boilerplate that everybody has and nobody reads, from the first line to the last one. " * 3
    texts = [same] * n + distinct(n)
    before, start = peak(), time.perf_counter()
    result = mnb.find_near_duplicates(texts, threshold=0.9)
    used, seconds = peak() - before, time.perf_counter() - start
    characters = sum(map(len, texts))
    print(json.dumps({
        "used": used, "seconds": seconds, "characters": characters,
        "hashes": result.report["parameters"]["num_bands"] * result.report["parameters"]["rows_per_band"],
        "bands": result.report["parameters"]["num_bands"], "candidates": result.report["candidates"],
        "removed": result.report["removed"], "copies": result.report["exact_duplicates"],
    }))
"""


def test_twenty_thousand_copies_and_as_many_others():
    n_docs = 40_000
    found = measure(COPIES, n_docs // 2)
    assert found["copies"] == n_docs // 2 - 1
    assert found["removed"] >= n_docs // 2 - 1
    # At most one id a character, in four bytes, in three copies at a time (as hashed, packed, put together),
    # and its unit beside it in two; signatures twice; 9 bytes for each document and band, and in each of two
    # threads a table and digests; 200 bytes for each document's rows in tables and frames; the candidates.
    ids = found["characters"] * (3 * 4 + 2)
    signatures = 2 * 4 * found["hashes"] * n_docs
    bands = (9 * found["bands"] + 2 * (4 * 4 + 8 + 4)) * n_docs
    assert found["used"] < ids + signatures + bands + 200 * n_docs + 64 * found["candidates"] + 30e6
    # All pairs of the copies alone would take 3.2 GB.
    assert found["used"] < 16 * (n_docs // 2) ** 2 / 2 / 10
    assert found["seconds"] < 20


NEAR_COPIES = """
    n = int(sys.argv[1])
    base = "boilerplate that everybody has and nobody reads, from the first line to the last one. "
    texts = [base + f"{i:06d}" for i in range(n)]
    signatures = mnb.sign_texts(texts, mnb.MinHash(64))
    before, start = peak(), time.perf_counter()
    pairs = mnb.candidate_pairs(signatures, mnb.Banding(16, 4), bucket_pairs="star")
    refused = ""
    try:
        mnb.candidate_pairs(signatures, mnb.Banding(16, 4))
    except ValueError as error:
        refused = str(error)
    print(json.dumps({"used": peak() - before, "seconds": time.perf_counter() - start, "pairs": len(pairs),
                      "refused": refused}))
"""


def test_twenty_thousand_near_copies_in_one_bucket():
    n_docs = 20_000
    found = measure(NEAR_COPIES, n_docs)
    assert found["refused"].startswith("`max_pairs` is 100,000,000, but there are ")
    assert n_docs / 2 < found["pairs"] < 16 * n_docs  # at most one for each document and band
    assert found["used"] < (9 * 16 + 2 * 28) * n_docs + 3 * 16 * found["pairs"] + 30e6
    assert found["seconds"] < 20
