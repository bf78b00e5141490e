"""Labels from pairs, against the reference and by their defining properties."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minhash_nb as mnb
from minhash_nb import reference
from minhash_nb.clustering import star_clusters


@st.composite
def graphs(draw):
    n_docs = draw(st.integers(1, 30))
    position = st.integers(0, n_docs - 1)
    pairs = draw(st.lists(st.tuples(position, position), max_size=60))
    return pairs, n_docs


@settings(max_examples=200)
@given(graphs())
def test_components_are_the_reference_s(graph):
    pairs, n_docs = graph
    labels = mnb.connected_components(pairs, n_docs)
    assert labels.dtype == np.int64
    assert labels.tolist() == reference.connected_components(pairs, n_docs)


@settings(max_examples=200)
@given(graphs())
def test_stars_are_the_reference_s(graph):
    pairs, n_docs = graph
    pairs = [pair for pair in pairs if pair[0] != pair[1]]
    labels = star_clusters(pairs, n_docs)
    assert labels.dtype == np.int64
    assert labels.tolist() == reference.star_clusters(pairs, n_docs)


@settings(max_examples=200)
@given(graphs())
def test_stars_keep_a_witness_of_each_and_no_pair_of_kept_ones(graph):
    pairs, n_docs = graph
    pairs = {(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]}
    labels = star_clusters(sorted(pairs), n_docs)
    kept = set(np.flatnonzero(labels == np.arange(n_docs)).tolist())
    for document, label in enumerate(labels.tolist()):
        assert label in kept
        assert label == document or (label, document) in pairs
        if label != document:  # the least of the kept neighbours before it
            assert label == min(i for i, j in pairs if j == document and i in kept)
    assert not any(i in kept and j in kept for i, j in pairs)


@given(graphs(), st.randoms())
def test_order_repeats_and_direction_of_pairs_do_not_matter(graph, random):
    pairs, n_docs = graph
    pairs = [pair for pair in pairs if pair[0] != pair[1]]
    other = [pair[::-1] if random.random() < 0.5 else pair for pair in pairs * 2]
    random.shuffle(other)
    for cluster in (mnb.connected_components, star_clusters):
        np.testing.assert_array_equal(cluster(pairs, n_docs), cluster(other, n_docs))


@given(graphs())
def test_stars_refine_components(graph):
    pairs, n_docs = graph
    components = mnb.connected_components(pairs, n_docs)
    stars = star_clusters(pairs, n_docs)
    np.testing.assert_array_equal(components[stars], components)


def test_pairs_of_documents_with_themselves_change_nothing():
    pairs = [(2, 2), (0, 3), (3, 3), (0, 0)]
    assert star_clusters(pairs, 4).tolist() == [0, 1, 2, 0]
    assert mnb.connected_components(pairs, 4).tolist() == [0, 1, 2, 0]


def test_a_long_chain():
    chain = np.stack((np.arange(9_999), np.arange(1, 10_000)), axis=1)
    assert (mnb.connected_components(chain, 10_000) == 0).all()
    labels = star_clusters(chain, 10_000)
    assert (labels[::2] == np.arange(0, 10_000, 2)).all()  # every second document stays
    assert (labels[1::2] == np.arange(0, 10_000, 2)).all()


def test_documents_without_pairs_stand_alone():
    for cluster in (mnb.connected_components, star_clusters):
        assert cluster([], 3).tolist() == [0, 1, 2]
        assert cluster([], 0).shape == (0,)
        assert cluster([], 0).dtype == np.int64
        frame = pd.DataFrame({"i": [1], "j": [2], "jaccard": [0.9]})
        assert cluster(frame, np.int64(4)).tolist() == [0, 1, 1, 3]


@pytest.mark.parametrize("cluster", [mnb.connected_components, star_clusters])
def test_bad_arguments_are_named(cluster):
    with pytest.raises(ValueError, match=re.escape("`pairs` must hold positions from 0 to 2, got 3")):
        cluster([(0, 3)], 3)
    with pytest.raises(ValueError, match=re.escape("`n_docs` must be at least 0, got -1")):
        cluster([], -1)
    with pytest.raises(TypeError, match=re.escape("`n_docs` must be an integer at least 0, got 3.0")):
        cluster([], 3.0)
