"""Options that commands share, and what happens between reading a corpus and writing results."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import nullcontext
from functools import reduce
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click
import numba

from minhash_nb.io import FORMATS, Corpus
from minhash_nb.threads import num_threads
from minhash_nb.validation import check_integer, check_probability

if TYPE_CHECKING:
    from minhash_nb.pipeline import NearDuplicates

F = TypeVar("F", bound=Callable[..., Any])
PICTURES = ("png", "svg", "pdf")


def _probability(_context: click.Context, parameter: click.Parameter, value: float) -> float:
    return check_probability(str(parameter.name), value, one=parameter.name != "recall")


def count(_context: click.Context, parameter: click.Parameter, value: int | None) -> int | None:
    """Check an option that counts something; None where it is left out."""
    return None if value is None else check_integer(str(parameter.name), value)


def _threads(_context: click.Context, parameter: click.Parameter, value: int | None) -> int | None:
    return None if value is None else check_integer(str(parameter.name), value, most=numba.get_num_threads())


INPUT = [
    click.argument("source", metavar="INPUT", type=click.Path(allow_dash=True)),
    click.option("--format", type=click.Choice(FORMATS), help="Format of INPUT, where its name does not say it."),
    click.option("--text-column", default="text", show_default=True, help="Column or key that holds the text."),
    click.option("--id-column", help="Column or key with unique ids, to name documents in the tables."),
]
"""The corpus to read."""

TARGET = [
    click.option("--threshold", type=float, default=0.8, show_default=True, callback=_probability,
                 help="Least Jaccard similarity of a pair."),
    click.option("--recall", type=float, default=0.95, show_default=True, callback=_probability,
                 help="Chance that a pair at the threshold is found (above it: more)."),
]  # fmt: skip
"""What is to be found."""

SHINGLES = [
    click.option("--k", type=int, default=5, show_default=True, callback=count, help="Units in a shingle."),
    click.option("--unit", type=click.Choice(["char", "word", "byte"]), default="char", show_default=True,
                 help="What a shingle is made of."),
    click.option("--short-texts", type=click.Choice(["whole", "drop"]), default="whole", show_default=True,
                 help="Texts shorter than k: one shingle, or none."),
]  # fmt: skip
"""What a shingle is."""

THREADS = click.option("--threads", type=int, callback=_threads, help="Threads to use.  [default: all]")

DETECTION = [
    *TARGET,
    *SHINGLES,
    click.option("--empty", type=click.Choice(["keep", "duplicates"]), default="keep", show_default=True,
                 help="Empty documents: keep all, or the first."),
    click.option("--num-hashes", type=int, default=256, show_default=True, callback=count,
                 help="Most hashes a signature may have."),
    click.option("--scheme", type=click.Choice(["fast-similarity", "minhash"]), default="fast-similarity",
                 show_default=True, help="Fast Similarity Sketching, or classic MinHash."),
    click.option("--seed", type=int, default=42, show_default=True, help="Seed of the hash functions."),
    click.option("--audit", type=int, callback=count, metavar="N",
                 help="Measure the recall of this run on N documents drawn at random."),
    THREADS,
]  # fmt: skip
"""How near-duplicates are found; the names are those of `find_near_duplicates`, and ``threads``."""

REPORT = click.option("--report", type=click.Path(), metavar="JSON", help="Counts, parameters, seconds per step.")


def options(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    """Return one decorator out of several, the first on top."""
    return lambda function: reduce(lambda inner, outer: outer(inner), reversed(decorators), function)


def save_figure(draw: Callable[..., Any], path: str, stream: IO[bytes]) -> None:
    """Draw into one new Axes (the keyword ``ax`` of `draw`) and save it in the format that `path` names."""
    from matplotlib.figure import Figure  # not pyplot: no window system, no global state

    kind = path.rpartition(".")[2].lower()
    if kind not in PICTURES:
        raise click.UsageError(f"a picture must end in {', '.join('.' + known for known in PICTURES)}, got {path}")
    figure = Figure(layout="constrained")
    draw(ax=figure.subplots())
    figure.savefig(stream, format=kind, dpi=150)


def detect(corpus: Corpus, threads: int | None, scheme: str = "fast-similarity", **parameters: Any) -> NearDuplicates:
    """Run `find_near_duplicates` on a corpus, with a progress bar if standard error is a terminal."""
    from minhash_nb.banding import Banding
    from minhash_nb.pipeline import find_near_duplicates
    from minhash_nb.schemes import MinHash
    from minhash_nb.threads import first_run

    if scheme == "minhash":  # as many hashes as the banding needs, like the default scheme
        banding = Banding.for_recall(parameters["threshold"], parameters["recall"], parameters["num_hashes"])
        parameters |= {"banding": banding, "scheme": MinHash(banding.num_hashes, parameters["seed"])}

    if first_run():
        click.echo("compiling kernels (first run only)", err=True)
    with nullcontext() if threads is None else num_threads(threads):
        return find_near_duplicates(corpus.texts, progress=sys.stderr.isatty(), **parameters)
