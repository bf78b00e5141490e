"""The whole job: results against brute force, invariants, and every kind of input."""

import json
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import twins
from hypothesis import example, given
from hypothesis import strategies as st

import minhash_nb as mnb
from minhash_nb import reference

SURE = {"banding": mnb.Banding(128, 1), "scheme": mnb.MinHash(128)}  # misses a pair of J = .3 once in 1e19
few_letters = st.lists(st.text("aab ", max_size=9), max_size=14)


def frame_rows(frame):
    return list(frame.itertuples(index=False, name=None))


def naive(texts, threshold, linkage="star", empty="keep", **options):
    """Return expanded pairs, labels, removed and clusters by brute force on sets."""
    sets = [set(twins.shingle_ids(text, **options)) for text in texts]
    pairs = reference.brute_force_pairs(sets, threshold)
    if empty == "duplicates":
        empties = [document for document, ids in enumerate(sets) if not ids]
        pairs = sorted([*pairs, *((i, j, 1.0) for i in empties for j in empties if i < j)])
    cluster = reference.star_clusters if linkage == "star" else reference.connected_components
    labels = cluster(pairs, len(texts))

    def similarity(i, j):
        return twins.jaccard(sets[i], sets[j]) if sets[i] or sets[j] else 1.0

    removed = [(d, label, similarity(d, label)) for d, label in enumerate(labels) if label != d]
    clusters = [
        (
            label,
            labels.count(label),
            min(jaccard for i, j, jaccard in pairs if labels[i] == labels[j] == label),
        )
        for label in sorted({label for _, label, _ in removed})
    ]
    return pairs, labels, removed, clusters


# -- against brute force


@given(
    few_letters,
    st.sampled_from([0.3, 0.5, 2 / 3, 0.75, 1.0]),
    st.sampled_from(["star", "components"]),
    st.sampled_from(["keep", "duplicates"]),
    st.sampled_from([("char", 2), ("char", 1), ("word", 1), ("byte", 3)]),
    st.sampled_from(["whole", "drop"]),
)
@example(["", "", "a", "a"], 0.5, "star", "duplicates", ("char", 2), "whole")
@example([], 1.0, "components", "duplicates", ("char", 2), "whole")
def test_results_are_those_of_brute_force(texts, threshold, linkage, empty, units, short_texts):
    unit, k = units
    options = {"k": k, "unit": unit, "short_texts": short_texts}
    result = mnb.find_near_duplicates(texts, threshold, linkage=linkage, empty=empty, **options, **SURE)
    pairs, labels, removed, clusters = naive(texts, threshold, linkage, empty, **options)

    assert frame_rows(result.expanded_pairs()) == pairs
    assert result.labels.tolist() == labels
    assert result.keep.tolist() == [label == document for document, label in enumerate(labels)]
    assert frame_rows(result.removed) == removed
    assert frame_rows(result.clusters) == clusters

    sets = [twins.shingle_ids(text, **options) for text in texts]
    first = [sets.index(ids) if ids or empty == "duplicates" else document for document, ids in enumerate(sets)]
    expected = [
        pair for pair in pairs if first[pair[1]] == pair[0] or (first[pair[0]] == pair[0] and first[pair[1]] == pair[1])
    ]
    assert frame_rows(result.pairs[["i", "j", "jaccard"]]) == expected

    report = result.report
    assert report["documents"] == len(texts)
    assert report["empty"] == sum(not ids for ids in sets)
    assert report["short"] == sum(0 < len(twins.windows(text, 1, unit)) < k for text in texts)
    assert report["exact_duplicates"] == sum(f != document for document, f in enumerate(first))
    assert report["verified"] == len(expected) - report["exact_duplicates"]
    assert report["candidates"] >= report["verified"]
    assert report["removed"] == len(removed)
    assert report["clusters"] == len(clusters)
    assert report["largest_cluster"] == max((labels.count(label) for label in labels), default=0)


# -- invariants on a corpus with the default banding


@pytest.fixture(scope="module")
def corpus():
    texts = mnb.datasets.generate_corpus(num_docs=400, dup_fraction=0.5, seed=1)
    return [*texts, "", "short", texts[3], "", texts[250].upper(), "short", "  " + texts[0]]


@pytest.fixture(scope="module")
def sets(corpus):
    return [set(ids) for ids in map(twins.shingle_ids, corpus)]


@pytest.mark.parametrize("threshold", [0.5, 0.8, 0.95, 1.0])
@pytest.mark.parametrize("linkage", ["star", "components"])
def test_invariants(corpus, sets, linkage, threshold):
    result = mnb.find_near_duplicates(corpus, threshold, linkage=linkage)
    n_docs = len(corpus)
    truth = {(i, j): jaccard for i, j, jaccard in reference.brute_force_pairs(sets, threshold)}
    found = {(i, j): jaccard for i, j, jaccard in frame_rows(result.expanded_pairs())}
    assert found.items() <= truth.items()
    if threshold == 1.0:
        assert found == truth
    assert len(result.removed) + result.keep.sum() == n_docs
    assert set(np.flatnonzero(~result.keep)) == set(result.removed["document"])
    kept = set(np.flatnonzero(result.keep).tolist())
    assert set(result.labels.tolist()) == kept  # every cluster keeps one
    for document, representative, jaccard in frame_rows(result.removed):
        assert representative in kept
        assert jaccard == twins.jaccard(sets[document], sets[representative])
        if linkage == "star":
            assert jaccard >= threshold
            assert found[representative, document] == jaccard
    if linkage == "star":
        assert not any(i in kept and j in kept for i, j in found)
    else:
        assert result.labels.tolist() == reference.connected_components(found, n_docs)
    assert result.clusters["size"].sum() == len(result.removed) + len(result.clusters)
    assert (result.clusters["least_jaccard"] >= threshold).all()
    estimates = result.pairs["estimate"]
    assert ((estimates > 0) & (estimates <= 1)).all()
    assert (estimates[result.pairs["jaccard"] == 1.0] == 1.0).all()


def test_dtypes_and_order(corpus):
    for result in (mnb.find_near_duplicates(corpus, 0.6), mnb.find_near_duplicates([])):
        assert result.labels.dtype == np.int64
        assert result.keep.dtype == bool
        for frame, columns in (
            (result.pairs, {"i": "int64", "j": "int64", "jaccard": "float64", "estimate": "float64"}),
            (result.expanded_pairs(), {"i": "int64", "j": "int64", "jaccard": "float64"}),
            (result.removed, {"document": "int64", "representative": "int64", "jaccard": "float64"}),
            (result.clusters, {"representative": "int64", "size": "int64", "least_jaccard": "float64"}),
        ):
            assert frame.dtypes.astype(str).to_dict() == columns
            assert frame.index.equals(pd.RangeIndex(len(frame)))
        for frame in (result.pairs, result.expanded_pairs()):
            assert (frame["i"] < frame["j"]).all()
            assert frame_rows(frame[["i", "j"]]) == sorted(set(frame_rows(frame[["i", "j"]])))


def test_star_buckets_find_a_part(corpus):
    every = mnb.find_near_duplicates(corpus, 0.7)
    stars = mnb.find_near_duplicates(corpus, 0.7, bucket_pairs="star")
    assert stars.report["candidates"] < every.report["candidates"]
    assert set(frame_rows(stars.pairs)) < set(frame_rows(every.pairs))
    assert stars.keep.sum() >= every.keep.sum()


def test_verified_in_portions(corpus, monkeypatch):
    from minhash_nb import pipeline

    whole = mnb.find_near_duplicates(corpus, 0.6)
    monkeypatch.setattr(pipeline, "VERIFY_PAIRS", 7)
    pd.testing.assert_frame_equal(mnb.find_near_duplicates(corpus, 0.6).pairs, whole.pairs)


def test_progress_changes_nothing(corpus, capfd):
    quiet = mnb.find_near_duplicates(corpus, 0.6)
    assert capfd.readouterr().err == ""
    loud = mnb.find_near_duplicates(corpus, 0.6, progress=True)
    shown = capfd.readouterr().err
    assert all(step in shown for step in ("shingling", "signatures", "verifying"))
    pd.testing.assert_frame_equal(loud.pairs, quiet.pairs)
    np.testing.assert_array_equal(loud.labels, quiet.labels)


# -- copies, empties, extremes


def test_a_thousand_copies_cost_a_thousand_rows():
    texts = [*["the very same text"] * 1000, "something else", "the very same text!"]
    result = mnb.find_near_duplicates(texts, threshold=0.9, max_pairs=10)
    assert result.report["exact_duplicates"] == 999
    assert result.report["candidates"] <= 1
    assert len(result.pairs) == 999 + 1
    assert (result.pairs["i"] == 0).all()
    assert result.keep.sum() == 2
    assert len(result.expanded_pairs()) == 1000 * 999 // 2 + 1000
    assert len(result.expanded_pairs(max_pairs=500_500)) == 500_500
    with pytest.raises(ValueError, match=re.escape("`max_pairs` is 500,499, but copies expand to 500,500 pairs")):
        result.expanded_pairs(max_pairs=500_499)
    assert frame_rows(result.clusters) == [(0, 1001, result.pairs["jaccard"].min())]


def test_empty_documents_are_kept_or_copies_of_the_first():
    texts = ["", "a text", "  ", "a text", "\t"]
    kept = mnb.find_near_duplicates(texts)
    assert kept.labels.tolist() == [0, 1, 2, 1, 4]
    assert kept.report["empty"] == 3
    copies = mnb.find_near_duplicates(texts, empty="duplicates")
    assert copies.labels.tolist() == [0, 1, 0, 1, 0]
    assert frame_rows(copies.removed) == [(2, 0, 1.0), (3, 1, 1.0), (4, 0, 1.0)]
    assert frame_rows(copies.pairs) == [(0, 2, 1.0, 1.0), (0, 4, 1.0, 1.0), (1, 3, 1.0, 1.0)]
    assert copies.report["empty"] == 3
    assert mnb.find_near_duplicates(["", ""]).keep.all()


def test_all_the_same():
    result = mnb.find_near_duplicates(["same text here"] * 50)
    assert result.labels.tolist() == [0] * 50
    assert result.report["candidates"] == 0
    assert frame_rows(result.clusters) == [(0, 50, 1.0)]
    assert result.report["largest_cluster"] == 50


def test_all_different():
    texts = [f"{word * 5} {word[::-1] * 4}" for word in ("alpha", "bravo", "cedar", "delphi", "equinox")]
    result = mnb.find_near_duplicates(texts, threshold=0.3)
    assert result.keep.all()
    assert len(result.pairs) == len(result.removed) == len(result.clusters) == 0
    assert result.report["largest_cluster"] == 1


def test_one_document_and_none():
    one = mnb.find_near_duplicates(["alone"])
    assert (one.labels.tolist(), len(one.pairs), one.report["largest_cluster"]) == ([0], 0, 1)
    none = mnb.find_near_duplicates([])
    assert (none.labels.tolist(), len(none.pairs), none.report["largest_cluster"]) == ([], 0, 0)
    assert "0 documents" in repr(none)


def test_threshold_one_finds_equal_sets_only():
    texts = ["abcdefgh", "ABCDEFGH", "abcdefghi", "aaaaaaaa", "aaaaaa"]  # the last two have equal sets
    for threshold in (1.0, 1):
        result = mnb.find_near_duplicates(texts, threshold=threshold)
        assert frame_rows(result.pairs) == [(0, 1, 1.0, 1.0), (3, 4, 1.0, 1.0)]
        assert result.labels.tolist() == [0, 0, 2, 3, 3]


def test_components_go_through_chains_and_say_so():
    base = "one two three four five six seven eight nine ten eleven twelve"
    chain = [base, base.replace("one", "uno"), base.replace("one", "uno").replace("twelve", "doce")]
    star = mnb.find_near_duplicates(chain, 0.8, **SURE)
    components = mnb.find_near_duplicates(chain, 0.8, linkage="components", **SURE)
    assert star.labels.tolist() == [0, 0, 2]
    assert components.labels.tolist() == [0, 0, 0]
    assert components.removed["jaccard"].tolist()[1] < 0.8 <= components.removed["jaccard"].tolist()[0]
    assert components.clusters["least_jaccard"].tolist() == [components.pairs["jaccard"].min()]


# -- input and options


def test_texts_as_they_come(corpus):
    expected = mnb.find_near_duplicates(corpus, 0.6)
    for texts in (
        tuple(corpus),
        (text for text in corpus),
        np.array(corpus, dtype=object),
        np.array(corpus),
        pd.Series(corpus, index=range(len(corpus), 0, -1)),
        pd.Series(corpus, index=["same"] * len(corpus)),
        pa.array(corpus),
        pa.chunked_array([corpus[:100], corpus[100:]]),
    ):
        result = mnb.find_near_duplicates(texts, 0.6)
        pd.testing.assert_frame_equal(result.pairs, expected.pairs)
        np.testing.assert_array_equal(result.labels, expected.labels)


def test_scheme_and_banding_of_one_s_own(corpus):
    scheme, banding = mnb.MinHash(64, seed=9, family="mersenne31"), mnb.Banding(20, 3)
    result = mnb.find_near_duplicates(corpus, 0.6, scheme=scheme, banding=banding)
    assert result.report["parameters"]["scheme"] == scheme.key
    assert (result.report["parameters"]["num_bands"], result.report["parameters"]["rows_per_band"]) == (20, 3)
    shingles = mnb.shingle(corpus)
    signatures = mnb.compute_signatures(shingles, scheme)
    np.testing.assert_array_equal(
        result.pairs["estimate"], mnb.estimate_jaccard(signatures, result.pairs).astype(np.float64)
    )
    fitted = mnb.find_near_duplicates(corpus, 0.6, scheme=scheme)
    used = fitted.report["parameters"]
    assert mnb.Banding(used["num_bands"], used["rows_per_band"]) == mnb.Banding.for_recall(0.6, 0.95, 64)
    says = "signatures have 64 hashes but Banding(16, 8) needs 128: use rows_per_band=4 or num_hashes=128"
    with pytest.raises(ValueError, match=re.escape(says)):
        mnb.find_near_duplicates(corpus, 0.6, scheme=scheme, banding=mnb.Banding(16, 8))


def test_seed_and_recall_reach_the_search(corpus):
    results = [mnb.find_near_duplicates(corpus, 0.5, seed=seed) for seed in (1, 2)]
    assert results[0].report["parameters"]["scheme"]["seed"] == 1
    assert results[0].report["candidates"] != results[1].report["candidates"]
    low = mnb.find_near_duplicates(corpus, 0.5, recall=0.5)
    assert 0.5 <= low.report["parameters"]["recall_at_threshold"] < 0.7
    assert low.report["candidates"] < results[0].report["candidates"]
    assert results[0].report["parameters"]["recall_at_threshold"] >= 0.95


def test_report_is_plain_and_complete(corpus):
    result = mnb.find_near_duplicates(corpus, 0.7, k=4, unit="byte")
    again = json.loads(json.dumps(result.report))
    assert again == result.report
    assert again["parameters"]["shingling"]["k"] == 4
    assert set(again["seconds"]) == {"shingle", "group", "sign", "band", "verify", "cluster"}
    assert all(seconds >= 0 for seconds in again["seconds"].values())
    assert repr(result).startswith("NearDuplicates at threshold 0.7: 407 documents, ")


def test_a_banding_that_finds_nothing_is_warned_of(corpus):
    with pytest.warns(UserWarning, match=r"Banding\(num_bands=20, rows_per_band=450\) makes a pair at threshold 0.8 a"):
        mnb.find_near_duplicates(corpus[:5], 0.8, banding=mnb.Banding(20, 450))


@pytest.mark.parametrize("threshold", [0, 0.0, -0.5, 1.2, float("nan"), float("inf")])
def test_thresholds_out_of_range(threshold):
    with pytest.raises(ValueError, match=re.escape(f"`threshold` must be in (0, 1], got {threshold}")):
        mnb.find_near_duplicates(["a text"], threshold)


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"threshold": "0.8"}, TypeError, "`threshold` must be a number in (0, 1], got '0.8'"),
        ({"threshold": None}, TypeError, "`threshold` must be a number in (0, 1], got None"),
        ({"threshold": True}, TypeError, "`threshold` must be a number in (0, 1], got True"),
        ({"k": 0}, ValueError, "`k` must be between 1 and 2147483647, got 0"),
        ({"linkage": "single"}, ValueError, "`linkage` must be one of 'star', 'components', got 'single'"),
        ({"empty": "drop"}, ValueError, "`empty` must be one of 'keep', 'duplicates', got 'drop'"),
        ({"bucket_pairs": 1}, ValueError, "`bucket_pairs` must be one of 'all', 'star', got 1"),
        ({"max_pairs": -5}, ValueError, "`max_pairs` must be at least 0, got -5"),
        ({"recall": 1.0}, ValueError, "`recall` must be in (0, 1), got 1.0"),
        ({"num_hashes": 0}, ValueError, "`num_hashes` must be at least 1, got 0"),
        ({"num_hashes": 10, "threshold": 0.1}, ValueError, "the least that will do is num_hashes=29"),
        ({"seed": -1}, ValueError, "`seed` must be between 0 and 18446744073709551615, got -1"),
        ({"scheme": "minhash"}, TypeError, "`scheme` must be a scheme such as MinHash(num_hashes=128, seed=42)"),
        ({"banding": (16, 8)}, TypeError, "`banding` must be a Banding, got tuple"),
    ],
)
def test_bad_options_are_named(options, error, says):
    with pytest.raises(error, match=re.escape(says)):
        mnb.find_near_duplicates(["a text", "a test"], **options)


def test_too_many_candidates_are_refused():
    texts = [f"boilerplate that everybody has, and a number: {number:04d}" for number in range(200)]
    with pytest.raises(ValueError, match=r"`max_pairs` is 1,000, but there are [\d,]+ candidate pairs or more"):
        mnb.find_near_duplicates(texts, 0.7, max_pairs=1000)
    result = mnb.find_near_duplicates(texts, 0.7, max_pairs=20_000, bucket_pairs="star")
    assert result.keep.sum() < 100


def test_a_scheme_without_bands_is_refused_before_any_work():
    def texts():
        pytest.fail("read")
        yield ""

    with pytest.raises(ValueError, match="have empty slots, which would share bands by being empty"):
        mnb.find_near_duplicates(texts(), scheme=mnb.OnePermutation(256, densification="none"))
