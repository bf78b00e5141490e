"""Documents in, results out: readers that keep every byte, writers that never leave half a file."""

from minhash_nb.io.corpus import FORMATS, Corpus, InputError, corpus_format, format_by_name
from minhash_nb.io.readers import read_corpus
from minhash_nb.io.writers import (
    Writer,
    check_kept_name,
    check_outputs,
    check_table_name,
    write_json,
    write_kept,
    write_outputs,
    write_table,
)

__all__ = [
    "FORMATS",
    "Corpus",
    "InputError",
    "Writer",
    "check_kept_name",
    "check_outputs",
    "check_table_name",
    "corpus_format",
    "format_by_name",
    "read_corpus",
    "write_json",
    "write_kept",
    "write_outputs",
    "write_table",
]
