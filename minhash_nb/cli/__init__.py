"""The command line: ``minhash-nb``. One module a command; shared options in `_options`."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

import click

import minhash_nb
from minhash_nb.cli._curve import curve
from minhash_nb.cli._dedup import dedup, pairs
from minhash_nb.cli._demo import demo
from minhash_nb.cli._tune import tune


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(minhash_nb.__version__, prog_name="minhash-nb")
def cli() -> None:
    """Find near-duplicate documents with MinHash and LSH; every pair reported is verified exactly.

    \b
    Start with:
      minhash-nb demo
      minhash-nb dedup corpus.jsonl --threshold 0.8 --output kept.jsonl --pairs pairs.csv

    Exit codes: 0 done, 2 bad use or bad input (one sentence says what), 130 interrupted.
    """  # noqa: D301 - click reads the backspace


@cli.command()
def config() -> None:
    """Print what a bug report needs: versions, threads, cache.

    \b
    Example:
      minhash-nb config
    """  # noqa: D301 - click reads the backspace
    from minhash_nb.threads import config as settings

    for name, value in settings().items():
        click.echo(f"{name:<16} {value}")


for command in (demo, dedup, pairs, tune, curve):
    cli.add_command(command)


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code.

    Parameters
    ----------
    args : sequence of str, optional
        The arguments; by default those of the process.

    Raises
    ------
    SystemExit
        Always: code 0 when done; 2 after bad use or bad input, with one sentence on standard error;
        130 after an interrupt; 1 when whoever read standard output went away.
    """
    try:
        given = list(sys.argv[1:] if args is None else args)
        cli.main(args=given or ["--help"], prog_name="minhash-nb", standalone_mode=False)
    except click.Abort:
        _leave("interrupted", 130)
    except click.ClickException as error:
        _leave(error.format_message(), 2)
    except OSError as error:
        _leave(f"{error.filename}: {error.strerror}" if error.filename else str(error), 2)
    except (ValueError, MemoryError) as error:
        _leave(_with_option_names(str(error)), 2)
    sys.exit(0)


def _leave(sentence: str, code: int) -> None:
    click.echo(f"minhash-nb: {' '.join(sentence.split())}", err=True)
    sys.exit(code)


def _with_option_names(sentence: str) -> str:
    """Turn the parameter names of the library's messages into the options that set them."""
    options = {param.name: param.opts[0] for command in cli.commands.values() for param in command.params}
    return re.sub(r"`(\w+)`", lambda name: options.get(name[1], name[0]), sentence)
