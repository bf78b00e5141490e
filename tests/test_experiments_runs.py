"""Whole runs: where errors come from, what shingles do, how time grows."""

import re
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import minhash_nb as mnb
from minhash_nb.experiments import error_decomposition, scaling, shingling_effect
from minhash_nb.shingling import Shingling

FALSE_ALARM = 1e-3  # of each family of statistical checks
CAUSES = ["id collision", "banding", "estimate", "verification", "clustering"]


# -- error_decomposition


def true_pairs(texts, threshold, **options):
    """Return the pairs whose sets of shingle texts reach the threshold, by brute force."""
    sets = [set(Shingling(**options).texts(text)) for text in texts]
    pairs = set()
    for i, first in enumerate(sets):
        for j in range(i + 1, len(sets)):
            shared = len(first & sets[j])
            if shared and shared / (len(first) + len(sets[j]) - shared) >= threshold:
                pairs.add((i, j))
    return pairs


def together(labels):
    """Return the pairs of documents with one label."""
    same = labels[:, None] == labels
    return set(zip(*np.nonzero(np.triu(same, 1)), strict=True))


def parts(errors, outcome):
    chosen = errors[errors["outcome"] == outcome]
    return set(zip(chosen["i"], chosen["j"], strict=True))


def check_sums(errors, truth, result):
    """Missed and extra pairs are exactly the differences of truth and result, each with one cause."""
    assert parts(errors, "missed") == truth - result
    assert parts(errors, "extra") == result - truth
    assert parts(errors, "found") == truth & result
    assert not errors.duplicated(["i", "j"]).any()
    assert errors[["i", "j"]].to_numpy().tolist() == sorted(errors[["i", "j"]].to_numpy().tolist())
    wrong = errors["outcome"] != "found"
    assert errors.loc[wrong, "cause"].isin(CAUSES).all()
    assert errors.loc[~wrong, "cause"].eq("").all()


@pytest.mark.parametrize("linkage", ["star", "components"])
def test_sums_on_the_chapter_like_corpus(linkage):
    texts = mnb.datasets.generate_corpus(400)
    run = mnb.find_near_duplicates(texts, 0.7, linkage=linkage, recall=0.7)
    errors = error_decomposition(texts, 0.7, linkage=linkage, recall=0.7)
    check_sums(errors, true_pairs(texts, 0.7), together(run.labels))
    assert {"banding", "clustering"} <= set(errors["cause"])


def test_sums_on_spdx(load_texts):
    texts = load_texts("spdx_licenses")
    run = mnb.find_near_duplicates(texts, 0.8, recall=0.6, unit="word", k=3)
    errors = error_decomposition(texts, 0.8, recall=0.6, unit="word", k=3)
    truth = parts(errors[errors["jaccard"] >= 0.8], "missed") | parts(errors[errors["jaccard"] >= 0.8], "found")
    shingles = mnb.shingle(texts, 3, "word")
    pairs = np.stack(np.triu_indices(len(texts), 1), axis=1)
    jaccard = mnb.exact_jaccard(shingles, pairs)
    assert truth == set(map(tuple, pairs[jaccard >= 0.8]))  # no two 32-bit ids meet so as to matter here
    check_sums(errors, truth, together(run.labels))


def test_sums_with_planted_id_collisions():
    """With 16-bit ids, texts of some thousand words of one vocabulary share ids that they do not share shingles."""
    corpus = mnb.datasets.planted_corpus(120, 0.5, edit_rate=0.063, words_per_doc=4000, seed=3)  # J is near .7
    texts = corpus["text"].to_list()
    errors = error_decomposition(texts, 0.7, k=3, unit="word", id_bits=16, linkage=None)
    truth = true_pairs(texts, 0.7, k=3, unit="word")
    run = mnb.shingle(texts, 3, "word")
    short = mnb.ShingleMatrix.from_sets([set((run.row(d) >> 16).tolist()) for d in range(len(texts))])
    pairs = errors[["i", "j"]].to_numpy()
    np.testing.assert_array_equal(errors["jaccard_ids"], mnb.exact_jaccard(short, pairs))
    found = parts(errors, "found") | parts(errors, "extra")
    check_sums(errors, truth, found)
    collided = errors[errors["cause"] == "id collision"]
    assert len(collided) > 0
    for row in collided.itertuples():
        assert (row.jaccard >= 0.7) != (row.jaccard_ids >= 0.7)
        assert (row.outcome == "extra") == (row.jaccard_ids >= 0.7)


def naive_cause(truth, ids, candidate, estimate, result, threshold, verify, gate):
    """Walk one pair through the steps and return the last that changed its state, or nothing if it came out right."""
    states = [truth, ids, ids and candidate]
    if verify == "estimate":
        states.append(candidate and estimate >= max(threshold, gate))
    else:
        states.append(states[2] and estimate >= gate)
    states.append((candidate and estimate >= gate) if verify == "none" else states[3])
    states.append(result)
    if truth == result:
        return ""
    return [name for name, (before, after) in zip(CAUSES, pairwise(states), strict=True) if before != after][-1]


@pytest.mark.parametrize("verify", ["exact", "estimate", "none"])
@pytest.mark.parametrize(("linkage", "gate"), [("star", 0.0), ("components", 0.6), (None, 0.75)])
def test_causes_pair_by_pair(verify, linkage, gate):
    texts = mnb.datasets.generate_corpus(150, seed=2)
    banding, scheme, threshold = mnb.Banding(12, 5), mnb.MinHash(64, seed=3), 0.65
    options = {"banding": banding, "scheme": scheme, "id_bits": 9}
    errors = error_decomposition(texts, threshold, verify=verify, linkage=linkage, gate=gate, **options)
    assert len(errors)

    full = mnb.shingle(texts)
    ids = mnb.ShingleMatrix.from_sets([set((full.row(d) >> 23).tolist()) for d in range(len(texts))])
    signatures = mnb.compute_signatures(ids, scheme)
    pairs = np.stack(np.triu_indices(len(texts), 1), axis=1)
    keys = list(map(tuple, pairs.tolist()))
    jaccard = dict(zip(keys, mnb.exact_jaccard(ids, pairs), strict=True))
    estimate = dict(zip(keys, mnb.estimate_jaccard(signatures, pairs), strict=True))
    candidates = set(map(tuple, mnb.candidate_pairs(signatures, banding).tolist()))
    accepted = {
        pair
        for pair in candidates
        if estimate[pair] >= gate
        and (verify != "exact" or jaccard[pair] >= threshold)
        and (verify != "estimate" or estimate[pair] >= threshold)
    }
    if linkage is None:
        result = accepted
    else:
        cluster = mnb.connected_components if linkage == "components" else mnb.clustering.star_clusters
        result = together(cluster(sorted(accepted), len(texts)))
    truth = true_pairs(texts, threshold)
    check_sums(errors, truth, result)
    for row in errors.itertuples():
        pair = (row.i, row.j)
        assert row.jaccard_ids == jaccard[pair]
        assert row.estimate == estimate[pair]
        assert row.cause == naive_cause(
            pair in truth,
            jaccard[pair] >= threshold,
            pair in candidates,
            estimate[pair],
            pair in result,
            threshold,
            verify,
            gate,
        )


def test_pairs_lost_by_banding_are_those_the_s_curve_expects():
    texts = mnb.datasets.generate_corpus(300)
    banding = mnb.Banding(10, 7)
    lost = []
    for seed in range(24):
        errors = error_decomposition(texts, 0.7, banding=banding, scheme=mnb.MinHash(70, seed=seed), linkage=None)
        assert set(errors["cause"]) <= {"", "banding"}
        lost.append((errors["cause"] == "banding").sum())
    expected = (1 - banding.detection_probability(errors["jaccard"].to_numpy())).sum()
    z = (np.mean(lost) - expected) / (np.std(lost, ddof=1) / 24**0.5)
    assert abs(z) < stats.t.isf(FALSE_ALARM / 2, 23)


def test_nothing_to_find_and_nothing_lost():
    assert len(error_decomposition([], 0.5)) == 0
    assert len(error_decomposition(["", "  ", "one alone"], 0.5)) == 0
    same = error_decomposition(["one and the same"] * 3, 0.5)
    assert same["outcome"].to_list() == ["found"] * 3
    assert list(same.columns) == ["i", "j", "jaccard", "jaccard_ids", "estimate", "outcome", "cause"]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"threshold": 0.0}, ValueError, "`threshold` must be in (0, 1], got 0.0"),
        ({"verify": "never"}, ValueError, "`verify` must be one of 'exact', 'estimate', 'none', got 'never'"),
        ({"linkage": "single"}, ValueError, "`linkage` must be one of 'star', 'components', None, got 'single'"),
        ({"gate": 1.1}, ValueError, "`gate` must be in [0, 1], got 1.1"),
        ({"id_bits": 33}, ValueError, "`id_bits` must be between 1 and 32, got 33"),
        ({"texts": "one text"}, TypeError, "`texts` must be a sequence of documents"),
        ({"max_pairs": 2}, ValueError, "`max_pairs` is 2, but"),
    ],
)
def test_bad_run(arguments, error, message):
    with pytest.raises(error) as caught:
        error_decomposition(**{"texts": ["one and the same"] * 3, "threshold": 0.5, **arguments})
    assert str(caught.value).startswith(message)


def test_clusters_may_hold_too_many_pairs():
    texts = [" ".join(f"w{n}" for n in range(start, start + 20)) for start in range(30)]  # a chain
    options = {"threshold": 0.8, "unit": "word", "k": 1, "linkage": "components", "banding": mnb.Banding(64, 1)}
    with pytest.raises(ValueError, match="`max_pairs` is 430, but clusters hold 435 pairs"):
        error_decomposition(texts, max_pairs=430, **options)
    errors = error_decomposition(texts, max_pairs=435, **options)
    assert (errors["cause"] == "clustering").sum() == 435 - len(true_pairs(texts, 0.8, unit="word", k=1))


# -- shingling_effect


def test_copies_are_as_similar_as_predicted_under_every_k():
    text = " ".join(f"w{n}" for n in range(200))
    rates = [0.02, 0.1]
    copies = mnb.datasets.edited_copies([text] * 300, rates, seed=6)
    texts = [text, *copies["text"]]
    pairs = [(0, 1 + copy) for copy in range(len(copies))]
    effect = shingling_effect(texts, k=[1, 2, 5], unit="word", pairs=pairs, sample=0)
    cells = [(k, rate) for k in (1, 2, 5) for rate in rates]
    bound = stats.norm.isf(FALSE_ALARM / (2 * len(cells)))
    for k, rate in cells:
        chosen = effect["k"].eq(k).to_numpy() & np.tile(copies["edit_rate"].eq(rate), 3)
        jaccard = effect.loc[chosen, "jaccard"]
        expected = mnb.theory.expected_jaccard_under_edits(201 - k, rate, k)
        # The Taylor series of the prediction leaves out a term of the third order: see test_datasets_made.
        spread = jaccard.std() * (2 - (1 - rate) ** k) ** 2 / 2  # of S / n, as J = S / (2 n - S)
        assert abs(jaccard.mean() - expected) < bound * jaccard.std() / 300**0.5 + 2 * (8 / np.pi) ** 0.5 * spread**3


def test_effect_is_exact_jaccard_under_every_choice():
    texts = ["One red kite.", "ONE RED KITE.", "one  red kite!", "nothing of the kind"]
    pairs = [(0, 1), (0, 2)]

    def vowels(text):
        return "".join(letter for letter in text if letter in "aeiou")

    effect = shingling_effect(texts, [2, 3], ["char", "word"], ["default", None, vowels], pairs=pairs, sample=4, seed=1)
    assert effect["normalize"].unique().tolist() == ["default", "none", "vowels"]
    assert len(effect) == 2 * 2 * 3 * 6
    for (unit, k, rule), group in effect.groupby(["unit", "k", "normalize"], sort=False):
        normalize = {"default": "default", "none": None, "vowels": vowels}[rule]
        shingles = mnb.shingle(texts, k, unit, normalize=normalize)
        assert group["jaccard"].to_list() == mnb.exact_jaccard(shingles, group).tolist()
        assert group["pairs"].to_list() == ["given"] * 2 + ["random"] * 4
        assert group[["i", "j"]].to_numpy()[:2].tolist() == [[0, 1], [0, 2]]
    case = effect[(effect["i"] == 0) & (effect["j"] == 1) & (effect["pairs"] == "given")].groupby("normalize")[
        "jaccard"
    ]
    assert case.min()["default"] == 1.0
    assert case.max()["none"] < 1.0


def test_random_pairs_are_uniform():
    effect = shingling_effect(["a", "b", "c", "d"], k=1, sample=6000, seed=2)
    counts = pd.Series(list(zip(effect["i"], effect["j"], strict=True))).value_counts()
    assert len(counts) == 12
    assert all(i != j for i, j in counts.index)
    assert stats.chisquare(counts).pvalue > FALSE_ALARM


def test_effect_refuses():
    with pytest.raises(ValueError, match="`texts` must hold at least 2 documents to compare, got 1"):
        shingling_effect(["one"])
    with pytest.raises(ValueError, match="`sample` must be at least 1 where no `pairs` are given, got 0"):
        shingling_effect(["one", "two"], sample=0)
    with pytest.raises(ValueError, match="`unit` must be one of"):
        shingling_effect(["one", "two"], unit="line")


# -- scaling


def test_scaling_varies_one_quantity_at_a_time():
    times = scaling(num_docs=[4000, 60], num_hashes=[16, 64, 32], threads=1, repeats=1, words_per_doc=20)
    settings = times[["varied", "documents", "num_hashes", "threads"]].drop_duplicates().to_numpy().tolist()
    most = settings[0][3]
    assert settings == [
        ["documents", 60, 32, most],
        ["documents", 4000, 32, most],
        ["hashes", 4000, 16, most],
        ["hashes", 4000, 32, most],
        ["hashes", 4000, 64, most],
        ["threads", 4000, 32, 1],
    ]
    assert times["step"].to_list() == ["shingle", "sign", "band", "verify"] * 6
    assert (times["seconds"] > 0).all()
    total = times[times["varied"] == "documents"].groupby("documents")["seconds"].sum()
    assert total[4000] > total[60]  # 67 times the work


def test_scaling_refuses():
    with pytest.raises(ValueError, match="`rows_per_band` must be between 1 and 4, got 8"):
        scaling(num_docs=10, num_hashes=[4, 16])
    with pytest.raises(ValueError, match="`repeats` must be at least 1, got 0"):
        scaling(num_docs=10, repeats=0)
    with pytest.raises(ValueError, match="`num_docs` must hold at least one value, got none"):
        scaling(num_docs=[])


# -- all of them


def run_all(**options):
    scheme, banding = mnb.MinHash(16), mnb.Banding(4, 4)
    texts = mnb.datasets.generate_corpus(60)
    shingles = mnb.shingle(texts)
    small = {"trials": 5, **options}
    return {
        "estimates": mnb.experiments.estimator_error(scheme, 0.5, 20, **small),
        "coverage": mnb.experiments.interval_coverage(scheme, 0.5, 20, **small),
        "timing": mnb.experiments.scheme_comparison(scheme, 0.5, 20, **small).drop(columns="nanoseconds"),
        "recall": mnb.experiments.banding_recall(banding, 0.5, **small),
        "draws": mnb.experiments.candidates_predicted_vs_observed(shingles, banding, draws=2, **options),
        "sweep": mnb.experiments.parameter_sweep(shingles, 0.5, 4, 4, **options).drop(columns="seconds"),
        "scaling": scaling(20, 16, 1, repeats=1, **options).drop(columns="seconds"),
        "shingling": shingling_effect(texts, 5, sample=10, **options),
        "signatures": error_decomposition(texts, 0.5, **options),
    }


def test_progress_is_shown_on_request_and_changes_nothing(capsys):
    silent = run_all()
    assert capsys.readouterr() == ("", "")
    loud = run_all(progress=True)
    shown = capsys.readouterr()
    assert not shown.out
    for name, frame in loud.items():
        assert f"{name}: 100%" in shown.err, name
        pd.testing.assert_frame_equal(frame, silent[name])


def test_every_column_is_documented():
    functions = {
        "estimates": "estimator_error",
        "coverage": "interval_coverage",
        "recall": "banding_recall",
        "draws": "candidates_predicted_vs_observed",
        "sweep": "parameter_sweep",
        "scaling": "scaling",
        "shingling": "shingling_effect",
        "signatures": "error_decomposition",
    }
    for key, frame in run_all().items():
        if key in functions:
            documented = getattr(mnb.experiments, functions[key]).__doc__.split("Returns\n")[1].split("Raises\n")[0]
            assert not [name for name in frame.columns if not re.search(rf"\b{name}\b", documented)], key
