"""How texts become shingles: the options, and what they mean in plain Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from minhash_nb.validation import check_choice, check_integer

Normalize = str | None | Callable[[str], str]


@dataclass(frozen=True)
class UnavailableNormalizer:
    """Stands for a caller's function of which a saved file knows only the name."""

    name: str

    def __call__(self, text: str) -> str:
        """Refuse: the function was not saved."""
        raise RuntimeError(f"the normaliser {self.name} is known by name only: shingle new texts with it yourself")


def normalise_text(text: str, normalize: Normalize) -> str:
    """Normalise one text in plain Python: the rule that the kernels follow."""
    if callable(normalize):
        return normalize(text)
    return text if normalize is None else " ".join(text.lower().split())


@dataclass(frozen=True)
class Shingling:
    """How texts become shingle ids: travels with matrices and signatures, so that like meets like.

    Parameters
    ----------
    k : int
        Units in a shingle.
    unit : {"char", "word", "byte"}
        What a shingle is made of.
    normalize : {"default", None} or callable
        "default" lower-cases, strips and collapses white space; a callable maps str to str.
    short_texts : {"whole", "drop"}
        Texts of fewer than k units: one shingle, or none.
    id_hash : {"fast", "md5"}
        The 32-bit id of a shingle.
    """

    k: int = 5
    unit: str = "char"
    normalize: Normalize = "default"
    short_texts: str = "whole"
    id_hash: str = "fast"

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", check_integer("k", self.k, most=2**31 - 1))
        check_choice("unit", self.unit, ("char", "word", "byte"))
        if not callable(self.normalize):
            check_choice("normalize", self.normalize, ("default", None))
        check_choice("short_texts", self.short_texts, ("whole", "drop"))
        check_choice("id_hash", self.id_hash, ("fast", "md5"))

    @property
    def key(self) -> dict[str, Any]:
        """The options as plain values (a callable by its name): equal keys mean comparable ids."""
        normalize: Any = self.normalize
        if isinstance(normalize, UnavailableNormalizer):
            normalize = normalize.name
        elif callable(normalize):
            normalize = f"{getattr(normalize, '__module__', '?')}.{getattr(normalize, '__qualname__', normalize)}"
        return {
            "k": self.k,
            "unit": self.unit,
            "normalize": normalize,
            "short_texts": self.short_texts,
            "id_hash": self.id_hash,
        }

    @classmethod
    def from_key(cls, key: dict[str, Any]) -> Shingling:
        """Return the options that have this key; a caller's normaliser is known by its name only."""
        normalize = key["normalize"]
        if normalize not in ("default", None):
            normalize = UnavailableNormalizer(normalize)
        return cls(**{**key, "normalize": normalize})

    def texts(self, text: str) -> list[str] | list[bytes]:
        """Return the shingles of one text in order, repeats included, as str (bytes for unit="byte").

        Plain Python, for reading: what `shingle` hashes.

        Examples
        --------
        >>> Shingling(k=3).texts("A  bee")
        ['a b', ' be', 'bee']
        """
        text = normalise_text(text, self.normalize)
        k = self.k
        if self.unit == "word":
            words = [word for word in text.split(" ") if word]
            if len(words) < k:
                return [" ".join(words)] if words and self.short_texts == "whole" else []
            return [" ".join(words[i : i + k]) for i in range(len(words) - k + 1)]
        units = text.encode("utf-8", "surrogatepass") if self.unit == "byte" else text
        if len(units) < k:
            return [units] if units and self.short_texts == "whole" else []  # type: ignore[return-value]
        return [units[i : i + k] for i in range(len(units) - k + 1)]  # type: ignore[return-value]
