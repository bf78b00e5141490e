"""Keeping the first document of every group of near-duplicates."""

from minhash_nb.kernels._compile import kernel


@kernel(parallel=False)
def keep_first(indptr, neighbours, labels):
    """Fill ``labels[d]`` with the least kept neighbour of d, or d itself, which is then kept.

    Row d of the adjacency lists holds the neighbours before d only, ascending: whether each of them is
    kept is known when d is reached.
    """
    for d in range(labels.size):
        labels[d] = d
        for i in range(indptr[d], indptr[d + 1]):
            neighbour = neighbours[i]
            if labels[neighbour] == neighbour:
                labels[d] = neighbour
                break
