"""The chapter's published figures and digests, from the compiled path, bit for bit."""

import hashlib

import numpy as np
import pytest

import minhash_nb as mnb
from minhash_nb import reference


def sha256(array, dtype):
    return hashlib.sha256(np.ascontiguousarray(array, dtype=dtype).tobytes()).hexdigest()


@pytest.fixture(scope="module")
def texts(golden):
    return mnb.datasets.generate_corpus(
        num_docs=golden["num_docs"],
        dup_fraction=golden["dup_fraction"],
        seed=golden["corpus_seed"],
        base_texts=golden["base_texts"],
        words=golden["words"],
    )


@pytest.fixture(scope="module")
def shingles(texts, golden):
    return mnb.shingle(texts, k=golden["k"], id_hash="md5", short_texts="drop")


@pytest.fixture(scope="module")
def signatures(shingles, golden):
    scheme = mnb.MinHash(golden["num_hashes"], golden["seed"], family="mersenne31")
    return mnb.compute_signatures(shingles, scheme)


@pytest.fixture(scope="module")
def pairs(signatures, golden):
    return mnb.candidate_pairs(signatures, mnb.Banding(golden["num_bands"], golden["rows_per_band"]))


def test_corpus(texts, golden):
    assert hashlib.sha256("\n".join(texts).encode()).hexdigest() == golden["corpus_sha256"]
    first = [hashlib.sha256(text.encode()).hexdigest() for text in texts[:3]]
    assert first == golden["first_three_texts_sha256"]


def test_shingle_ids(golden):
    for text, ids in golden["shingle_ids_of"].items():
        assert mnb.shingle([text], k=5, id_hash="md5", short_texts="drop").indices.tolist() == ids


def test_shingles(shingles, golden):
    assert shingles.sizes[:10].tolist() == golden["shingle_counts_first_ten"]
    assert shingles.indices.size == golden["total_shingles"]
    assert np.unique(shingles.indices).size == golden["distinct_shingles"]


def test_coefficients(signatures, golden):
    a, b = signatures.scheme.coefficients
    assert a[:4].tolist() == golden["a_first"] == [1373158607, 239081664, 53710185, 1592467582]
    assert b[:4].tolist() == golden["b_first"] == [1810010706, 1649940838, 1666447132, 120125830]


def test_signatures(signatures, texts, golden):
    assert signatures.values[0].tolist() == golden["signature_first_row"]
    assert sha256(signatures.values, "<u4") == golden["signatures_sha256"]
    straight = mnb.sign_texts(texts, signatures.scheme, k=5, id_hash="md5", short_texts="drop")
    assert sha256(straight.values, "<u4") == golden["signatures_sha256"]


def test_candidates(pairs, golden):
    assert len(pairs) == golden["candidate_pairs"] == 2260
    assert pairs[:5].tolist() == golden["first_pairs"]
    assert sha256(pairs, "<i8") == golden["pairs_sha256"]
    assert round(golden["possible_pairs"] / len(pairs), 1) == golden["reduction_factor"] == 221.0


def test_exact_similarities(shingles, pairs, golden):
    every = np.stack(np.triu_indices(len(shingles), 1), axis=1)
    assert len(every) == golden["possible_pairs"] == 499_500
    for name, some in (
        ("all_pairs_with_exact_jaccard_at_least", every),
        ("candidates_with_exact_jaccard_at_least", pairs),
    ):
        jaccard = mnb.exact_jaccard(shingles, some)
        assert {level: int((jaccard >= float(level)).sum()) for level in golden[name]} == golden[name]


def test_the_reference_finds_the_same(texts, shingles, signatures, pairs):
    sets = [reference.shingle_ids(text) for text in texts]
    assert [set(shingles.row(document).tolist()) for document in range(len(texts))] == sets
    values = reference.signatures(sets)
    assert signatures.values.tolist() == values
    assert [tuple(pair) for pair in pairs.tolist()] == reference.candidate_pairs(values)
    estimates = mnb.estimate_jaccard(signatures, pairs)
    assert estimates.tolist() == [reference.estimate_jaccard(values[i], values[j]) for i, j in pairs.tolist()]
