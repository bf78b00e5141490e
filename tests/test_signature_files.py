"""Saved signatures: what comes back, and what a damaged or foreign file is told."""

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest

import minhash_nb as mnb
from minhash_nb.signatures import check_comparable, matrix


@pytest.fixture(scope="module")
def signatures():
    return mnb.sign_texts(["one text", "", "another text"], mnb.MinHash(4, seed=2**64 - 1))


@pytest.fixture
def saved(tmp_path, signatures):
    path = tmp_path / "signatures.npz"
    signatures.save(path)
    return path


def same(first, second):
    return (
        first.key == second.key
        and np.array_equal(first.values, second.values)
        and np.array_equal(first.is_empty, second.is_empty)
    )


@pytest.mark.parametrize("as_path", [str, Path])
@pytest.mark.parametrize("name", ["signatures.npz", "no suffix", "ünïcode.sig"])
def test_round_trip(tmp_path, name, as_path):
    path = as_path(tmp_path / name)
    cases = [
        mnb.sign_texts(["a b c", "", "d"], mnb.MinHash(7, family="mersenne31"), k=2, unit="word", id_hash="md5"),
        mnb.sign_texts(["a b c", "", "d"], mnb.MinHash(7), normalize=None, short_texts="drop"),
        mnb.sign_texts(["a b c", "", "d"], mnb.MinHash(7), normalize=str.upper),
        mnb.compute_signatures(mnb.ShingleMatrix.from_sets([{1, 2**60}, set()]), mnb.MinHash(7)),
        mnb.sign_texts([], mnb.MinHash(7)),
    ]
    for case in cases:
        case.save(path)
        loaded = mnb.SignatureMatrix.load(path)
        assert same(loaded, case)
        check_comparable(loaded, case)
        assert loaded.scheme == case.scheme
        with pytest.raises(ValueError, match="read-only"):
            loaded.values[:] = 0
    assert os.listdir(tmp_path) == [name]


def test_every_truncation_is_noticed(saved, signatures):
    whole = saved.read_bytes()
    assert same(mnb.SignatureMatrix.load(saved), signatures)
    for length in range(len(whole)):
        saved.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=r"cannot load .*signatures\.npz \(.*\): compute the signatures again"):
            mnb.SignatureMatrix.load(saved)


def test_every_flipped_bit_is_noticed_or_harmless(saved, signatures, rng):
    whole = saved.read_bytes()
    messages = []
    for position in range(len(whole)):
        damaged = bytearray(whole)
        damaged[position] ^= 1 << rng.integers(8)
        saved.write_bytes(damaged)
        try:
            loaded = mnb.SignatureMatrix.load(saved)
        except ValueError as error:
            messages.append(str(error))
        else:
            assert same(loaded, signatures)  # time stamps and such
    assert len(messages) > len(whole) / 2
    says = re.compile(r"cannot load .* \(.*\): compute the signatures again", re.DOTALL)
    assert all(says.fullmatch(message) for message in messages)


def write(path, signatures, **changes):
    header = {"format": matrix.FILE_FORMAT, "version": matrix.FILE_VERSION, **signatures.key} | changes
    header = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    with open(path, "wb") as file:
        np.savez(file, header=header, values=signatures.values, is_empty=signatures.is_empty)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"version": 99}, "it must be 'minhash_nb signatures' version 1, found 'minhash_nb signatures' version 99"),
        ({"format": "other"}, "it must be 'minhash_nb signatures' version 1, found 'other' version 1"),
        (
            {"scheme": {"scheme": "MinHash", "version": 99, "num_hashes": 4, "seed": 1, "family": "mersenne31"}},
            "MinHash signatures of algorithm version 99 do not compare with version 1",
        ),
        ({"scheme": {"scheme": "Hyper", "version": 1}}, "scheme 'Hyper' is unknown to this version"),
        ({"scheme": {"scheme": "MinHash", "version": 1, "num_hashes": 5}}, "must be uint32 of shape (n_docs, 5)"),
        ({"shingling": {"k": 5, "colour": "red", "normalize": None}}, "colour"),
        ({"shingling": {"k": -5, "normalize": None}}, "`k` must be between 1 and 2147483647, got -5"),
        ({"scheme": []}, "cannot load"),
    ],
)
def test_other_versions_and_formats_are_named(saved, signatures, changes, says):
    write(saved, signatures)
    assert same(mnb.SignatureMatrix.load(saved), signatures)
    write(saved, signatures, **changes)
    with pytest.raises(ValueError, match=re.escape(says)) as caught:
        mnb.SignatureMatrix.load(saved)
    assert str(caught.value).startswith(f"cannot load {saved} (")
    assert "\n" not in str(caught.value)


def test_files_of_other_kinds_are_refused(tmp_path, signatures):
    path = tmp_path / "other"
    path.write_text("some text\n" * 100)
    array = tmp_path / "array.npy"
    np.save(array, signatures.values)
    objects = tmp_path / "objects.npz"
    np.savez(objects, header=np.array([{"a": 1}], dtype=object), values=1, is_empty=2)
    plain = tmp_path / "plain.npz"
    np.savez(plain, values=signatures.values)
    listed = tmp_path / "listed.npz"
    np.savez(listed, header=np.frombuffer(b"[1, 2]", dtype=np.uint8))
    for each in (path, array, objects, plain, listed):
        with pytest.raises(ValueError, match=f"cannot load {each}"):
            mnb.SignatureMatrix.load(each)
    with pytest.raises(FileNotFoundError):
        mnb.SignatureMatrix.load(tmp_path / "absent")
    with pytest.raises(IsADirectoryError):
        mnb.SignatureMatrix.load(tmp_path)


@pytest.mark.parametrize("failure", [OSError("No space left on device"), KeyboardInterrupt(), MemoryError()])
def test_failed_save_leaves_the_old_file(monkeypatch, saved, signatures, failure):
    before = saved.read_bytes()

    def fail(file, **arrays):
        file.write(b"half of it")
        raise failure

    monkeypatch.setattr(np, "savez", fail)
    with pytest.raises(type(failure)):
        mnb.sign_texts(["other"], mnb.MinHash(4)).save(saved)
    assert saved.read_bytes() == before
    assert os.listdir(saved.parent) == [saved.name]
    assert same(mnb.SignatureMatrix.load(saved), signatures)


def test_places_that_cannot_be_written(tmp_path, signatures):
    with pytest.raises(FileNotFoundError):
        signatures.save(tmp_path / "absent" / "signatures.npz")
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(IsADirectoryError):
        signatures.save(folder)
    assert os.listdir(tmp_path) == ["folder"]
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(NotADirectoryError):
        signatures.save(tmp_path / "file" / "signatures.npz")


def test_links_and_permissions_are_kept(tmp_path, saved, signatures):
    link = tmp_path / "link"
    link.symlink_to(saved.name)
    saved.chmod(0o600)
    other = mnb.sign_texts(["other"], mnb.MinHash(4))
    other.save(link)
    assert link.is_symlink()
    assert saved.stat().st_mode & 0o777 == 0o600
    assert same(mnb.SignatureMatrix.load(saved), other)


def test_matrix_of_a_memory_map(saved, signatures, tmp_path):
    np.save(tmp_path / "values.npy", signatures.values)
    mapped = np.load(tmp_path / "values.npy", mmap_mode="r")
    again = mnb.SignatureMatrix(mapped, signatures.is_empty, signatures.scheme, signatures.shingling)
    assert np.shares_memory(again.values, mapped)
    np.testing.assert_array_equal(mnb.estimate_jaccard(again, [(0, 2)]), mnb.estimate_jaccard(signatures, [(0, 2)]))
