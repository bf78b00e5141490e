"""From verified pairs to labels: which document represents each one."""

from __future__ import annotations

from typing import Any

import numpy as np

from minhash_nb.kernels import clustering as kernels
from minhash_nb.validation import as_pairs, check_integer


def connected_components(pairs: Any, n_docs: int) -> np.ndarray:
    """Label every document with the least position in its connected component.

    Parameters
    ----------
    pairs : int array (n_pairs, 2), or a DataFrame with columns i and j
        Verified pairs: unverified ones chain a corpus into one component.
    n_docs : int
        Number of documents.

    Returns
    -------
    int64 array (n_docs,)

    Raises
    ------
    ValueError
        If a position is not in ``range(n_docs)``.

    Notes
    -----
    Along a chain of pairs above a threshold t, similarity is only guaranteed to be at least 1 - L (1 - t)
    after L steps (the Jaccard distance is a metric): see `star_clusters`.

    Examples
    --------
    >>> import minhash_nb as mnb
    >>> mnb.connected_components([(1, 3), (3, 4)], n_docs=5)
    array([0, 1, 2, 1, 1])
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components as scipy_components

    n_docs = check_integer("n_docs", n_docs, least=0)
    array = as_pairs(pairs, n_docs)
    if n_docs == 0:
        return np.empty(0, dtype=np.int64)
    graph = coo_array((np.ones(len(array), dtype=np.int8), (array[:, 0], array[:, 1])), shape=(n_docs, n_docs))
    _, component = scipy_components(graph, directed=False)
    _, least = np.unique(component, return_index=True)
    return least[component].astype(np.int64)


def star_clusters(pairs: Any, n_docs: int) -> np.ndarray:
    """Label every document with the first kept document it is similar to; unlabelled ones are kept.

    In document order, a document is removed if it is in a verified pair with a kept one. So every removed
    document has a witness at or above the threshold, and no two kept documents are in a verified pair.

    Parameters
    ----------
    pairs : int array (n_pairs, 2), or a DataFrame with columns i and j
        Verified pairs.
    n_docs : int
        Number of documents.

    Returns
    -------
    int64 array (n_docs,)
        ``labels[d] == d`` for the kept documents.

    Raises
    ------
    ValueError
        If a position is not in ``range(n_docs)``.

    Notes
    -----
    Linear in documents and pairs (plus a sort). The star clustering of Aslam, Pelekhov, Rus (2004), with
    document order in the place of degree.

    Examples
    --------
    A chain: 0 keeps 1 away, so 2, which is similar to 1 only, stays.

    >>> from minhash_nb.clustering import star_clusters
    >>> star_clusters([(0, 1), (1, 2)], n_docs=3)
    array([0, 0, 2])
    """
    n_docs = check_integer("n_docs", n_docs, least=0)
    array = np.sort(as_pairs(pairs, n_docs), axis=1)
    before, after = array[:, 0], array[:, 1]
    order = np.lexsort((before, after))
    indptr = np.zeros(n_docs + 1, dtype=np.int64)
    np.cumsum(np.bincount(after, minlength=n_docs), out=indptr[1:])
    labels = np.empty(n_docs, dtype=np.int64)
    kernels.keep_first(indptr, before[order], labels)
    return labels
