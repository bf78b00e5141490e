"""Draw the gallery: ``python -m notebooks.gallery.build [name ...]`` writes README.md and its pictures here.

Each entry is a title, a sentence, and the code that makes the picture; the code is run as it is shown. A picture holds
its code and a digest of what was drawn, so that a test can tell whether it is in step.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

import minhash_nb as mnb

HERE = Path(__file__).resolve().parent
INCHES = (6.4, 4.4)
DOTS_PER_INCH = 110


class Entry(NamedTuple):
    """One picture; what a timed one shows differs from run to run."""

    name: str
    title: str
    sentence: str
    code: str
    timed: bool = False


ENTRIES = [
    Entry(
        "s_curve",
        "How likely is a pair found?",
        "The S-curve of a banding, where it crosses one half, and the two areas of error at a threshold.",
        """
bandings = [mnb.Banding(9, 13), mnb.Banding(16, 8), mnb.Banding(32, 4)]
ax = mnb.plotting.plot_s_curve(bandings, threshold=0.8, shade=True)
""",
    ),
    Entry(
        "banding_recall",
        "Does the S-curve hold?",
        "Planted pairs of exactly known similarity, found and counted. FastSimilaritySketch draws its slots "
        "without replacement, as it were: its curve is a little steeper than the formula's.",
        """
schemes = [mnb.MinHash(128), mnb.FastSimilaritySketch(128)]
recall = mnb.experiments.banding_recall([mnb.Banding(16, 8), mnb.Banding(32, 4)], schemes=schemes, union_size=50)
ax = mnb.plotting.plot_banding_recall(recall)
""",
    ),
    Entry(
        "estimator_error",
        "How far off is the estimate?",
        "On the diagonal a scheme errs like independent hash functions, below it less. Dashed: what theory says.",
        """
kinds = [mnb.MinHash, mnb.FastSimilaritySketch, mnb.OnePermutation]
schemes = [kind(num_hashes) for num_hashes in (32, 128, 512) for kind in kinds]
errors = mnb.experiments.estimator_error(schemes, jaccard=[0.1, 0.5], union_size=[50, 1000], trials=500)
ax = mnb.plotting.plot_estimator_error(errors)
""",
    ),
    Entry(
        "estimates",
        "What does an estimate say about the similarity?",
        "Of the estimates from 128 hashes 95 % lie between the outer dashed lines, by the binomial distribution.",
        """
shingles, pairs = mnb.datasets.pairs_with_jaccard(20_000, np.linspace(0, 1, 20_000))
pairs["estimate"] = mnb.estimate_jaccard(mnb.compute_signatures(shingles, mnb.MinHash(128)), pairs)
ax = mnb.plotting.plot_estimates(pairs, num_hashes=128)
""",
    ),
    Entry(
        "interval_coverage",
        "Do the intervals hold what they promise?",
        "Clopper-Pearson covers at least 95 % at every similarity, Wilson about 95 % on average.",
        """
coverage = mnb.experiments.interval_coverage(mnb.MinHash(128))
ax = mnb.plotting.plot_interval_coverage(coverage)
""",
    ),
    Entry(
        "similarity_histogram",
        "What is there to be found?",
        "The similarities of all pairs of a corpus. The candidates are the pairs times the S-curve: most come from "
        "where most pairs are, not from above the threshold.",
        """
histogram = mnb.similarity_histogram(mnb.shingle(mnb.datasets.generate_corpus(1000)))
ax = mnb.plotting.plot_similarity_histogram(histogram, [mnb.Banding(16, 8), mnb.Banding(32, 4)])
""",
    ),
    Entry(
        "candidates",
        "Do as many candidates come out as expected?",
        "Mean of 20 draws of the hash functions, with its 95 % interval, over what the histogram predicts.",
        """
shingles = mnb.shingle(mnb.datasets.generate_corpus(1000))
bandings = [mnb.Banding(b, r) for b, r in [(4, 25), (8, 16), (16, 8), (20, 5), (32, 4)]]
ax = mnb.plotting.plot_candidates(mnb.experiments.candidates_predicted_vs_observed(shingles, bandings))
""",
    ),
    Entry(
        "parameter_sweep",
        "Which bands and rows?",
        "Recall against the exact join for 130 bandings of one corpus. Rings: no other one finds as much with fewer "
        "candidates.",
        """
shingles = mnb.shingle(mnb.datasets.generate_corpus(1000))
sweep = mnb.experiments.parameter_sweep(shingles, 0.7, num_bands=range(4, 41, 3), rows_per_band=range(3, 13))
ax = mnb.plotting.plot_parameter_sweep(sweep)
""",
    ),
    Entry(
        "tuning",
        "Which bands and rows, without running them?",
        "The table of `tune`, which works from the similarities alone: candidates to expect of every banding within a "
        "budget of 256 hashes. Rings: bandings that reach the recall, and that no other one beats in hashes and in "
        "candidates.",
        """
tuned = mnb.tune(mnb.shingle(mnb.datasets.generate_corpus(1000)), threshold=0.7, recall=0.95, max_hashes=256)
ax = mnb.plotting.plot_parameter_sweep(tuned.table, value="candidates")
""",
    ),
    Entry(
        "scheme_comparison_bytes",
        "Which scheme, for the same bytes?",
        "Lower is better. Filled: unions of 50 shingles, hollow: of 500. Dashed: theory.",
        """
comparison = mnb.experiments.scheme_comparison(trials=500)
ax = mnb.plotting.plot_scheme_comparison(comparison)
""",
    ),
    Entry(
        "scheme_comparison_time",
        "Which scheme, for the same time?",
        "The same table against the time for a shingle, on documents with unions of 500 shingles.",
        """
comparison = mnb.experiments.scheme_comparison(union_size=500, trials=1000)
ax = mnb.plotting.plot_scheme_comparison(comparison, x="nanoseconds")
""",
        timed=True,
    ),
    Entry(
        "scaling",
        "How does the time grow?",
        "From texts to verified pairs. Dashed: in proportion to the number of documents.",
        """
times = mnb.experiments.scaling()
ax = mnb.plotting.plot_scaling(times, varied="documents")
""",
        timed=True,
    ),
    Entry(
        "shingling_effect",
        "Which shingles?",
        "A good choice keeps planted near-duplicates and random pairs far from each other.",
        """
corpus = mnb.datasets.planted_corpus(1000, edit_rate=[0.02, 0.05, 0.1])
copies = corpus.reset_index(names="i").rename(columns={"source": "j"}).query("i != j")
ax = mnb.plotting.plot_shingling_effect(mnb.experiments.shingling_effect(corpus["text"], k=[3, 5, 9], pairs=copies))
""",
    ),
    Entry(
        "bucket_sizes",
        "How full are the buckets?",
        "The largest buckets hold most of the candidate pairs: with fewer rows they grow fast.",
        """
signatures = mnb.sign_texts(mnb.datasets.generate_corpus(1000), mnb.MinHash(128))
ax = mnb.plotting.plot_bucket_sizes(mnb.experiments.bucket_sizes(signatures, [mnb.Banding(16, 8), mnb.Banding(32, 4)]))
""",
    ),
    Entry(
        "cluster_sizes",
        "How large are the clusters?",
        "Components chain similar documents together; stars do not.",
        """
corpus, links = mnb.datasets.generate_corpus(1000), ["star", "components"]
runs = [mnb.find_near_duplicates(corpus, 0.6, linkage=link).clusters.assign(run=link) for link in links]
ax = mnb.plotting.plot_cluster_sizes(pd.concat(runs))
""",
    ),
    Entry(
        "error_decomposition",
        "Where did the missed pairs go?",
        "A run with 12-bit ids that trusts the estimate: every wrong pair has one cause, the parts sum to the whole.",
        """
options = {"banding": mnb.Banding(16, 8), "id_bits": 12, "verify": "estimate"}
errors = mnb.experiments.error_decomposition(mnb.datasets.generate_corpus(1000), 0.7, **options)
ax = mnb.plotting.plot_error_decomposition(errors)
""",
    ),
    Entry(
        "cluster",
        "What is a cluster made of?",
        "Documents joined by their verified pairs; the more similar, the nearer and the darker the line.",
        """
result = mnb.find_near_duplicates(mnb.datasets.generate_corpus(300), threshold=0.6)
ax = mnb.plotting.plot_cluster(result.pairs, labels=result.labels)
""",
    ),
]


def run(entry: Entry) -> Axes:
    """Run the code of an entry and return the Axes that it made."""
    import pandas as pd

    names: dict[str, object] = {"mnb": mnb, "np": np, "pd": pd}
    exec(entry.code, names)  # our own code, shown as it is run
    ax = names["ax"]
    assert isinstance(ax, Axes)
    return ax


def digest(ax: Axes) -> str:
    """Return a digest of what was drawn: points, bars and cells to six digits, and the words."""
    arrays = [line.get_xydata() for line in ax.lines] if ax.axison else []  # a layout may end a little elsewhere
    arrays += [[bar.get_bbox().extents] for bar in ax.patches if isinstance(bar, Rectangle)]
    arrays += [[cells.get_array()] for cells in ax.collections if cells.get_array() is not None]
    parts = [
        np.array2string(np.ma.filled(np.ma.asarray(a, dtype=float), np.nan), precision=5, threshold=10**9)
        for a in arrays
    ]
    legend = ax.get_legend()
    words = [*ax.texts, *(legend.get_texts() if legend else ())]
    parts += [ax.get_xlabel(), ax.get_ylabel(), *(word.get_text() for word in words)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def page() -> str:
    """Return README.md."""
    parts = [
        "# Gallery",
        "One question, one table, one picture. Every block runs as it stands after",
        "```python\nimport numpy as np\nimport pandas as pd\n\nimport minhash_nb as mnb\n```",
        "`ax` is a matplotlib Axes: add to it what you like, or pass `ax=` to draw into a figure of your own. "
        "Dashed lines are theory, points are measured, bars on them are 95 % intervals. "
        "[build.py](build.py) writes this page.",
    ]
    for entry in ENTRIES:
        parts += [
            f"## {entry.title}",
            entry.sentence,
            f"```python\n{entry.code.strip()}\n```",
            f"![{entry.title}]({entry.name}.png)",
        ]
    return "\n\n".join(parts) + "\n"


def main(names: list[str]) -> None:
    """Draw those pictures, or all, and write the page."""
    for entry in ENTRIES:
        if not names or entry.name in names:
            ax = run(entry)
            ax.figure.set_size_inches(INCHES)
            notes = {"Description": entry.code, "Comment": digest(ax), "Software": None}
            ax.figure.savefig(HERE / f"{entry.name}.png", dpi=DOTS_PER_INCH, metadata=notes)
            plt.close(ax.figure)
            print(entry.name, flush=True)
    (HERE / "README.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    plt.switch_backend("agg")
    main(sys.argv[1:])
