"""The release that a program asks for."""

import pytest

from sporax._src.base import release
from sporax._src.cli.asked_release import follow_asked, required


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("mindspore==2.7.1", "2.7.0"),
        ("mindspore >= 2.5  # the newest that is allowed", "2.10.0"),
        ("mindspore>=2.0,<2.10", "2.9.0"),
        ("mindspore~=2.8.0; python_version > '3'", "2.8.0"),
        ("mindspore==1.9", "2.7.0"),
        ("mindspore==2.12.0", "2.10.0"),
        ("mindspore", None),
        ("mindspore-lite==2.7", None),
        ("-r other.txt", None),
    ],
)
def test_a_file_of_requirements(tmp_path, line, expected):
    (tmp_path / "requirements.txt").write_text(f"numpy\n{line}\n")
    assert required(tmp_path) == expected


def test_a_project(tmp_path):
    assert required(tmp_path) is None
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\ndependencies = ["numpy", "mindspore==2.9.0"]\n')
    assert required(tmp_path) == "2.9.0"
    (tmp_path / "pyproject.toml").write_text("not [toml")
    assert required(tmp_path) is None


def test_two_files_that_disagree(tmp_path):
    (tmp_path / "requirements.txt").write_text("mindspore==2.7.0\n")
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\ndependencies = ["mindspore>=2.9"]\n')
    text = r"requirements.txt asks for MindSpore 2.7.0 and pyproject.toml asks for MindSpore 2.10.0; choose one with --mindspore"
    with pytest.raises(ValueError, match=text):
        required(tmp_path)


def test_an_option_decides_before_the_environment_and_that_before_files(tmp_path, monkeypatch):
    followed = []
    monkeypatch.setattr(release, "follow", followed.append)
    (tmp_path / "requirements.txt").write_text("mindspore==2.8.0\n")
    monkeypatch.setenv(release.VARIABLE, "2.9")
    follow_asked("2.7", str(tmp_path))
    follow_asked(None, str(tmp_path))
    monkeypatch.delenv(release.VARIABLE)
    follow_asked(None, str(tmp_path))
    assert followed == ["2.7", "2.8.0"]
