"""Signatures with what gives them their meaning; b-bit truncation; saving and loading."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from minhash_nb.files import replacing
from minhash_nb.kernels import packing as kernels
from minhash_nb.schemes import Scheme, scheme_from_key
from minhash_nb.shingling import Shingling
from minhash_nb.threads import parallel_region
from minhash_nb.validation import check_choice, frozen

FILE_FORMAT = "minhash_nb signatures"
FILE_VERSION = 1


@dataclass(frozen=True, eq=False, repr=False)
class SignatureMatrix:
    """The signatures of all documents, with the scheme and the shingling that give them their meaning.

    Parameters
    ----------
    values : uint32 array (n_docs, num_hashes), C order
        Row d is the signature of document d; 2**32 - 1 throughout where the document is empty.
    is_empty : bool array (n_docs,)
        Documents without a shingle: they are similar to nothing.
    scheme : Scheme
        What a column means.
    shingling : Shingling or None
        How texts became ids; None for your own ids.
    bits : int, default 32
        Bits kept of every slot. Below 32 (see `truncate`), `values` is packed: uint64 (n_docs, words).

    See Also
    --------
    compute_signatures, sign_texts

    Notes
    -----
    ``np.asarray(signatures)`` gives the slots, uint32 (n_docs, num_hashes). The arrays are read-only.
    """

    values: np.ndarray
    is_empty: np.ndarray
    scheme: Scheme
    shingling: Shingling | None = None
    bits: int = 32

    def __post_init__(self) -> None:
        values = np.ascontiguousarray(self.values)
        is_empty = np.ascontiguousarray(self.is_empty, dtype=bool)
        dtype: np.dtype = np.dtype(np.uint32)
        width = self.scheme.num_hashes
        if check_choice("bits", self.bits, (1, 2, 4, 8, 32)) < 32:
            dtype, width = np.dtype(np.uint64), num_words(width, self.bits)
        if values.dtype != dtype or values.ndim != 2 or values.shape[1] != width:
            raise ValueError(
                f"`values` must be {dtype} of shape (n_docs, {width}) for {self.scheme}, "
                f"got {values.dtype} of shape {values.shape}"
            )
        if is_empty.shape != values.shape[:1]:
            raise ValueError(f"`is_empty` must have shape ({len(values)},), got {is_empty.shape}")
        object.__setattr__(self, "values", frozen(values))
        object.__setattr__(self, "is_empty", frozen(is_empty))

    @property
    def key(self) -> dict[str, Any]:
        """Scheme and shingling as plain values; matrices with equal keys compare."""
        return {"scheme": self.scheme.key, "shingling": self.shingling and self.shingling.key, "bits": self.bits}

    @property
    def slots(self) -> np.ndarray:
        """Every slot as uint32 (n_docs, num_hashes): `values`, unpacked if need be (a new array then)."""
        if self.bits == 32:
            return self.values
        slots = np.empty((len(self), self.scheme.num_hashes), dtype=np.uint32)
        with parallel_region():
            kernels.unpack(self.values, self.bits, slots)
        return frozen(slots)

    def truncate(self, bits: int) -> SignatureMatrix:
        """Keep only `bits` of every slot, packed: b-bit MinHash.

        Every slot is mixed again and its lowest bits are kept, so that two different minima agree by chance
        with probability C = 2**-bits; `estimate_jaccard` corrects for that. As bands, b-bit signatures follow
        the S-curve of C + (1 - C) s: see ``theory.bbit_s_curve``. They cannot be merged.

        Parameters
        ----------
        bits : {1, 2, 4, 8}
            1 saves most at equal variance if J is above one half (21 times less than 64-bit slots at J = .5);
            8 costs no variance to speak of and a quarter of the memory.

        Returns
        -------
        SignatureMatrix
            With packed `values`: ``num_hashes * bits / 8`` bytes a document, rounded up to 8.

        Raises
        ------
        ValueError
            If `bits` is another number, the signatures are truncated already, or the scheme marks empty slots
            (OnePermutation without densification).

        Notes
        -----
        The variance grows by C (1 - J) / ((1 - C) num_hashes). Slots that copy one value (OnePermutation with
        "optimal" or "push") agree by chance together, which adds more on short documents: with one bit and 10
        shingles in the union the variance is three times that sum.

        Source: Li and König, "b-Bit Minwise Hashing" (WWW 2010), sections 2 and 3.

        Examples
        --------
        >>> import minhash_nb as mnb
        >>> signatures = mnb.sign_texts(["a text", "a text"], mnb.MinHash(128))
        >>> small = signatures.truncate(bits=8)
        >>> signatures.values.nbytes, small.values.nbytes, mnb.estimate_jaccard(small, [(0, 1)])
        (1024, 256, array([1.]))
        """
        check_choice("bits", bits, (1, 2, 4, 8))
        if self.bits != 32:
            raise ValueError(f"`signatures` must have 32-bit slots, got {self.bits} bits: truncate the full ones")
        if not self.scheme.bandable:
            raise ValueError(f"{self.scheme} marks empty slots, which truncated slots cannot: choose a densification")
        packed = np.empty((len(self), num_words(self.scheme.num_hashes, bits)), dtype=np.uint64)
        with parallel_region():
            kernels.pack(self.values, bits, packed)
        return replace(self, values=packed, bits=bits)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write values, scheme and shingling to one file (an .npz archive, with checksums).

        The file is written beside `path` and renamed when it is complete.

        Raises
        ------
        OSError
            If it cannot be written; an older file at `path` is then untouched.

        Examples
        --------
        >>> import minhash_nb as mnb, tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "signatures.npz"
        >>> mnb.sign_texts(["a text"], mnb.MinHash(16)).save(path)
        >>> mnb.SignatureMatrix.load(path).scheme
        MinHash(num_hashes=16, seed=42, family='multiply-add')
        """
        header = {"format": FILE_FORMAT, "version": FILE_VERSION, **self.key}
        with replacing(path) as file:
            np.savez(
                file,
                header=np.frombuffer(json.dumps(header).encode(), dtype=np.uint8),
                values=self.values,
                is_empty=self.is_empty,
            )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SignatureMatrix:
        """Read what `save` wrote.

        Raises
        ------
        OSError
            If there is no such file.
        ValueError
            If the file is cut short or altered, is something else, or comes from a version whose
            signatures do not compare with this one's.
        """
        with open(path, "rb") as file:
            try:
                with np.load(file, allow_pickle=False) as archive:
                    header = json.loads(archive["header"].tobytes())
                    if (header["format"], header["version"]) != (FILE_FORMAT, FILE_VERSION):
                        raise ValueError(
                            f"it must be {FILE_FORMAT!r} version {FILE_VERSION}, "
                            f"found {header['format']!r} version {header['version']}"
                        )
                    scheme = scheme_from_key(header["scheme"])
                    shingling = header["shingling"] and Shingling.from_key(header["shingling"])
                    return cls(archive["values"], archive["is_empty"], scheme, shingling, header["bits"])
            except Exception as error:  # one altered byte can make the archive readers fail in any way
                raise ValueError(f"cannot load {path} ({error}): compute the signatures again") from error

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.slots, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        kind = "uint32" if self.bits == 32 else f"{self.bits} bit{'s' * (self.bits > 1)} each"
        return (
            f"SignatureMatrix: {len(self):,} documents x {self.scheme.num_hashes} hashes "
            f"({kind}, {self.values.nbytes:,} bytes), {self.is_empty.sum():,} empty; {self.scheme}"
        )


def num_words(num_hashes: int, bits: int) -> int:
    """Return how many 64-bit words hold so many slots of so many bits."""
    return -(-num_hashes * bits // 64)


def check_comparable(first: SignatureMatrix, second: SignatureMatrix) -> None:
    """Raise ValueError unless the two matrices have the same scheme, shingling and bits."""
    for what in ("scheme", "shingling", "bits"):
        if first.key[what] != second.key[what]:
            raise ValueError(
                f"signatures compare only with the same {what}, got {getattr(first, what)} "
                f"and {getattr(second, what)}: compute both with one"
            )
