"""A setting is written into the person's file without touching anything else of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from canopy_tui.settings.config_writing import keep_setting, with_setting


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", 'theme = "x"\n'),
        ("# mine\n[keys]\ntree = 'f9'\n", "theme = \"x\"\n# mine\n[keys]\ntree = 'f9'\n"),
        ('a = 1\n  theme="old" # why\nb = 2', 'a = 1\ntheme = "x" # why\nb = 2'),
        ("theme = 'old'", 'theme = "x"'),
        ("theme = 7", None),
        ('"theme" = "old"', None),
        ('n = """\ntheme = "in a text"\n"""', None),
        ("[keys]\ntheme = 'not this one'", "theme = \"x\"\n[keys]\ntheme = 'not this one'"),
        ("[keys\n", None),
    ],
)
def test_only_the_setting_changes(before: str, after: str | None) -> None:
    assert with_setting(before, "theme", "x") == after


def test_what_became_of_it_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    file = folder / "config.toml"
    assert keep_setting(folder, "theme", "auto") == f"theme is auto, kept in {file}."
    assert file.read_text() == 'theme = "auto"\n'
    file.write_text("[keys\n")
    assert f"mend {file}" in keep_setting(folder, "theme", "auto")
    assert file.read_text() == "[keys\n"
    file.write_bytes(b"\xff")
    assert "until you quit" in keep_setting(folder, "theme", "auto")
    file.unlink()
    (tmp_path / "kept elsewhere").write_text("glyphs = 'ascii'\n")
    file.symlink_to(tmp_path / "kept elsewhere")
    keep_setting(folder, "theme", "auto")
    assert file.is_symlink()
    assert (tmp_path / "kept elsewhere").read_text() == "theme = \"auto\"\nglyphs = 'ascii'\n"
