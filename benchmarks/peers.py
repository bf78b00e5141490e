"""Other tools, each by its fastest documented way for the input at hand. They are imported when called."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

import minhash_nb as mnb

NUM_HASHES = 128
BANDING = mnb.Banding(16, 8)


def windows(text: str) -> list[str]:
    """Return the character 5-grams of a normalised text, for tools that take tokens."""
    return [text[start : start + 5] for start in range(len(text) - 4)]


def rows_as_lists(shingles: mnb.ShingleMatrix) -> list[list[int]]:
    """Return the ids of each document as a list of Python ints."""
    return [shingles.row(document).tolist() for document in range(len(shingles))]


def as_pairs(neighbours: Iterable[Iterable[int]]) -> np.ndarray:
    """Turn the answers to a query of every document into sorted pairs i < j."""
    found = {(i, j) if i < j else (j, i) for i, others in enumerate(neighbours) for j in others if i != j}
    return np.array(sorted(found), dtype=np.int64).reshape(-1, 2)


def equal_slots(matrix: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Estimate the similarity of pairs: the fraction of equal slots."""
    return (matrix[pairs[:, 0]] == matrix[pairs[:, 1]]).mean(axis=1)


def occupied_slots(matrix: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Estimate likewise where slots may stay empty (all bits set): those empty in both documents do not count."""
    first, second = matrix[pairs[:, 0]], matrix[pairs[:, 1]]
    counted = np.minimum(first, second) != np.uint32(2**32 - 1)
    return ((first == second) & counted).sum(axis=1) / np.maximum(counted.sum(axis=1), 1)


# -- datasketch: one thread; sets of bytes, for repeats cost it more than their removal


def datasketch_signatures(
    tokens: Sequence[Any], seed: int = 42, hashfunc: Callable[[Any], int] | None = None
) -> list[Any]:
    from datasketch import MinHash

    return MinHash.bulk(tokens, num_perm=NUM_HASHES, seed=seed, hashfunc=hashfunc)


def datasketch_sign_texts(texts: Sequence[str], hashfunc: Callable[[Any], int] | None = None) -> list[Any]:
    tokens = [{window.encode() for window in windows(text)} for text in texts]
    return datasketch_signatures(tokens, hashfunc=hashfunc)


def datasketch_matrix(signatures: list[Any]) -> np.ndarray:
    return np.stack([signature.hashvalues for signature in signatures])


def datasketch_candidates(texts: Sequence[str]) -> list[list[int]]:
    from datasketch import MinHashLSH

    signatures = datasketch_sign_texts(texts)
    index = MinHashLSH(num_perm=NUM_HASHES, params=(BANDING.num_bands, BANDING.rows_per_band))
    for document, signature in enumerate(signatures):
        index.insert(document, signature, check_duplication=False)
    return [index.query(signature) for signature in signatures]


# -- rensa: bulk entry points; sketches on one thread, its LSH too


def rensa_csr(shingles: mnb.ShingleMatrix) -> tuple[np.ndarray, np.ndarray]:
    return shingles.indices.astype(np.uint64), shingles.indptr.astype(np.uint64)


def rensa_flat(csr: tuple[np.ndarray, np.ndarray], seed: int = 42) -> Any:
    from rensa import RMinHash

    return RMinHash.digest_matrix_from_flat_token_hashes(*csr, NUM_HASHES, seed)


def rensa_rho(csr: tuple[np.ndarray, np.ndarray], seed: int = 42) -> Any:
    from rensa import RMinHash

    return RMinHash.digest_matrix_from_flat_token_hashes_rho(*csr, NUM_HASHES, seed)


def rensa_matrix(digests: Any) -> np.ndarray:
    return np.array(digests.to_rows(), dtype=np.uint32)


def rensa_sign_texts(texts: Sequence[str]) -> Any:
    from rensa import RMinHash

    return RMinHash.digest_matrix_from_token_sets([windows(text) for text in texts], NUM_HASHES, 42)


def rensa_sign_bytes(texts: Sequence[str]) -> Any:
    """Token lists of bytes: quicker to cut, and the same 5-grams where the text is ASCII."""
    from rensa import RMinHash

    tokens = []
    for text in texts:
        units = text.encode()
        tokens.append([units[start : start + 5] for start in range(len(units) - 4)])
    return RMinHash.digest_matrix_from_token_byte_sets(tokens, NUM_HASHES, 42)


def rensa_candidates(texts: Sequence[str]) -> list[list[int]]:
    from rensa import RMinHash, RMinHashLSH

    signatures = RMinHash.from_token_sets([windows(text) for text in texts], NUM_HASHES, 42)
    index = RMinHashLSH(threshold=0.0, num_perm=NUM_HASHES, num_bands=BANDING.num_bands)
    index.insert_many(signatures)
    return index.query_all(signatures)


# -- gaoya: Rust from the text on, all cores


def gaoya_insert(texts: Sequence[str], threshold: float = 0.0) -> Any:
    from gaoya.minhash import MinHashStringIndex

    index = MinHashStringIndex(
        hash_size=32,
        jaccard_threshold=threshold,  # of the estimate; 0 lets every candidate pass
        num_bands=BANDING.num_bands,
        band_size=BANDING.rows_per_band,
        analyzer="char",
        ngram_range=(5, 5),
        id_container="smallvec",
    )
    index.par_bulk_insert_docs(list(range(len(texts))), texts)
    return index


def gaoya_neighbours(texts: Sequence[str], threshold: float = 0.0) -> list[list[int]]:
    return gaoya_insert(texts, threshold).par_bulk_query(texts)


# -- exact joins


def set_similarity_search(sets: list[list[int]], threshold: float) -> list[tuple[int, int, float]]:
    from SetSimilaritySearch import all_pairs

    return list(all_pairs(sets, similarity_func_name="jaccard", similarity_threshold=threshold))


def joined_pairs(found: list[tuple[int, int, float]]) -> np.ndarray:
    return np.array(sorted((min(i, j), max(i, j)) for i, j, _ in found), dtype=np.int64).reshape(-1, 2)


SPARSE_ROWS = 256


def sparse_matrix(shingles: mnb.ShingleMatrix) -> Any:
    """Return a scipy matrix of ones with 32-bit indices, the quicker ones."""
    matrix, _ = shingles.to_scipy()
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    return matrix


def sparse_product(matrix: Any, threshold: float, every: int = 1) -> np.ndarray:
    """Multiply the sparse matrix by its transpose, a block of rows at a time, and keep the similar pairs.

    With `every` only each so-many-th block is done, from the middle of the first ones on: that share of the time.
    """
    sizes = np.diff(matrix.indptr)
    transpose = matrix.T.tocsr()
    found = [np.empty((0, 2), dtype=np.int64)]
    for start in range(every // 2 * SPARSE_ROWS, matrix.shape[0], every * SPARSE_ROWS):
        common = (matrix[start : start + SPARSE_ROWS] @ transpose[:, start:]).tocoo()
        i, j = common.row + start, common.col + start
        similar = (i < j) & (common.data >= threshold * (sizes[i] + sizes[j] - common.data))
        found.append(np.stack((i[similar], j[similar]), axis=1))
    pairs = np.concatenate(found)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
