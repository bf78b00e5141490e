"""Shingle matrix times scheme: signatures."""

from minhash_nb.signatures.compute import check_scheme, compute_signatures, merge_signatures, sign_texts
from minhash_nb.signatures.matrix import SignatureMatrix, check_comparable

__all__ = [
    "SignatureMatrix",
    "check_comparable",
    "check_scheme",
    "compute_signatures",
    "merge_signatures",
    "sign_texts",
]
