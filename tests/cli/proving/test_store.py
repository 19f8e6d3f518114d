"""What is remembered, under which key, and which entries are believed."""

from __future__ import annotations

import hashlib
import json
import os
import time
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from symbolic_pe import code_digest
from symbolic_pe.cli.claims import ClaimRecord
from symbolic_pe.cli.proving import campaign, keys
from symbolic_pe.cli.proving import store as store_module
from symbolic_pe.cli.proving.keys import Options, key_of
from symbolic_pe.cli.proving.records import Judged
from symbolic_pe.cli.proving.sources import Source, sources
from symbolic_pe.cli.proving.store import Store, default_directory
from symbolic_pe.errors import OutputError

KEY = "ab" * 32
PROVED = Judged(name="x", claims=[ClaimRecord("derivative", "proved", "A' = XA", None, "decided")])
OPTIONS = Options(60.0)


def entry(store: Store) -> Path:
    assert store.directory is not None
    (path,) = store.directory.rglob("*.json")
    return path


def test_what_is_put_is_got_and_nothing_else(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert store.get(KEY) is None
    store.put(KEY, PROVED)
    assert store.get(KEY) == PROVED
    assert store.get("cd" * 32) is None
    assert not store.damaged


def test_changed_bytes_of_an_entry_are_found(tmp_path: Path) -> None:
    """Bytes replaced in turn, and ends cut off: the entry is refused, or says what it said."""
    store = Store(tmp_path)
    store.put(KEY, PROVED)
    path = entry(store)
    whole = path.read_bytes()
    for index in range(0, len(whole), 3):
        changed = bytearray(whole)
        changed[index] ^= 1
        path.write_bytes(changed)
        assert Store(tmp_path).get(KEY) in (None, PROVED), index
    for size in range(0, len(whole) - 1, 7):
        path.write_bytes(whole[:size])
        assert Store(tmp_path).get(KEY) is None


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"[" * 100_000, b"null", b'{"key": 1}'])
def test_what_is_no_entry_is_named_as_damaged(tmp_path: Path, content: bytes) -> None:
    store = Store(tmp_path)
    store.put(KEY, PROVED)
    entry(store).write_bytes(content)
    assert store.get(KEY) is None
    assert store.damaged == [KEY]


def test_an_entry_of_another_key_is_not_believed(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put(KEY, PROVED)
    other = tmp_path / "verdicts" / "cd" / f"{'cd' * 32}.json"
    other.parent.mkdir()
    entry(store).rename(other)
    assert store.get("cd" * 32) is None


def test_an_entry_with_an_unknown_verdict_is_not_believed(tmp_path: Path) -> None:
    """A right digest does not help a body that is none."""
    store = Store(tmp_path)
    store.put(KEY, PROVED)
    path = entry(store)
    document = json.loads(path.read_text())
    document["body"]["claims"][0]["verdict"] = "certain"
    body = msgspec.json.encode(document["body"])
    document["sha256"] = hashlib.sha256(body).hexdigest()
    document["body"] = msgspec.Raw(body)
    path.write_bytes(msgspec.json.encode(document))
    assert store.get(KEY) is None


@pytest.mark.parametrize(
    "judged", [Judged(error="bad"), msgspec.structs.replace(PROVED, budget_ended=True)]
)
def test_bad_input_and_what_a_budget_ended_are_not_remembered(
    tmp_path: Path, judged: Judged
) -> None:
    store = Store(tmp_path)
    store.put(KEY, judged)
    assert store.get(KEY) is None


def test_a_directory_that_was_asked_for_must_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot create the directory"):
        Store(tmp_path / "file" / "cache", required=True).put(KEY, PROVED)
    store = Store(tmp_path / "file" / "cache")
    store.put(KEY, PROVED)
    assert "cannot create the directory" in store.fault


def test_where_verdicts_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert default_directory() == Path("/somewhere/symbolic-pe")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", "/home/someone")
    assert default_directory() == Path("/home/someone/.cache/symbolic-pe")


# -- what is old ---------------------------------------------------------------------------------

DAY = 86_400


def filled(directory: Path, days: list[float]) -> list[Path]:
    """Entries that were last used so many days ago."""
    found = []
    for index, age in enumerate(days):
        key = f"{index:02x}" * 32
        Store(directory).put(key, PROVED)
        path = directory / "verdicts" / key[:2] / f"{key}.json"
        os.utime(path, (time.time() - age * DAY,) * 2)
        found.append(path)
    return found


def written(directory: Path) -> Store:
    """A store of a run that wrote an entry."""
    store = Store(directory)
    store.put(KEY, PROVED)
    return store


def test_entries_that_nobody_uses_are_removed(tmp_path: Path) -> None:
    paths = filled(tmp_path, [0, 29, 31, 400])
    others = [tmp_path / "verdicts" / "00" / "notes.json", tmp_path / "verdicts" / "README.json"]
    for other in others:
        other.write_text("{}")
        os.utime(other, (0, 0))
    assert Store(tmp_path).prune() == 0  # nothing was written
    assert Store(None).prune() == 0
    assert written(tmp_path).prune() == 2
    assert [path.exists() for path in paths] == [True, True, False, False]
    assert all(other.exists() for other in others)
    assert Store(tmp_path).get(KEY) == PROVED


def test_an_entry_that_is_used_stays(tmp_path: Path) -> None:
    (path,) = filled(tmp_path, [29])
    assert Store(tmp_path).get("00" * 32) == PROVED
    assert time.time() - path.stat().st_mtime < DAY
    os.utime(path, (time.time() - DAY / 2,) * 2)
    before = path.stat().st_mtime
    assert Store(tmp_path).get("00" * 32) == PROVED
    assert path.stat().st_mtime == before  # no write for every use


def test_the_longest_unused_go_when_there_is_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = filled(tmp_path, [3, 1, 2])
    size = paths[0].stat().st_size
    monkeypatch.setattr(store_module, "MAX_BYTES", 3 * size)
    assert written(tmp_path).prune() == 1
    assert [path.exists() for path in paths] == [False, True, True]


def test_a_run_that_decides_something_removes_what_is_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path,) = filled(tmp_path, [90])
    asked = sources(["rope:dim=4"]).found
    manner = campaign.Manner(jobs=1, limited=False)
    campaign.run(asked, OPTIONS, Store(tmp_path), manner)
    assert not path.exists()
    assert campaign.run(asked, OPTIONS, Store(tmp_path), manner).remembered == ("rope:dim=4",)


# -- keys ---------------------------------------------------------------------------------------


def test_a_key_depends_on_everything_that_a_verdict_depends_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.toml"
    path.write_text("one")
    source = Source(str(path), str(path), path)
    first = key_of(source, OPTIONS)
    assert first == key_of(replace(source, label="shown otherwise"), OPTIONS)
    path.write_text("two")
    found = {first, key_of(source, OPTIONS)}
    (tmp_path / "b.toml").write_text("two")
    found.add(key_of(Source("b", "b", tmp_path / "b.toml"), OPTIONS))
    found.add(key_of(source, Options(61.0)))
    found.add(key_of(source, Options(60.0, rocq=True)))
    monkeypatch.setattr(keys, "code_digest", lambda: "another version")
    found.add(key_of(source, OPTIONS))
    assert len(found) == 6
    assert None not in found


def test_names_and_arrays_of_one_file_have_keys_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "w.npz"
    path.write_bytes(b"arrays")
    names = [f"{path}:a", f"{path}:b", str(path), "rope:dim=4", "rope:dim=8"]
    found = {key_of(source, OPTIONS) for source in sources(names).found}
    assert len(found) == 5


def test_what_cannot_be_read_has_no_key(tmp_path: Path) -> None:
    missing = tmp_path / "missing.toml"
    assert key_of(Source("m", str(missing), missing), OPTIONS) is None
    assert key_of(Source("d", str(tmp_path), tmp_path), OPTIONS) is None
    assert key_of(Source("d", "d", None, "a problem"), OPTIONS) is None


def test_the_digest_of_the_code_sees_every_module_and_version(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keys.code_digest.cache_clear()
    first = keys.code_digest()
    keys.code_digest.cache_clear()
    monkeypatch.setattr(code_digest, "_version", lambda library: "0")
    assert keys.code_digest() != first
    monkeypatch.undo()
    monkeypatch.setattr(keys, "CODE", (".py",))
    keys.code_digest.cache_clear()
    assert keys.code_digest() != first  # the theory of Rocq belongs to it
    monkeypatch.undo()
    keys.code_digest.cache_clear()
    assert keys.code_digest() == first
