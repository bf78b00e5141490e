"""Data with known truth: pairs of chosen Jaccard similarity, edited copies, planted duplicates."""

import inspect

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import minhash_nb as mnb
from minhash_nb import theory
from minhash_nb.datasets import edited_copies, pairs_with_jaccard, planted_corpus

FALSE_ALARM = 1e-3  # of each family of statistical checks


# -- pairs_with_jaccard


def sets_of(shingles):
    return [set(shingles.row(document).tolist()) for document in range(len(shingles))]


@settings(max_examples=60, deadline=None)
@given(
    pairs=st.lists(st.tuples(st.floats(0, 1), st.integers(1, 60)), max_size=6),
    ids=st.sampled_from(["random", "consecutive"]),
    seed=st.integers(0, 2**32),
)
def test_pairs_are_what_they_say(pairs, ids, seed):
    wanted, sizes = [jaccard for jaccard, _ in pairs], [size for _, size in pairs]
    shingles, table = pairs_with_jaccard(
        len(pairs), np.array(wanted, dtype=float), np.array(sizes, dtype=int), ids=ids, seed=seed
    )
    assert table[["i", "j"]].to_numpy().tolist() == [[2 * p, 2 * p + 1] for p in range(len(pairs))]
    assert table["union_size"].to_list() == sizes
    sets = sets_of(shingles)
    assert len(sets) == 2 * len(pairs)
    for first, second, jaccard, asked, size in zip(sets[::2], sets[1::2], table["jaccard"], wanted, sizes, strict=True):
        assert len(first | second) == size
        assert len(first & second) / size == jaccard
        assert abs(jaccard - asked) <= 0.5 / size + 1e-12
        assert 0 <= len(first) - len(second) <= 1
        if ids == "consecutive":
            union = sorted(first | second)
            assert union == list(range(union[0], union[0] + size))
            assert first == set(union[: len(first)])
            assert second == set(union[size - len(second) :])


def test_ids_that_meet_are_drawn_again():
    shingles, pairs = pairs_with_jaccard(3, 0.5, 300_000)  # some 10 ids of each union are drawn twice
    assert mnb.exact_jaccard(shingles, pairs).tolist() == pairs["jaccard"].to_list() == [0.5] * 3
    union = [np.union1d(shingles.row(2 * p), shingles.row(2 * p + 1)).size for p in range(3)]
    assert union == [300_000] * 3


def test_random_ids_are_uniform_and_independent():
    shingles, _ = pairs_with_jaccard(2000, 0.5, 50)
    rows = [shingles.row(2 * p) for p in range(2000)]
    counts = np.bincount(np.concatenate(rows) >> 26, minlength=64)
    assert stats.chisquare(counts).pvalue > FALSE_ALARM
    assert np.unique(np.concatenate(rows)).size > 0.9999 * sum(map(len, rows))


def test_pairs_are_seeded():
    first, again, other = (pairs_with_jaccard(5, 0.3, 20, seed=seed)[0] for seed in (1, 1, 2))
    assert np.array_equal(first.indices, again.indices)
    assert not np.array_equal(first.indices, other.indices)


def test_no_pair_and_one_number_for_all():
    shingles, pairs = pairs_with_jaccard(0, 0.5)
    assert len(shingles) == len(pairs) == 0
    assert list(pairs.columns) == ["i", "j", "jaccard", "union_size"]
    assert pairs_with_jaccard(3, 0.25, 8)[1]["jaccard"].to_list() == [0.25] * 3


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"num_pairs": -1}, ValueError, "`num_pairs` must be at least 0, got -1"),
        ({"jaccard": 1.2}, ValueError, "`jaccard` must be numbers in [0, 1], got 1.2"),
        ({"jaccard": float("nan")}, ValueError, "`jaccard` must be numbers in [0, 1], got nan"),
        ({"jaccard": "half"}, TypeError, "`jaccard` must be numbers in [0, 1], got 'half'"),
        ({"jaccard": [0.1, 0.2]}, ValueError, "`jaccard` must be one value or one for each of 3 pairs, got shape (2,)"),
        ({"union_size": 0}, ValueError, "`union_size` must be integers from 1 to 2**31, got 0"),
        ({"union_size": 2.5}, TypeError, "`union_size` must be integers from 1 to 2**31, got 2.5"),
        ({"ids": "sorted"}, ValueError, "`ids` must be one of 'random', 'consecutive', got 'sorted'"),
        ({"seed": -1}, ValueError, "`seed` must be at least 0, got -1"),
    ],
)
def test_bad_pairs(arguments, error, message):
    with pytest.raises(error) as caught:
        pairs_with_jaccard(**{"num_pairs": 3, "jaccard": 0.5, **arguments})
    assert str(caught.value) == message


# -- edited_copies


def distinct_words(number):
    return " ".join(f"w{n}" for n in range(number))


def test_copies_follow_the_prediction():
    texts = [distinct_words(300)] * 400
    cells = [(k, rate) for k in (1, 3, 5) for rate in (0.01, 0.05, 0.2)]
    z = stats.norm.isf(FALSE_ALARM / (2 * len(cells)))
    for k, rate in cells:
        copies = edited_copies(texts, rate, k=k, seed=int(1000 * rate) + k)
        shingles = mnb.shingle([texts[0], *copies["text"]], k=k, unit="word")
        jaccard = mnb.exact_jaccard(shingles, [(0, 1 + copy) for copy in range(400)])
        n, survive = 301 - k, (1 - rate) ** k
        variance = n * survive * (1 - survive) + 2 * sum(
            (n - lag) * survive * ((1 - rate) ** lag - survive) for lag in range(1, k)
        )
        # What the Taylor series of the prediction leaves out, with E|X|**3 = sqrt(8 / pi) sd**3 of a normal variable.
        neglected = 2 * (8 / np.pi) ** 0.5 * variance**1.5 / n**3
        error = jaccard.std(ddof=1) / 20
        assert abs(jaccard.mean() - copies["expected_jaccard"].iloc[0]) < z * error + neglected, (k, rate)


def test_edits_are_binomial():
    copies = edited_copies([distinct_words(1000)] * 100, [0.1])
    deviations = (copies["edits"] - 100) / (1000 * 0.1 * 0.9) ** 0.5
    assert abs(deviations.mean()) < 4 / 10
    assert abs((deviations**2).sum() - 100) < 4 * (2 * 100) ** 0.5  # chi-square with 100 degrees of freedom


def test_each_edit_is_a_new_word_in_place():
    texts = ["the night is long", "dark is the night"]
    copies = edited_copies(texts, [0.0, 0.5, 1.0], seed=3)
    assert copies["source"].to_list() == [0, 0, 0, 1, 1, 1]
    assert copies["edit_rate"].to_list() == [0.0, 0.5, 1.0] * 2
    known = {word for text in texts for word in text.split()}
    for row in copies.itertuples():
        before, after = texts[row.source].split(), row.text.split()
        changed = [new for old, new in zip(before, after, strict=True) if old != new]
        assert len(changed) == row.edits
        assert not known & set(changed)
        assert len(set(changed)) == len(changed)
    assert copies["edits"].to_list()[::3] == [0, 0]
    assert copies["edits"].to_list()[2::3] == [4, 4]


def test_words_of_the_texts_are_not_drawn():
    drawn = edited_copies(["a b c"], 1.0)["text"].to_list()
    assert not set(drawn[0].split()) & set(edited_copies(drawn, 1.0)["text"][0].split())  # the same draws otherwise


def test_short_and_blank_texts():
    copies = edited_copies(["", "  ", "one", "just two"], [0.25], k=3)
    assert copies["expected_jaccard"].to_list() == [0.0, 0.0, 0.75, 0.75**2]
    assert copies["text"].to_list()[:2] == ["", ""]
    many = edited_copies(["just two"] * 4000, 0.25, k=3, seed=1)
    jaccard = [float(text == "just two") for text in many["text"]]
    assert abs(np.mean(jaccard) - 0.5625) < 4 * (0.5625 * 0.4375 / 4000) ** 0.5


def test_prediction_counts_distinct_shingles():
    copies = edited_copies(["a b c d a b c d a b c d"], 0.1, k=2)
    assert copies["expected_jaccard"].iloc[0] == theory.expected_jaccard_under_edits(4, 0.1, 2)


def test_copies_take_a_series_and_are_seeded():
    texts = pd.Series(["one text of six whole words"] * 3, index=[7, 8, 9])
    first, again, other = (edited_copies(texts, 0.5, seed=seed) for seed in (4, 4, 5))
    pd.testing.assert_frame_equal(first, again)
    assert first["text"].to_list() != other["text"].to_list()
    assert list(first.columns) == ["source", "edit_rate", "edits", "expected_jaccard", "text"]
    assert len(edited_copies([], 0.5)) == 0


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"texts": "one text"}, TypeError, "`texts` must be a sequence of documents"),
        ({"edit_rate": -0.1}, ValueError, "`edit_rate` must be in [0, 1], got -0.1"),
        ({"edit_rate": [0.1, 2.0]}, ValueError, "`edit_rate` must be in [0, 1], got 2.0"),
        ({"k": 0}, ValueError, "`k` must be at least 1, got 0"),
        ({"seed": 1.5}, TypeError, "`seed` must be an integer at least 0, got 1.5"),
    ],
)
def test_bad_copies(arguments, error, message):
    with pytest.raises(error) as caught:
        edited_copies(**{"texts": ["a b c"], "edit_rate": 0.1, **arguments})
    assert str(caught.value).startswith(message)


# -- planted_corpus


def test_truth_of_a_planted_corpus():
    corpus = planted_corpus(1000, 0.3, seed=5)
    source = corpus["source"].to_numpy()
    copied = source != np.arange(1000)
    assert copied.sum() == 300
    assert not copied[source].any()  # sources are background
    assert corpus.loc[~copied, ["edit_rate", "edits", "expected_jaccard"]].drop_duplicates().to_numpy().tolist() == [
        [0.0, 0.0, 1.0]
    ]
    assert corpus.loc[copied, "edit_rate"].value_counts().to_dict() == dict.fromkeys((0.0, 0.01, 0.02, 0.05, 0.1), 60)
    for document in np.flatnonzero(copied):
        before, after = corpus["text"][source[document]].split(), corpus["text"][document].split()
        assert sum(old != new for old, new in zip(before, after, strict=True)) == corpus["edits"][document]
    # Standardised deviations of the similarities from the prediction have mean 0 if it is right.
    shingles = mnb.shingle(corpus["text"], k=3, unit="word")
    pairs = np.stack((np.flatnonzero(copied), source[copied]), axis=1)
    deviation = mnb.exact_jaccard(shingles, pairs) - corpus["expected_jaccard"][copied]
    assert abs(deviation.mean()) < 4 * deviation.std() / 300**0.5


def test_the_background_is_unrelated():
    corpus = planted_corpus(400, 0.1, seed=2)
    shingles = mnb.shingle(corpus["text"], k=3, unit="word")
    similar = set(zip(*np.triu_indices(400, 1), strict=True))
    pairs = np.array(sorted(similar))
    jaccard = mnb.exact_jaccard(shingles, pairs)
    source = corpus["source"].to_numpy()
    related = source[pairs[:, 0]] == source[pairs[:, 1]]
    assert jaccard[~related].max() < 0.1
    assert jaccard[related].min() > 0.2


def test_lengths_and_words_of_the_background():
    corpus = planted_corpus(2000, 0.0, words_per_doc=40, vocabulary=300, seed=8)
    lengths = corpus["text"].str.split().str.len()
    assert abs(lengths.mean() - 40) < 4 * (40 / 2000) ** 0.5
    words = pd.Series(" ".join(corpus["text"]).split())
    counts = words.value_counts()
    assert len(counts) == 300
    share = 1 / np.arange(1, 301) / (1 / np.arange(1, 301)).sum()
    assert (
        stats.chisquare(counts.to_numpy()[:20], share[:20] / share[:20].sum() * counts[:20].sum()).pvalue > FALSE_ALARM
    )


def test_planted_corpora_are_seeded_and_may_be_tiny():
    pd.testing.assert_frame_equal(planted_corpus(50, seed=1), planted_corpus(50, seed=1))
    assert planted_corpus(50, seed=1)["text"].to_list() != planted_corpus(50, seed=2)["text"].to_list()
    alone = planted_corpus(1, words_per_doc=1)
    assert len(alone) == 1
    assert alone["text"].str.strip().ne("").all()
    assert list(alone.columns) == ["text", "source", "edit_rate", "edits", "expected_jaccard"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_docs": 0}, "`num_docs` must be at least 1, got 0"),
        ({"dup_fraction": 1.0}, "`dup_fraction` must be in [0, 1), got 1.0"),
        ({"edit_rate": 1.5}, "`edit_rate` must be in [0, 1], got 1.5"),
        ({"words_per_doc": 0}, "`words_per_doc` must be at least 1, got 0"),
        ({"vocabulary": 10**7}, "`vocabulary` must be between 1 and 1000000, got 10000000"),
        ({"k": 0}, "`k` must be at least 1, got 0"),
    ],
)
def test_bad_planted_corpus(arguments, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        planted_corpus(**arguments)
    assert str(caught.value) == message


@pytest.mark.parametrize("function", [pairs_with_jaccard, edited_copies, planted_corpus])
def test_every_parameter_is_described(function):
    for name in inspect.signature(function).parameters:
        assert f"    {name}" in function.__doc__
