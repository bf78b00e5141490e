"""Choosing bands and rows: the table against theory, forecasts against what runs find, presets, bad input."""

import warnings
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

import minhash_nb as mnb
from minhash_nb import theory
from minhash_nb.joins import similarity_histogram, similarity_join
from minhash_nb.similarity import first_equal
from minhash_nb.tuning import PRESETS, TuningResult, compare_presets, flat_curve, tune

SEEDS = 20
COLUMNS = [
    "num_bands",
    "rows_per_band",
    "num_hashes",
    "recall_at_threshold",
    "recall_above_threshold",
    "recall_low",
    "recall_high",
    "candidates",
    "errors",
    "bytes_per_document",
]


@pytest.fixture(scope="module")
def small():
    """Families of near-copies over unrelated documents, with copies and empty documents."""
    rng = np.random.default_rng(1)
    rows = []
    for family in range(60):
        base = set(rng.integers(0, 4000, 80).tolist())
        for _ in range(1 + family % 4):
            kept = sorted(base)
            rows.append(set(kept) - set(rng.choice(kept, int(rng.integers(1, 20)), replace=False).tolist()))
    rows += [rows[0], rows[0], [], []]
    return mnb.ShingleMatrix.from_sets(rows)


@pytest.fixture(scope="module")
def tuned(small):
    return tune(small, threshold=0.8, recall=0.95, max_hashes=128)


def distinct(shingles):
    is_first = first_equal(shingles) == np.arange(len(shingles))
    return shingles.take(np.flatnonzero(is_first & ~shingles.is_empty))


def all_bandings(budget):
    return [(bands, rows) for bands in range(1, budget + 1) for rows in range(1, budget // bands + 1)]


def exact_similarities(shingles):
    i, j = np.triu_indices(len(shingles), 1)
    return mnb.exact_jaccard(shingles, np.stack((i, j), axis=1))


def test_table_has_every_banding_and_its_exact_expectations(small, tuned):
    table = tuned.table
    assert table.columns.tolist() == [*COLUMNS, "pareto"]
    assert list(zip(table["num_bands"], table["rows_per_band"], strict=True)) == all_bandings(128)
    assert (table["num_hashes"] == table["num_bands"] * table["rows_per_band"]).all()
    forecast = [theory.memory_forecast(1, b * r, b) for b, r in all_bandings(128)]
    assert table["bytes_per_document"].tolist() == [part.signatures + part.links for part in forecast]
    jaccard = exact_similarities(distinct(small))
    above = jaccard >= 0.8
    for row in table.iloc[::97].itertuples():
        found = theory.s_curve(jaccard, row.num_bands, row.rows_per_band)
        assert row.recall_at_threshold == theory.s_curve(0.8, row.num_bands, row.rows_per_band)
        # Bins of .005 stand for the similarities inside them; with one row P rises by up to b * .005 in a bin.
        assert row.recall_above_threshold == pytest.approx(found[above].mean(), abs=2e-3)
        assert row.candidates == pytest.approx(found.sum(), rel=0.02, abs=0.5)
        errors = found[~above].sum() + (1 - found[above]).sum()
        assert row.errors == pytest.approx(errors, rel=0.02, abs=0.5)


def test_errors_are_the_areas_weighted_by_the_density(small, tuned):
    bands, rows = tuned.table["num_bands"].to_numpy(), tuned.table["rows_per_band"].to_numpy()
    density = tuned.histogram.density
    area = theory.false_positive_area(0.8, bands, rows, density) + theory.false_negative_area(0.8, bands, rows, density)
    np.testing.assert_allclose(tuned.table["errors"], area * tuned.histogram.n_pairs, rtol=1e-6, atol=1e-6)


def test_copies_and_empty_documents_do_not_count(small, tuned):
    alone = tune(distinct(small), threshold=0.8, recall=0.95, max_hashes=128)
    assert tuned.n_docs == len(small)
    assert tuned.histogram.n_docs == alone.n_docs == len(distinct(small)) == len(small) - 4
    assert tuned.best == alone.best
    np.testing.assert_allclose(tuned.table.astype(float), alone.table.astype(float))


@pytest.mark.parametrize("objective", ["at_threshold", "above_threshold", "area"])
@pytest.mark.parametrize("threshold", [0.5, 0.8])
def test_choice_is_the_cheapest_row_that_does(small, objective, threshold):
    result = tune(small, threshold, 0.9, max_hashes=100, objective=objective)
    table = result.table
    reach = {
        "at_threshold": table["recall_at_threshold"] >= 0.9,
        "above_threshold": table["recall_above_threshold"] >= 0.9,
        "area": table["num_bands"] > 0,
    }[objective]
    cost = table["errors" if objective == "area" else "candidates"]
    row = result.chosen
    assert reach[row.name]
    assert cost[row.name] <= cost[reach].min() + 0.5
    cheap = table[reach & (cost <= cost[reach].min() + 0.5)]
    assert row["num_hashes"] == cheap["num_hashes"].min()
    assert row["num_hashes"] == result.best.num_hashes
    # The front: reaches the recall, and nothing that does is as good in one of the two and better in the other.
    hashes, cost = table["num_hashes"].to_numpy(), cost.to_numpy()
    for place in range(len(table)):
        as_good = reach & (hashes <= hashes[place]) & (cost <= cost[place])
        better = as_good & ((hashes < hashes[place]) | (cost < cost[place]))
        assert not (table["pareto"][place] and better.any())
        assert table["pareto"][place] or not reach[place] or as_good.sum() > 1
    assert table["pareto"].any()


def test_at_threshold_agrees_with_the_rule_of_thumb_where_rows_are_what_counts(load_texts):
    """Most rows, then fewest bands, is right where candidates fall with every row, as on the licences."""
    shingles = mnb.shingle(load_texts("spdx_licenses"))
    for threshold in (0.7, 0.9):
        assert tune(shingles, threshold, 0.95, 128).best == mnb.Banding.for_recall(threshold, 0.95, 128)


def test_result_reads_well(tuned):
    text = repr(tuned)
    row = tuned.chosen
    assert str(tuned.best) in text
    assert f"{row['recall_at_threshold']:.3f} at the threshold" in text
    assert f"{row['candidates']:,.0f} to expect of {tuned.histogram.n_pairs:,} pairs" in text
    assert f"{tuned.best.num_hashes} of 128, {128 - tuned.best.num_hashes} unused" in text
    assert isinstance(tuned, TuningResult)
    with pytest.raises(FrozenInstanceError):
        tuned.recall = 0.5
    area = tune(mnb.ShingleMatrix.from_sets([range(9), range(10), [20]]), 0.8, objective="area", max_hashes=9)
    assert "threshold 0.8, objective 'area'" in repr(area)


# -- forecasts against runs: the same 20 draws of 256 hashes for all bandings of a corpus

LEVELS = (0.5, 0.7, 0.8, 0.9)
WEIGHTS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.99)


def datasketch_choice(threshold, budget, false_negative_weight):
    """The search of datasketch 2.0: least weighted area under a uniform density."""
    bands, rows = np.array(all_bandings(budget)).T
    area = (1 - false_negative_weight) * theory.false_positive_area(threshold, bands, rows)
    area += false_negative_weight * theory.false_negative_area(threshold, bands, rows)
    best = int(np.argmin(area))
    return mnb.Banding(int(bands[best]), int(rows[best]))


def test_datasketch_choices_are_those_measured_in_it():
    measured = {0.5: (25, 5), 0.7: (14, 9), 0.8: (9, 13), 0.9: (5, 25)}
    weighted = {0.5: (32, 4), 0.7: (20, 6), 0.8: (14, 9), 0.9: (8, 16)}
    for threshold, shape in measured.items():
        assert datasketch_choice(threshold, 128, 0.5) == mnb.Banding(*shape)
        assert datasketch_choice(threshold, 128, 0.9) == mnb.Banding(*weighted[threshold])


def packed(pairs):
    return (pairs[:, 0] << 32) | pairs[:, 1]


@pytest.fixture(scope="module", params=["spdx_licenses", "febrl2", "civil_codes"])
def runs(request, load_texts):
    """For each threshold and objective: the tuning, and recall above the threshold and candidates of 20 runs."""
    texts = load_texts(request.param)
    shingles = distinct(mnb.shingle(texts[::6] if request.param == "civil_codes" else texts))
    jobs = {}
    for threshold in LEVELS:
        truth = packed(similarity_join(shingles, threshold=threshold)[["i", "j"]].to_numpy())
        for objective in ("at_threshold", "above_threshold"):
            result = tune(shingles, threshold, 0.95, 256, objective)
            jobs[threshold, objective] = result, truth, np.empty(SEEDS), np.empty(SEEDS)
    for seed in range(SEEDS):
        signatures = mnb.compute_signatures(shingles, mnb.MinHash(256, seed=seed))
        for result, truth, recall, candidates in jobs.values():
            found = packed(mnb.candidate_pairs(signatures, result.best))
            recall[seed] = np.isin(truth, found).mean()
            candidates[seed] = found.size
    return jobs


def test_recall_comes_true(runs):
    for (threshold, objective), (result, _, recall, _) in runs.items():
        error = recall.std(ddof=1) / np.sqrt(SEEDS)
        assert recall.mean() >= 0.95 - 4 * error, (threshold, objective)
        assert abs(recall.mean() - result.chosen["recall_above_threshold"]) < 4.5 * error, (threshold, objective)


def test_forecast_spread_of_the_recall_is_that_between_seeds(runs):
    """Found or missed together if they share a document: too wide in families, a little narrow in large corpora."""
    inside = [
        (recall >= result.chosen["recall_low"]) & (recall <= result.chosen["recall_high"])
        for result, _, recall, _ in runs.values()
    ]
    # All bandings share 20 draws, so what can be told apart is the mean over the draws: .95 within 4 errors.
    per_seed = np.mean(inside, axis=0)
    assert per_seed.mean() >= 0.95 - 4 * per_seed.std(ddof=1) / np.sqrt(SEEDS)


def test_interval_of_one_run_is_binomial_for_pairs_apart_and_wider_for_pairs_that_share_a_document():
    pair = [set(range(17)) | {17, 18, 19}, set(range(17)) | {20}]  # 17 of 21
    far = [[{100 * number + token for token in row} for row in pair] for number in range(30)]
    apart = mnb.ShingleMatrix.from_sets([row for rows in far for row in rows])
    result = tune(apart, threshold=0.8, recall=0.5, max_hashes=40)
    row = result.chosen
    single = (row["recall_above_threshold"] * (1 - row["recall_above_threshold"])) ** 0.5
    assert row["recall_high"] - row["recall_above_threshold"] == pytest.approx(1.96 * single / 30**0.5, rel=0.01)
    # Ten hubs with three neighbours each: variance 10 * 9 q**2 instead of 30 q**2.
    hub = set(range(80))
    star = [hub, *(hub - set(range(10 * turn, 10 * turn + 10)) for turn in range(3))]
    stars = mnb.ShingleMatrix.from_sets(
        [{100 * number + token for token in row} for number in range(10) for row in star]
    )
    assert len(similarity_join(stars, threshold=0.8)) == 30  # 70 of 80 with the hub, 60 of 80 with each other
    row = tune(stars, threshold=0.8, recall=0.5, max_hashes=40).chosen
    single = (row["recall_above_threshold"] * (1 - row["recall_above_threshold"])) ** 0.5
    assert row["recall_above_threshold"] - row["recall_low"] == pytest.approx(1.96 * single / 10**0.5, rel=0.01)


def test_candidates_come_true(runs):
    for key, (result, _, _, candidates) in runs.items():
        assert 1 / 1.5 < candidates.mean() / result.chosen["candidates"] < 1.5, key


def test_no_setting_of_datasketch_reaches_the_recall_with_fewer_candidates(runs):
    for (threshold, objective), (result, *_) in runs.items():
        column = f"recall_{objective}"
        table = result.table.set_index(["num_bands", "rows_per_band"])
        compared = 0
        for weight in WEIGHTS:
            other = datasketch_choice(threshold, 256, weight)
            row = table.loc[(other.num_bands, other.rows_per_band)]
            if row[column] >= 0.95:
                assert row["candidates"] >= result.chosen["candidates"] - 0.5, (threshold, objective, weight)
                compared += 1
            if row["recall_above_threshold"] >= result.chosen["recall_above_threshold"]:
                assert row["candidates"] >= result.chosen["candidates"] - 0.5, (threshold, objective, weight)
        assert compared


def test_sampled_background_gives_the_same_forecast(load_texts):
    shingles = mnb.shingle(load_texts("febrl2"))
    everything = tune(shingles, 0.7)
    sampled = tune(shingles, 0.7, sample=1000, seed=3)
    assert everything.histogram.exact
    assert sampled.histogram.n_sampled == 1000
    assert sampled.best == everything.best
    np.testing.assert_allclose(sampled.table["recall_above_threshold"], everything.table["recall_above_threshold"])
    likely = everything.table["candidates"] > 100
    ratio = (sampled.table["candidates"] / everything.table["candidates"])[likely]
    assert ratio.between(1 / 1.5, 1.5).all()
    assert "1,000 compared with all" in repr(sampled)


# -- presets


def test_presets_have_their_published_shapes_and_a_source():
    shapes = {name: (preset.banding.num_bands, preset.banding.rows_per_band) for name, preset in PRESETS.items()}
    assert shapes == {
        "chapter": (16, 8),
        "fineweb": (14, 8),
        "refinedweb": (450, 20),
        "slimpajama": (9, 13),
        "dclm": (93, 15),
        "nemo": (20, 13),
        "stack": (25, 10),
    }
    for preset in PRESETS.values():
        assert preset.source
        assert preset.shingles
        assert preset.note
        assert preset.threshold is None or 0 < preset.threshold <= 1
    assert PRESETS["slimpajama"].banding == mnb.Banding.for_threshold(0.8, 128)
    assert PRESETS["stack"].banding == mnb.Banding.for_threshold(0.7, 256)
    with pytest.raises(TypeError):
        PRESETS["mine"] = PRESETS["chapter"]


@pytest.mark.parametrize(
    ("name", "similarity", "probability"),
    [
        ("chapter", 0.7, 0.613),
        ("chapter", 0.8, 0.947),
        ("fineweb", 0.70, 0.56),
        ("fineweb", 0.75, 0.77),
        ("fineweb", 0.80, 0.92),
        ("fineweb", 0.85, 0.988),
        ("refinedweb", 0.75, 0.7605),
        ("refinedweb", 0.8, 0.9946),
        ("slimpajama", 0.8, 0.399),
        ("dclm", 0.8, 0.964),
        ("nemo", 0.8, 0.677),
    ],
)
def test_presets_find_what_their_sources_say(name, similarity, probability):
    digits = len(str(probability).split(".")[1])
    # FineWeb's figures are cut, not rounded: within one unit of the last digit.
    assert abs(PRESETS[name].banding.detection_probability(similarity) - probability) < 10.0**-digits


def test_presets_are_compared_on_the_corpus(small):
    table = compare_presets(small, threshold=0.8)
    assert table.index.tolist() == list(PRESETS)
    assert table.index.name == "preset"
    assert table.columns.tolist() == COLUMNS
    everything = tune(small, 0.8).table.set_index(["num_bands", "rows_per_band"])
    for name in ("chapter", "fineweb", "slimpajama", "stack"):
        shape = table.loc[name, "num_bands"], table.loc[name, "rows_per_band"]
        for column in COLUMNS[2:]:
            assert table.loc[name, column] == pytest.approx(everything.loc[shape, column])


# -- sentences instead of surprises


def test_flat_curves_are_told():
    low = similarity_histogram(mnb.ShingleMatrix.from_sets([range(10), range(8, 18), range(16, 26)]))  # 2 of 18
    assert "finds next to nothing here: similarities are at most 0.12" in flat_curve(mnb.Banding(20, 450), low)
    assert flat_curve(mnb.Banding(64, 1), low) is not None
    assert "nearly every pair that shares a shingle" in flat_curve(mnb.Banding(64, 1), low)
    assert flat_curve(mnb.Banding(10, 1), low) is None
    none = similarity_histogram(mnb.ShingleMatrix.from_sets([{1}, {2}]))
    assert "no two different documents have a shingle in common" in flat_curve(mnb.Banding(16, 8), none)


def test_presets_that_find_nothing_are_told():
    corpus = mnb.ShingleMatrix.from_sets([range(10), range(8, 18), range(16, 26)])
    with pytest.warns(UserWarning, match="preset '.*': Banding.* finds next to nothing") as caught:
        table = compare_presets(corpus, 0.8)
    assert len(caught) == len(PRESETS)
    assert table["recall_above_threshold"].isna().all()


def test_tune_tells_where_everything_becomes_a_candidate():
    rows = [set(range(100)) | {100 + number} for number in range(30)]  # all pairs at 100 / 102
    with pytest.warns(UserWarning, match="makes nearly every pair that shares a shingle a candidate"):
        tune(mnb.ShingleMatrix.from_sets(rows), threshold=0.5)


@pytest.mark.parametrize("objective", ["at_threshold", "above_threshold", "area"])
def test_all_distinct(objective):
    """Nothing in common: no candidates whatever the banding, so the fewest hashes that keep the promise."""
    corpus = mnb.ShingleMatrix.from_sets([[number] for number in range(20)])
    with pytest.warns(UserWarning, match=r"no two different documents have a similarity of 0\.8 or more"):
        result = tune(corpus, 0.8, 0.95, objective=objective)
    assert result.chosen["candidates"] == 0
    assert np.isnan(result.chosen["recall_above_threshold"])
    assert result.best == (mnb.Banding(1, 1) if objective == "area" else mnb.Banding(2, 1))
    assert "no pair of the corpus is above it" in repr(result)


@pytest.mark.parametrize(
    ("rows", "got"),
    [([], "got 0 among 0"), ([[], []], "got 0 among 2"), ([[1]], "got 1 among 1"), ([[1, 2]] * 50, "got 1 among 50")],
    ids=["no document", "empty documents", "one document", "all identical"],
)
def test_fewer_than_two_different_documents_are_refused(rows, got):
    corpus = mnb.ShingleMatrix.from_sets(rows)
    for function in (tune, compare_presets):
        with pytest.raises(ValueError, match=f"at least two different documents.*{got}.*Banding.for_recall"):
            function(corpus)


@pytest.mark.parametrize("objective", ["at_threshold", "above_threshold"])
@pytest.mark.parametrize(("threshold", "recall"), [(0.2, 0.999), (0.3, 0.999), (0.05, 0.99)])
def test_infeasible_recall_names_the_least_budget_that_will_do(small, threshold, recall, objective):
    with pytest.raises(ValueError, match=f"`max_hashes`=2 is too small for recall {recall}") as caught:
        tune(small, threshold, recall, max_hashes=2, objective=objective)
    least = int(str(caught.value).rsplit("=", 1)[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tune(small, threshold, recall, max_hashes=least, objective=objective)
    with pytest.raises(ValueError, match="too small"):
        tune(small, threshold, recall, max_hashes=least - 1, objective=objective)
    if objective == "at_threshold":
        with pytest.raises(ValueError, match=f"num_hashes={least}$"):
            mnb.Banding.for_recall(threshold, recall, 2)


def test_threshold_one_finds_nothing_that_grouping_has_not_found(small):
    with pytest.warns(UserWarning, match=r"similarity of 1\.0 or more"):
        result = tune(small, threshold=1.0)
    assert result.chosen["recall_at_threshold"] == 1.0
    assert result.chosen["candidates"] < 0.5 + result.table["candidates"].min()


def test_a_threshold_that_is_no_multiple_of_the_bin_width(small):
    result = tune(small, threshold=0.777, recall=0.9)
    assert 0.777 in result.histogram.edges
    jaccard = exact_similarities(distinct(small))
    found = result.best.detection_probability(jaccard[jaccard >= 0.777])
    assert result.chosen["recall_above_threshold"] == pytest.approx(found.mean(), abs=2e-3)


def test_bad_options_are_refused(small):
    for threshold in (0, -1, 1.01, float("nan")):
        with pytest.raises(ValueError, match=r"`threshold` must be in \(0, 1\]"):
            tune(small, threshold)
        with pytest.raises(ValueError, match=r"`threshold` must be in \(0, 1\]"):
            compare_presets(small, threshold)
    for recall in (0, 1.0, 1.2):
        with pytest.raises(ValueError, match=r"`recall` must be in \(0, 1\)"):
            tune(small, 0.8, recall)
    with pytest.raises(ValueError, match="`max_hashes` must be at least 1"):
        tune(small, max_hashes=0)
    with pytest.raises(TypeError, match="`max_hashes` must be an integer"):
        tune(small, max_hashes=12.5)
    with pytest.raises(ValueError, match="`objective` must be one of 'at_threshold', 'above_threshold', 'area'"):
        tune(small, objective="speed")
    with pytest.raises(ValueError, match="`sample` must be at least 2"):
        tune(small, sample=0)
    with pytest.raises(TypeError, match="`shingles` must be a ShingleMatrix, got list"):
        tune(["a text"])
