"""What `find_near_duplicates` returns: tables of pairs, removed documents and clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from minhash_nb.joins.copies import Copies, pairs_between, pairs_within
from minhash_nb.shingling import ShingleMatrix
from minhash_nb.similarity import exact_jaccard

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class NearDuplicates:
    """What `find_near_duplicates` found.

    Parameters
    ----------
    pairs : DataFrame
        i, j (i < j), jaccard (exact, at or above the threshold), estimate; sorted by (i, j). Documents
        with equal shingle sets appear as a star (first, other, 1.0), and the first stands for all of
        them in the other pairs: `expanded_pairs` multiplies that out.
    labels : int64 array (n_docs,)
        Position of each document's representative; its own if it is kept.
    removed : DataFrame
        document, representative, jaccard (exact; with linkage="components" it may be below the threshold).
    clusters : DataFrame
        representative, size, least_jaccard (over the verified pairs inside); clusters of two or more.
    report : dict
        Counts, parameters, and seconds for each step.
    """

    pairs: pd.DataFrame
    labels: np.ndarray
    removed: pd.DataFrame
    clusters: pd.DataFrame
    report: dict[str, Any]

    @property
    def keep(self) -> np.ndarray:
        """Which documents represent themselves, bool (n_docs,)."""
        return self.labels == np.arange(self.labels.size)

    def expanded_pairs(self, max_pairs: int = 100_000_000) -> pd.DataFrame:
        """Return every verified pair, copies included: columns i, j, jaccard, sorted by (i, j).

        Raises
        ------
        ValueError
            If there are more than `max_pairs` of them (a thousand copies make half a million pairs).
        """
        import pandas as pd

        i, j, jaccard = (self.pairs[name].to_numpy() for name in ("i", "j", "jaccard"))
        is_copy = jaccard == 1.0  # different sets have less
        first = np.arange(self.labels.size)
        first[j[is_copy]] = i[is_copy]
        sizes = np.bincount(first, minlength=first.size)
        products = (sizes[i] * sizes[j])[~is_copy]
        total = int(products.sum() + (sizes * (sizes - 1) // 2).sum())
        if total > max_pairs:
            raise ValueError(f"`max_pairs` is {max_pairs:,}, but copies expand to {total:,} pairs: raise max_pairs")
        groups = Copies(np.concatenate(([0], np.cumsum(sizes))), np.argsort(first, kind="stable"))
        between = pairs_between(groups, groups, i[~is_copy], j[~is_copy])
        within = pairs_within(groups)
        left, right = (np.concatenate(documents) for documents in zip(between, within, strict=True))
        value = np.concatenate((np.repeat(jaccard[~is_copy], products), np.ones(within[0].size)))
        frame = pd.DataFrame({"i": np.minimum(left, right), "j": np.maximum(left, right), "jaccard": value})
        return frame.sort_values(["i", "j"], ignore_index=True)

    def __repr__(self) -> str:
        report = self.report
        return (
            f"NearDuplicates at threshold {report['parameters']['threshold']}: {report['documents']:,} documents, "
            f"{report['candidates']:,} candidates, {len(self.pairs):,} pairs, {report['clusters']:,} clusters "
            f"(largest {report['largest_cluster']:,}), {report['removed']:,} removed, "
            f"{report['documents'] - report['removed']:,} kept; {sum(report['seconds'].values()):.2f} s"
        )


def pair_frame(pairs: np.ndarray, jaccard: np.ndarray, estimate: np.ndarray) -> pd.DataFrame:
    """Return the columns of `NearDuplicates.pairs`, sorted by (i, j)."""
    import pandas as pd

    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    columns = {"i": pairs[:, 0], "j": pairs[:, 1], "jaccard": jaccard, "estimate": estimate}
    return pd.DataFrame({name: values[order] for name, values in columns.items()})


def removed_frame(shingles: ShingleMatrix, labels: np.ndarray) -> pd.DataFrame:
    """Return the columns of `NearDuplicates.removed`."""
    import pandas as pd

    documents = np.flatnonzero(labels != np.arange(labels.size))
    representatives = labels[documents]
    jaccard = exact_jaccard(shingles, np.stack((documents, representatives), axis=1))
    jaccard[shingles.is_empty[documents]] = 1.0  # removed as copies by empty="duplicates"
    return pd.DataFrame({"document": documents, "representative": representatives, "jaccard": jaccard})


def cluster_frame(pairs: pd.DataFrame, labels: np.ndarray) -> pd.DataFrame:
    """Return the columns of `NearDuplicates.clusters`."""
    import pandas as pd

    representatives, sizes = np.unique(labels, return_counts=True)
    label = labels[pairs["i"].to_numpy()]
    inside = label == labels[pairs["j"].to_numpy()]
    least = pairs["jaccard"][inside].groupby(label[inside]).min()
    several = representatives[sizes > 1]
    return pd.DataFrame(
        {
            "representative": several,
            "size": sizes[sizes > 1],
            "least_jaccard": least.reindex(several).to_numpy(),
        }
    )
