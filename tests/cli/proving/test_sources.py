"""What a directory of specifications is searched for, and what is left alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from symbolic_pe.cli.proving.sources import Sources, sources

ROTATION = '[generator]\nmatrix = [["0", "-1"], ["1", "0"]]\n'


def write(root: Path, *names: str, text: str = ROTATION) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def labels(found: Sources, root: Path) -> list[str]:
    return [os.path.relpath(s.label, root) for s in found.found]


def left_alone(found: Sources, root: Path) -> dict[str, str]:
    return {os.path.relpath(item.label, root): item.reason for item in found.left_alone}


def test_specifications_are_found_in_order_and_everything_else_is_named(tmp_path: Path) -> None:
    write(tmp_path, "b.toml", "a/z.toml", "a/config.json", "a/weights.npy", "A.TOML")
    write(tmp_path, "matrix.json", text='{"matrix": [[0]]}')
    write(tmp_path, "broken.json", text='{"matrix": [[0]')
    write(tmp_path, "package.json", text='{"dependencies": {}}')
    write(tmp_path, "list.json", text="[1, 2]")
    write(tmp_path, "README.md", ".hidden.toml", ".git/x.toml", "pyproject.toml")
    found = sources([str(tmp_path)])
    assert labels(found, tmp_path) == [
        "A.TOML",
        "a/config.json",
        "a/weights.npy",
        "a/z.toml",
        "b.toml",
        "broken.json",
        "matrix.json",
    ]
    reasons = left_alone(found, tmp_path)
    assert list(reasons) == sorted(reasons)
    assert reasons.keys() == {
        ".git",
        ".hidden.toml",
        "README.md",
        "list.json",
        "package.json",
        "pyproject.toml",
    }
    assert reasons[".git"] == "hidden"
    assert "without a key" in reasons["package.json"]
    assert found.several
    assert found.searched


def test_large_archives_are_left_alone_with_the_way_to_name_an_array(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    with path.open("wb") as stream:
        stream.truncate(65_000_000)  # sparse
    write(tmp_path, "a.toml")
    found = sources([str(tmp_path)])
    assert labels(found, tmp_path) == ["a.toml"]
    assert "model.safetensors:NAME" in left_alone(found, tmp_path)["model.safetensors"]


def test_patterns_leave_out_names_and_paths(tmp_path: Path) -> None:
    write(tmp_path, "old/a.toml", "new/a.toml", "new/draft-b.toml", "deep/old/c.toml")
    found = sources([str(tmp_path)], ["old", "draft-*"])
    assert labels(found, tmp_path) == ["new/a.toml"]
    assert left_alone(found, tmp_path)["old"] == "excluded by 'old'"
    assert labels(sources([str(tmp_path)], ["new/a.toml"]), tmp_path)[0] != "new/a.toml"


def test_links_in_a_circle_end_and_links_to_what_is_there_are_judged_once(tmp_path: Path) -> None:
    write(tmp_path / "specs", "b/one.toml")
    write(tmp_path / "elsewhere", "two.toml")
    specs = tmp_path / "specs"
    (specs / "a").symlink_to(specs)
    (specs / "b" / "back").symlink_to(specs / "b")
    (specs / "a.toml").symlink_to(specs / "b" / "one.toml")
    (specs / "other").symlink_to(tmp_path / "elsewhere")
    found = sources([str(specs)])
    assert labels(found, specs) == ["b/one.toml", "other/two.toml"]
    reasons = left_alone(found, specs)
    assert reasons.keys() == {"a", "b/back", "a.toml"}
    assert "searched already" in reasons["a"]
    assert reasons["a.toml"].startswith(f"the same as {specs / 'b' / 'one.toml'}")


def test_the_same_specification_twice_is_judged_once(tmp_path: Path) -> None:
    write(tmp_path, "a.toml")
    path = str(tmp_path / "a.toml")
    found = sources([path, str(tmp_path), "rope:dim=4", path, "rope:dim=4", "rope:dim=2"])
    assert [s.label for s in found.found] == [path, "rope:dim=4", "rope:dim=2"]
    assert [item.label for item in found.left_alone] == [path, path, "rope:dim=4"]
    assert "judged once" in found.left_alone[0].reason


def test_one_name_is_not_several(tmp_path: Path) -> None:
    assert not sources(["rope"]).several
    write(tmp_path, "x.toml")
    assert sources([str(tmp_path)]).several


@pytest.mark.parametrize("names", [(), ("notes.txt",), (".hidden.toml",)])
def test_a_directory_without_specifications_is_a_problem(
    tmp_path: Path, names: tuple[str, ...]
) -> None:
    write(tmp_path, *names)
    (source,) = sources([str(tmp_path)]).found
    assert "found none" in source.problem
    assert ("1 left alone" in source.problem) == bool(names)


def test_names_that_are_no_unicode_are_shown_as_bytes(tmp_path: Path) -> None:
    try:
        (tmp_path / os.fsdecode(b"r\xe9sum\xe9.toml")).write_text(ROTATION)
    except OSError:
        pytest.skip("this file system takes Unicode names only")
    (source,) = sources([str(tmp_path)]).found
    assert source.label.endswith("r\\xe9sum\\xe9.toml")
    source.label.encode()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_directory_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    (source,) = sources([str(tmp_path)]).found
    assert "cannot be searched" in source.problem
