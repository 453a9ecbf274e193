"""Finding what a class handed in: each layout as it is downloaded, and each way to make trouble with files and archives."""

import gzip
import io
import os
import signal
import socket
import stat
import struct
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from handgrad.errors import CourseError
from handgrad.grading import unpack
from handgrad.grading.submissions import Submission, find_submissions

TEXT = b'{"cells": []}'
MOODLE = "Ada Lovelace_12345_assignsubmission_file_"


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


@pytest.fixture
def handed(tmp_path: Path) -> Path:
    folder = tmp_path / "handed"
    folder.mkdir()
    return folder


def put(root: Path, *names: str, content: bytes = TEXT) -> Path:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return root


def zipped(path: Path, *entries: str | zipfile.ZipInfo | tuple[str, bytes]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry in entries:
            name, content = entry if isinstance(entry, tuple) else (entry, TEXT)
            archive.writestr(name, content)
    return path


def tarred(path: Path, *members: str | tarfile.TarInfo) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for member in members:
            info = tarfile.TarInfo(member) if isinstance(member, str) else member
            info.size = len(TEXT) if info.isreg() else 0
            archive.addfile(info, io.BytesIO(TEXT))
    return path


def as_bytes(*entries: str | tuple[str, bytes], folder: Path) -> bytes:
    return zipped(folder / "inner.zip", *entries).read_bytes()


def pairs(found: list[Submission]) -> list[tuple[str, str]]:
    return [(one.learner, one.file) for one in found]


def problems(found: list[Submission]) -> dict[str, str]:
    return {one.file: one.problem for one in found}


# --- layouts ---------------------------------------------------------------------------------------------------------

LAYOUTS = {
    "one notebook a learner": {"ada.ipynb": "ada", "bob.ipynb": "bob"},
    "one folder a learner": {"ada/03_relu.ipynb": "ada", "ada/sub/x.ipynb": "ada", "bob/any name.IPYNB": "bob"},
    "one folder an assignment": {"03_relu/ada/x.ipynb": "ada", "03_relu/bob.ipynb": "bob", "06_linear/ada/x.ipynb": "ada"},
    "other assignments": {"week 3/ada/x.ipynb": "ada", "hw1/ada/y.ipynb": "ada", "Homework_2/bob.ipynb": "bob"},
    "name and assignment": {"ada_03_relu.ipynb": "ada", "03_relu - Bob Miller.ipynb": "Bob Miller", "03_relu_4711.ipynb": "4711"},
    "mixed": {"ada.ipynb": "ada", "bob/03_relu.ipynb": "bob", "03_relu/eve.ipynb": "eve", "06_linear/bob/06_linear.ipynb": "bob"},
    "nbgrader": {"submitted/ada/03_relu/x.ipynb": "ada", "submitted/bob/week1/x.ipynb": "bob", "submitted/week1/a.ipynb": "a"},
    "moodle": {
        f"{MOODLE}/03_relu.ipynb": "Ada Lovelace",
        "Bob O_Neil_77_assignsubmission_file/sub/x.ipynb": "Bob O_Neil",
        "Participant_5_assignsubmission_file_/x.ipynb": "Participant 5",
        "Team A_assignsubmission_file/x.ipynb": "Team A",
    },
    "moodle, flat": {f"{MOODLE}03_relu.ipynb": "Ada Lovelace", "王伟_9_assignsubmission_file_03_relu.ipynb": "王伟"},
    "moodle, by assignment": {
        f"03_relu/{MOODLE}/a.ipynb": "Ada Lovelace",
        f"06_linear/{MOODLE.replace('1', '9')}/a.ipynb": "Ada Lovelace",
    },
    "canvas": {
        "lovelaceada_12345_67890_03_relu.ipynb": "lovelaceada",
        "lovelaceada_LATE_12345_67899_06_linear-1.ipynb": "lovelaceada",
        "millerbob_3_4_1_2_x.ipynb": "millerbob",
        "anon_Zq3fT_555_03_relu.ipynb": "anon_Zq3fT",
        "LATE_anon_Zq3fT_556_06_linear.ipynb": "anon_Zq3fT",
    },
    "gradescope": {
        "assignment_9100_export/submission_123/03_relu.ipynb": "submission_123",
        "assignment_9100_export/submission_124/x.ipynb": "submission_124",
    },
    "github classroom": {
        "03-relu-submissions/03-relu-ada/exercises/03_relu.ipynb": "ada",
        "gradients-submissions/gradients-bob-b/x.ipynb": "bob-b",
    },
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("packed", ["folder", "zip", "tar.gz"])
def test_layout(layout: str, packed: str, handed: Path, scratch: Path) -> None:
    files = dict(LAYOUTS[layout])
    if layout == "nbgrader":
        del files["submitted/week1/a.ipynb"]  # see test_nbgraders_learners_are_those_in_submitted
    if packed == "folder":
        given, prefix = put(handed / "class", *files), ""
    else:
        make = zipped if packed == "zip" else tarred
        given, prefix = make(handed / f"class.{packed}", *files), f"class.{packed}!/"
    found = find_submissions([given], scratch)
    assert pairs(found) == sorted((learner, prefix + name) for name, learner in files.items())
    assert not any(problems(found).values())
    assert all(one.path.read_bytes() == TEXT for one in found)
    assert all(one.path.is_relative_to(scratch) == (packed != "folder") for one in found)
    assert all(one.path.name == Path(one.file).name for one in found)


def test_nbgraders_learners_are_those_in_submitted(handed: Path, scratch: Path) -> None:
    put(handed, "source/03_relu/x.ipynb", "release/03_relu/x.ipynb", "submitted/ada/03_relu/x.ipynb", "autograded/ada/x.ipynb")
    assert pairs(find_submissions([handed], scratch)) == [("ada", "submitted/ada/03_relu/x.ipynb")]
    assert pairs(find_submissions([handed / "submitted/ada"], scratch)) == [("ada", "03_relu/x.ipynb")]


def test_paths_of_all_kinds_at_once(handed: Path, scratch: Path) -> None:
    put(handed, "ada/03_relu.ipynb", "ada/03_relu (1).ipynb", "bob.ipynb", f"{MOODLE}/x.ipynb", "grades.csv")
    zipped(handed / "eve.zip", "03_relu.ipynb")
    found = find_submissions(list(handed.iterdir()), scratch)  # as `handgrad grade handed/*`
    assert pairs(found) == [
        ("Ada Lovelace", f"{MOODLE}/x.ipynb"),
        ("ada", "ada/03_relu (1).ipynb"),
        ("ada", "ada/03_relu.ipynb"),
        ("bob", "bob.ipynb"),
        ("eve", "eve.zip!/03_relu.ipynb"),
    ]
    assert pairs(find_submissions([handed, handed / "bob.ipynb"], scratch)) == pairs(find_submissions([handed], scratch))


def test_notebooks_given_by_name(handed: Path, scratch: Path) -> None:
    put(handed, "ada/03_relu.ipynb", "bob/03_relu.ipynb", "submitted/eve/03_relu/x.ipynb", f"{MOODLE}/x.ipynb")
    assert pairs(find_submissions(sorted(handed.rglob("*.ipynb")), scratch)) == [
        ("Ada Lovelace", f"{MOODLE}/x.ipynb"),
        ("ada", "ada/03_relu.ipynb"),
        ("bob", "bob/03_relu.ipynb"),
        ("eve", "submitted/eve/03_relu/x.ipynb"),
    ]
    assert pairs(find_submissions([handed / "ada/03_relu.ipynb"], scratch)) == [("ada", "03_relu.ipynb")]


@pytest.mark.parametrize("name", ["03_relu (1)", "Copy of 03_relu", "03-relu-1", "03_relu - 副本", "03_relu_final"])
def test_copies_are_of_the_learner_whose_folder_it_is(name: str, handed: Path, scratch: Path) -> None:
    put(handed, f"ada/{name}.ipynb")
    assert pairs(find_submissions([handed / "ada"], scratch)) == [("ada", f"{name}.ipynb")]


def test_a_folder_of_gradescopes_alone(handed: Path, scratch: Path) -> None:
    put(handed, "submission_5/03_relu.ipynb", "submission_5/code/x.ipynb")
    assert {one.learner for one in find_submissions([handed / "submission_5"], scratch)} == {"submission_5"}


def test_archive_of_a_folder_of_the_class(handed: Path, scratch: Path) -> None:
    given = zipped(handed / "hand-in.zip", "class/ada/03_relu.ipynb", "class/bob/x.ipynb", "__MACOSX/class/._x.ipynb")
    assert [one.learner for one in find_submissions([given], scratch)] == ["ada", "bob"]
    given = zipped(handed / "ada's.zip", "ada/03_relu.ipynb")
    assert pairs(find_submissions([given], scratch)) == [("ada", "ada's.zip!/ada/03_relu.ipynb")]


def test_archives_of_learners(handed: Path, scratch: Path) -> None:
    inner = as_bytes("work/x.ipynb", "essay.pdf", folder=scratch)
    tarred(handed / "eve.tar.gz", "eve's/03_relu.ipynb")
    zipped(handed / "03_relu.zip", ("ada.zip", inner), ("bob/work.zip", inner))
    zipped(handed / f"{MOODLE}.zip", "x.ipynb")
    put(handed, "lovelaceada_1_2_work.zip", content=inner)
    assert pairs(find_submissions([handed], scratch)) == [
        ("Ada Lovelace", f"{MOODLE}.zip!/x.ipynb"),
        ("ada", "03_relu.zip!/ada.zip!/work/x.ipynb"),
        ("bob", "03_relu.zip!/bob/work.zip!/work/x.ipynb"),
        ("eve", "eve.tar.gz!/eve's/03_relu.ipynb"),
        ("lovelaceada", "lovelaceada_1_2_work.zip!/work/x.ipynb"),
    ]


def test_moodles_zips_of_two_assignments_and_of_two_courses(handed: Path, scratch: Path) -> None:
    zipped(handed / "CS1-03_relu-471.zip", f"{MOODLE}/x.ipynb")
    zipped(handed / "CS1-06_linear-472.zip", "Ada Lovelace_999_assignsubmission_file_/x.ipynb")
    assert {one.learner for one in find_submissions([handed], scratch)} == {"Ada Lovelace"}
    assert {one.learner for one in find_submissions(list(handed.iterdir()), scratch)} == {"Ada Lovelace"}
    zipped(handed / "CS2-03_relu-473.zip", f"{MOODLE}/x.ipynb")
    for paths in ([handed], list(handed.iterdir())):
        assert [one.learner for one in find_submissions(paths, scratch)] == ["Ada Lovelace (CS1)"] * 2 + ["Ada Lovelace (CS2)"]


def test_windows_archive_with_backslashes(handed: Path, scratch: Path) -> None:
    info = zipfile.ZipInfo("x")
    info.filename = "ada\\03_relu.ipynb"
    found = find_submissions([zipped(handed / "class.zip", info, "bob/x.ipynb")], scratch)
    assert pairs(found) == [("ada", "class.zip!/ada\\\\03_relu.ipynb"), ("bob", "class.zip!/bob/x.ipynb")]


# --- names -----------------------------------------------------------------------------------------------------------


def test_two_of_one_name_are_two_learners(handed: Path, scratch: Path) -> None:
    put(handed, f"{MOODLE}/x.ipynb", "Ada Lovelace_9_assignsubmission_file_/x.ipynb", "leewei_1_5_x.ipynb", "leewei_2_6_x.ipynb")
    names = [one.learner for one in find_submissions([handed], scratch)]
    assert names == ["Ada Lovelace (12345)", "Ada Lovelace (9)", "leewei (1)", "leewei (2)"]


def test_moodles_folders_given_by_name(handed: Path, scratch: Path) -> None:
    put(handed, f"03_relu/{MOODLE}/x.ipynb", "06_linear/Ada Lovelace_9_assignsubmission_file_/x.ipynb")
    assert {one.learner for one in find_submissions(list(handed.glob("*/*")), scratch)} == {"Ada Lovelace"}


def test_sections_and_assignments(handed: Path, scratch: Path) -> None:
    put(handed, "section1/ada/x.ipynb", "section2/ada/x.ipynb", "section2/bob/x.ipynb", "03_relu/ada/x.ipynb", "week 4/ada.ipynb")
    found = find_submissions([handed / "section1", handed / "section2"], scratch)
    assert [one.learner for one in found] == ["ada (section1)", "ada (section2)", "bob"]
    found = find_submissions([handed / "03_relu", handed / "week 4"], scratch)
    assert pairs(found) == [("ada", "03_relu/ada/x.ipynb"), ("ada", "week 4/ada.ipynb")]


def test_canvas_id_is_one_person_in_all_downloads(handed: Path, scratch: Path) -> None:
    put(handed, "a/lovelaceada_1_2_x.ipynb", "b/lovelaceada_LATE_1_3_x-1.ipynb")
    found = find_submissions([handed / "a", handed / "b"], scratch)
    assert [one.learner for one in found] == ["lovelaceada"] * 2
    assert not any(problems(found).values())


def test_nobody_takes_the_name_of_another_by_names_inside_their_own_folder(handed: Path, scratch: Path) -> None:
    put(
        handed,
        f"{MOODLE}/Bob Miller_7_assignsubmission_file_/03_relu.ipynb",
        "eve/millerbob_7_8_x.ipynb",
        "eve/03_relu/bob.ipynb",
    )
    assert {one.learner for one in find_submissions([handed], scratch)} == {"Ada Lovelace", "eve"}


def test_names_are_unique_even_beside_a_learner_who_bears_the_suffix(handed: Path, scratch: Path) -> None:
    put(handed, "s1/ada/x.ipynb", "s2/ada/x.ipynb", "s2/ada (s1)/x.ipynb", "a/s1/ada/x.ipynb")
    found = find_submissions([handed / "s1", handed / "s2", handed / "a/s1"], scratch)
    assert len({one.learner for one in found}) == 4


def test_names_are_printable_and_one_spelling(handed: Path, scratch: Path) -> None:
    put(handed, "03_relu/Zoe\u0308/x.ipynb", "week 2/Zo\u00eb/x.ipynb", "a\x1b[2J\u202e.ipynb", os.fsdecode(b"b\xff.ipynb"))
    found = find_submissions([handed], scratch)
    assert [one.learner for one in found] == ["Zo\u00eb", "Zo\u00eb", r"a\x1b[2J\u202e", r"b\udcff"]
    assert all((one.learner + one.file).isprintable() for one in found)
    assert all(one.path.read_bytes() == TEXT for one in found)


def test_name_of_a_given_folder_is_in_the_same_spelling(handed: Path, scratch: Path) -> None:
    put(handed, "Zoe\u0308/03_relu.ipynb")
    assert [one.learner for one in find_submissions([handed / "Zoe\u0308/03_relu.ipynb"], scratch)] == ["Zo\u00eb"]


def test_order_and_names_do_not_depend_on_the_order_of_the_paths(handed: Path, scratch: Path) -> None:
    put(handed, "b/ada/x.ipynb", "a/ada/x.ipynb", "a/zoe.ipynb", "c.ipynb")
    zipped(handed / "d.zip", "x.ipynb")
    zipped(handed / "e.zip", "y.ipynb")
    paths = sorted(handed.iterdir())
    first, second = find_submissions(paths, scratch), find_submissions(paths[::-1], scratch)
    assert pairs(first) == pairs(second) == sorted(pairs(first))
    assert [one.path.parts[-2:] for one in first] == [one.path.parts[-2:] for one in second]


def test_hidden_files_and_checkpoints_are_left_out(handed: Path, scratch: Path) -> None:
    names = [
        "ada/.ipynb_checkpoints/x-checkpoint.ipynb",
        "ada/._x.ipynb",
        ".b.ipynb",
        "__MACOSX/c.ipynb",
        "ada/x.checkpoint.ipynb",
    ]
    put(handed / "class", *names, "ada/x.ipynb")
    assert pairs(find_submissions([handed / "class"], scratch)) == [("ada", "ada/x.ipynb")]
    found = find_submissions([zipped(handed / "class.zip", *names, "ada/x.ipynb")], scratch)
    assert pairs(found) == [("ada", "class.zip!/ada/x.ipynb")]


# --- nothing to grade ------------------------------------------------------------------------------------------------


def test_a_learner_without_a_notebook(handed: Path, scratch: Path) -> None:
    put(handed, "ada/x.pdf", f"{MOODLE}/x.ipynb", f"{MOODLE.replace('file', 'onlinetext')}/onlinetext.html", "roe_1_2_essay.rar")
    put(handed, *(f"03_relu/bob/{letter}.txt" for letter in "abcdefg"), "06_linear/bob/x.ipynb", "readme.md")
    (handed / "eve").mkdir()
    zipped(handed / "zoe.zip", "zoe/x.pdf")
    assert problems(find_submissions([handed], scratch)) == {
        "ada": "no notebook (.ipynb) in ada; found: x.pdf",
        f"{MOODLE}/x.ipynb": "",
        "roe_1_2_essay.rar": "no notebook (.ipynb) in roe_1_2_essay.rar; found: roe_1_2_essay.rar",
        "03_relu/bob": "no notebook (.ipynb) in 03_relu/bob; found: a.txt, b.txt, c.txt, d.txt, e.txt and 2 more",
        "06_linear/bob/x.ipynb": "",
        "eve": "no notebook (.ipynb) in eve; found: nothing",
        "zoe.zip": "no notebook (.ipynb) in zoe.zip; found: zoe/x.pdf",
    }


def test_nothing_at_all(handed: Path, scratch: Path) -> None:
    with pytest.raises(
        CourseError, match=r"handed: nothing was handed in here\. Expected notebooks \(\.ipynb\), a folder or zip of them"
    ):
        find_submissions([handed], scratch)
    with pytest.raises(CourseError, match="no path: nothing"):
        find_submissions([], scratch)
    with pytest.raises(CourseError, match="typo: not found"):
        find_submissions([handed / "typo"], scratch)
    put(handed, "x.pdf")
    with pytest.raises(CourseError, match=r"x\.pdf: nothing"):
        find_submissions([handed / "x.pdf"], scratch)


# --- hostile files ---------------------------------------------------------------------------------------------------


def test_links(handed: Path, scratch: Path, tmp_path: Path) -> None:
    put(tmp_path, "secret/03_relu.ipynb", "secret.txt")
    put(handed, "bob/x.ipynb", "ada/real.ipynb", "ada/a.zip")
    for name, target in {
        "out.ipynb": tmp_path / "secret/03_relu.ipynb",
        "outside": tmp_path / "secret",
        "up": "../../secret",
        "loop.ipynb": "loop.ipynb",
        "round": ".",
        "zip.zip": "a.zip",
        "text": tmp_path / "secret.txt",
        "bobs.ipynb": "../bob/x.ipynb",
        "mine.ipynb": "real.ipynb",
    }.items():
        (handed / "ada" / name).symlink_to(target)
    put(handed, "ada/a.zip", content=as_bytes("x.ipynb", folder=scratch))
    out = "a link that leads out of the submissions; it is not followed"
    assert problems(find_submissions([handed], scratch)) == {
        "ada/a.zip!/x.ipynb": "",
        "ada/bobs.ipynb": "a link to a file of another learner",
        "ada/loop.ipynb": "a link that leads nowhere",
        "ada/mine.ipynb": "",
        "ada/out.ipynb": out,
        "ada/outside": out,
        "ada/real.ipynb": "",
        "ada/up": out,
        "ada/zip.zip": "a link to an archive; it is not followed",
        "bob/x.ipynb": "",
    }


def test_a_given_path_may_be_a_link(handed: Path, scratch: Path, tmp_path: Path) -> None:
    put(handed, "ada/x.ipynb", "ada/y.ipynb")
    (handed / "ada/z.ipynb").symlink_to("y.ipynb")
    (tmp_path / "here").symlink_to(handed)
    found = find_submissions([tmp_path / "here"], scratch)
    assert problems(found) == {"ada/x.ipynb": "", "ada/y.ipynb": "", "ada/z.ipynb": ""}


@pytest.fixture
def soon() -> Iterator[None]:
    """Fail, rather than wait for ever for the other end of a FIFO."""
    before = signal.signal(signal.SIGALRM, lambda *_: pytest.fail("it hangs"))
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("soon")
def test_what_is_not_a_file_is_not_opened(handed: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (handed / "ada").mkdir()
    os.mkfifo(handed / "ada/fifo.ipynb")
    os.mkfifo(handed / "ada/fifo.zip")
    (handed / "ada/link.ipynb").symlink_to("fifo.ipynb")
    (handed / "ada/folder.ipynb").mkdir()
    monkeypatch.chdir(handed / "ada")  # a socket's path is short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket.ipynb")
    assert problems(find_submissions([handed], scratch)) == {
        "ada/fifo.ipynb": "not a file but a FIFO",
        "ada/fifo.zip": "not a file but a FIFO",
        "ada/folder.ipynb": "not a file but a folder",
        "ada/link.ipynb": "not a file but a FIFO",
        "ada/socket.ipynb": "not a file but a socket",
    }
    assert problems(find_submissions([handed / "ada/fifo.ipynb"], scratch)) == {"fifo.ipynb": "not a file but a FIFO"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes devices")
def test_device(handed: Path, scratch: Path) -> None:
    try:
        os.mknod(handed / "zero.ipynb", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("no devices here")
    assert problems(find_submissions([handed], scratch)) == {"zero.ipynb": "not a file but a device"}


def test_too_large_too_deep_and_unreadable(handed: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(handed, "ada.ipynb", "bob/" + "d/" * 40 + "x.ipynb", "eve/x.ipynb", "zoe/x.ipynb")
    os.truncate(handed / "ada.ipynb", 65 * 2**20)
    real = Path.iterdir

    def iterdir(path: Path) -> object:
        if path.name == "eve":
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(Path, "iterdir", iterdir)
    assert list(problems(find_submissions([handed], scratch)).values()) == [
        "65 MiB, expected at most 64",
        "more than 32 folders deep",
        "cannot be read: Permission denied",
        "",
    ]


# --- hostile archives ------------------------------------------------------------------------------------------------


def everything_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


ESCAPES = [
    "/etc/x.ipynb",
    "../x.ipynb",
    "ada/../../../x.ipynb",
    "..\\x.ipynb",
    "C:\\x.ipynb",
    "C:x.ipynb",
    "../.ssh/../keys",
    "//h/x.ipynb",
]


@pytest.mark.parametrize("name", ESCAPES)
@pytest.mark.parametrize("make", [zipped, tarred])
def test_names_that_lead_out(name: str, make: object, handed: Path, scratch: Path, tmp_path: Path) -> None:
    entry = zipfile.ZipInfo("x") if make is zipped else tarfile.TarInfo("x")
    setattr(entry, "filename" if make is zipped else "name", name)
    if name.endswith("keys"):
        setattr(entry, "filename" if make is zipped else "name", "../keys")
    given = make(handed / ("class.zip" if make is zipped else "class.tgz"), entry, "bob/x.ipynb")
    before = everything_in(tmp_path)
    found = find_submissions([given], scratch)
    assert sorted(one.problem for one in found) == ["", "its name leads out of the archive"]
    assert {new.split("/")[0] for new in everything_in(tmp_path) - before} == {"scratch"}
    assert len([path for path in scratch.rglob("*") if path.is_file()]) == 1


def test_links_and_devices_in_archives(handed: Path, scratch: Path) -> None:
    given = []
    for kind, mode in {"link": stat.S_IFLNK, "fifo": stat.S_IFIFO, "device": stat.S_IFCHR}.items():
        info = zipfile.ZipInfo(f"ada/{kind}.ipynb")
        info.external_attr = (mode | 0o777) << 16
        given.append((info, b"/etc/passwd"))
    put(handed, "01.zip", content=as_bytes(*given, "bob.ipynb", folder=scratch))
    members = []
    for name, kind in {"sym": tarfile.SYMTYPE, "hard": tarfile.LNKTYPE, "fifo": tarfile.FIFOTYPE, "dev": tarfile.CHRTYPE}.items():
        member = tarfile.TarInfo(f"ada/{name}.ipynb")
        member.type, member.linkname = kind, "/etc/passwd"
        members.append(member)
    link = tarfile.TarInfo("eve")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc"
    tarred(handed / "02.tgz", *members, link, "eve/x.ipynb")
    assert problems(find_submissions([handed / "01.zip", handed / "02.tgz"], scratch)) == {
        "01.zip!/ada/device.ipynb": "not a file but a device",
        "01.zip!/ada/fifo.ipynb": "not a file but a FIFO",
        "01.zip!/ada/link.ipynb": "not a file but a link",
        "01.zip!/bob.ipynb": "",
        "02.tgz!/ada/sym.ipynb": "not a file but a link",
        "02.tgz!/ada/hard.ipynb": "not a file but a link",
        "02.tgz!/ada/fifo.ipynb": "not a file but a device or FIFO",
        "02.tgz!/ada/dev.ipynb": "not a file but a device or FIFO",
        "02.tgz!/eve/x.ipynb": "",
    }
    assert not any(path.is_symlink() for path in scratch.rglob("*"))


@pytest.mark.parametrize("make", [zipped, tarred])
def test_too_many_entries(make: object, handed: Path, scratch: Path) -> None:
    put(handed, "bob.ipynb")
    names = ["0.ipynb", *(f"{os.urandom(8).hex()}.txt" for _ in range(10_000))]
    make(handed / ("ada.zip" if make is zipped else "ada.tgz"), *names)
    found = find_submissions([handed], scratch)
    told = problems(found)
    refused = "the archive cannot be unpacked: more than 10,000 files and folders"
    if make is zipped:  # known before anything is unpacked
        assert told == {"ada.zip": refused, "bob.ipynb": ""}
    else:
        assert told == {"ada.tgz": refused, "ada.tgz!/0.ipynb": "", "bob.ipynb": ""}


def test_table_of_contents_is_not_read_whatever_its_size(handed: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zipped(handed / "ada.zip", *(f"{number:0200}.txt" for number in range(100)))
    monkeypatch.setattr(unpack, "DIRECTORY", 20_000)
    monkeypatch.setattr(zipfile.ZipFile, "infolist", lambda self: pytest.fail("the table was read"))
    [found] = find_submissions([handed], scratch)
    assert found.problem == "the archive cannot be unpacked: more than 10,000 files and folders"


def test_bombs(handed: Path, scratch: Path) -> None:
    zipped(handed / "ratio.zip", ("x.ipynb", b" " * (5 * 2**20)), ("ok.ipynb", b" " * (3 * 2**20)))
    with zipfile.ZipFile(handed / "large.zip", "w") as archive, archive.open("x.ipynb", "w", force_zip64=True) as entry:
        for _ in range(65):
            entry.write(os.urandom(2**20))
    put(handed, "tar.tgz", content=gzip.compress(b"\0" * (300 * 2**20), 1))
    found = {one.file: one for one in find_submissions([handed], scratch)}
    assert found["ratio.zip!/x.ipynb"].problem == "cannot be unpacked: it is more than 100 times as large unpacked as packed"
    assert found["ratio.zip!/ok.ipynb"].problem == ""
    assert found["large.zip!/x.ipynb"].problem == "65 MiB, expected at most 64"
    assert sum(path.stat().st_size for path in scratch.rglob("*") if path.is_file()) == 3 * 2**20


def test_tar_bomb_is_not_read_to_its_end(handed: Path, scratch: Path) -> None:
    member = tarfile.TarInfo("data.bin")
    member.size = 2**33
    put(handed, "ada.tgz", content=gzip.compress(member.tobuf() + b"\0" * (50 * 2**20)))
    [found] = find_submissions([handed], scratch)
    assert "all in it is more than 100 times as large unpacked as packed" in found.problem


def test_tar_of_much_that_is_no_notebook(handed: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpack, "INNER", 20_000)
    with tarfile.open(handed / "ada.tgz", "w:gz") as archive:
        member = tarfile.TarInfo("data.bin")
        member.size = 30_000
        archive.addfile(member, io.BytesIO(os.urandom(30_000)))
    [found] = find_submissions([handed], scratch)
    assert "all in it is more than" in found.problem


def test_sizes_are_counted_and_not_believed(handed: Path, scratch: Path) -> None:
    """A zip that states 10 bytes for each of its files, and a sum that is too large although each file is small."""
    zipped(handed / "liar.zip", ("x.ipynb", b"0123456789" * 1000))
    data = bytearray((handed / "liar.zip").read_bytes())
    for at in (data.find(b"PK\x01\x02") + 24, data.find(b"PK\x03\x04") + 22):
        data[at : at + 4] = struct.pack("<I", 10)
    (handed / "liar.zip").write_bytes(data)
    [found] = find_submissions([handed], scratch)
    assert found.learner == "liar"
    assert found.problem.startswith("cannot be unpacked")
    assert not [path for path in scratch.rglob("*") if path.is_file()]


def test_sum_of_all_archives_and_of_one(handed: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpack, "INNER", 2500)
    monkeypatch.setattr(unpack, "IN_ALL", 5800)
    bomb = [(f"{number}.ipynb", os.urandom(1000)) for number in range(3)]
    for name in ("ada", "bob", "eve"):
        zipped(handed / f"{name}.zip", *bomb)
    found = find_submissions([handed], scratch)
    assert [bool(one.problem) for one in found] == [False, False, True, False, False, True, False, True, True]
    assert "give fewer submissions at once" in found[-1].problem
    found = find_submissions([handed / "ada.zip"], scratch)  # an archive that the teacher gives may hold a whole class
    assert not any(problems(found).values())
    whole = zipped(handed / "class.zip", *((path.name, path.read_bytes()) for path in handed.glob("???.zip")))
    monkeypatch.setattr(unpack, "IN_ALL", 100_000)
    monkeypatch.setattr(unpack, "INNER", 2500)
    found = find_submissions([whole], scratch)
    assert [bool(one.problem) for one in found] == [False, False, True] * 3


def test_small_files_are_unpacked_before_a_bomb_beside_them(handed: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpack, "IN_ALL", 5000)
    given = zipped(handed / "class.zip", ("ada/bomb.ipynb", os.urandom(4900)), ("bob/x.ipynb", os.urandom(500)))
    assert [bool(one.problem) for one in find_submissions([given], scratch)] == [True, False]


def test_several_files_of_one_name(handed: Path, scratch: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate"):
        given = zipped(
            handed / "class.zip", "ada/x.ipynb", ("ada/x.ipynb", b"other"), "ada//y.ipynb", "ada/./y.ipynb", "bob.ipynb"
        )
    found = find_submissions([given], scratch)
    several = "several files of this name in the archive, and only one can be meant"
    assert [(one.learner, one.problem) for one in found] == [("ada", several), ("ada", several), ("bob", "")]


def test_a_file_and_a_folder_of_one_name(handed: Path, scratch: Path) -> None:
    given = zipped(handed / "class.zip", "ada/x.ipynb", "ada/x.ipynb/y.ipynb", "ada/x.ipynb/y.ipynb/z.ipynb")
    assert len(find_submissions([given], scratch)) == 3


def test_names_of_control_characters_and_broken_unicode(handed: Path, scratch: Path) -> None:
    given = zipped(
        handed / "class.zip",
        "ada/03_relu\x1b[31m\n.ipynb",
        "b\u00e9\u00e9.ipynb",
        "eve.ipynb",
        "x" * 300 + "/x.ipynb",
        "\u202egro.ipynb",
    )
    data = given.read_bytes().replace("b\u00e9\u00e9".encode(), b"b\xff\xfe\xff\xfe")
    given.write_bytes(data)
    found = find_submissions([given], scratch)
    assert len(found) == 5
    assert [one.learner for one in found if not one.problem] == [r"\u202egro", "ada", "eve"]
    assert [one.problem for one in found if one.problem] == [
        "cannot be unpacked: its name is broken; rename it, and zip it again",
        "its name is too long, or more than 32 folders deep",
    ]
    assert all((one.learner + one.file).isprintable() and str(one.path).isprintable() for one in found)
    tarred(handed / "other.tgz", "a\udcff\x07.ipynb")
    [found] = find_submissions([handed / "other.tgz"], scratch)
    assert found.learner == r"a\udcff\x07"
    assert found.path.read_bytes() == TEXT


def test_long_names_and_deep_folders_in_archives(handed: Path, scratch: Path) -> None:
    long = "é" * 100 + "_03_relu.ipynb"
    found = find_submissions([zipped(handed / "class.zip", "ada/" + "d/" * 40 + "x.ipynb", long, "字" * 90 + ".ipynb")], scratch)
    assert sum("folders deep" in one.problem for one in found) == 2
    [fine] = [one for one in found if not one.problem]
    assert fine.path.name.endswith("_03_relu.ipynb")


def test_broken_and_encrypted_archives(handed: Path, scratch: Path) -> None:
    whole = zipped(handed / "whole.zip", ("a.ipynb", os.urandom(5000)), ("b.ipynb", os.urandom(6000))).read_bytes()
    put(handed, "cut.zip", content=whole[:3000])
    put(handed, "text.zip", "text.tgz", "text.tar", content=b"hello" * 500)
    put(handed, "empty.zip", "empty.tgz", content=b"")
    put(handed, "crc.zip", content=whole[:100] + bytes([whole[100] ^ 1]) + whole[101:])
    data = tarred(handed / "cut.tgz", *(f"{number}.ipynb" for number in range(300))).read_bytes()
    put(handed, "cut.tgz", content=data[: len(data) * 2 // 3])
    locked = bytearray(whole)
    for at in (whole.find(b"PK\x01\x02") + 8, whole.find(b"PK\x03\x04") + 6):
        locked[at] |= 1
    put(handed, "locked.zip", content=bytes(locked))
    with zipfile.ZipFile(handed / "lzma.zip", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("x.ipynb", TEXT)
    found = find_submissions([handed], scratch)
    told = problems(found)
    for name in ("cut.zip", "text.zip", "text.tgz", "text.tar", "empty.zip", "empty.tgz", "cut.tgz"):
        assert told[name].startswith("the archive cannot be unpacked: "), name
    assert told["crc.zip!/a.ipynb"].startswith("cannot be unpacked: Bad CRC-32")
    assert told["crc.zip!/b.ipynb"] == told["whole.zip!/a.ipynb"] == told["locked.zip!/b.ipynb"] == ""
    assert told["locked.zip!/a.ipynb"] == "encrypted; zip it without a password"
    assert told["lzma.zip!/x.ipynb"] == "packed by an unusual method; make an ordinary zip"
    assert told["cut.tgz!/0.ipynb"] == ""  # what came before the cut is graded
    assert {one.learner for one in found} == {"crc", "cut", "empty", "locked", "lzma", "text", "whole"}


def test_archives_are_opened_one_level_deep(handed: Path, scratch: Path) -> None:
    third = as_bytes("x.ipynb", folder=scratch)
    second = as_bytes(("third.zip", third), "y.ipynb", folder=scratch)
    given = zipped(handed / "class.zip", ("ada.zip", second), ("bob.zip", b"no zip"))
    found = find_submissions([given], scratch)
    assert problems(found) == {
        "class.zip!/ada.zip!/third.zip": "cannot be unpacked: an archive in an archive in an archive",
        "class.zip!/ada.zip!/y.ipynb": "",
        "class.zip!/bob.zip": "the archive cannot be unpacked: File is not a zip file",
    }
    assert [one.learner for one in found] == ["ada", "ada", "bob"]


def test_a_tar_that_ends_in_a_zip_is_a_tar(handed: Path, scratch: Path) -> None:
    inner = as_bytes("x.ipynb", folder=scratch)
    with tarfile.open(handed / "class.tar", "w") as archive:
        for name in ("ada.zip", "bob.zip"):
            info = tarfile.TarInfo(name)
            info.size = len(inner)
            archive.addfile(info, io.BytesIO(inner))
    assert [one.learner for one in find_submissions([handed / "class.tar"], scratch)] == ["ada", "bob"]


def test_names_of_many_parts(handed: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(handed, "bob.ipynb")
    zipped(handed / "ada.zip", "../" + "d/" * 3000 + "x.ipynb", "d/" * 3000 + "y.txt", "d/" * 3000, "x.ipynb")
    tarred(handed / "eve.tar.gz", "x" * 1_000_000 + ".ipynb", "d/" * 3000 + "x.ipynb")
    found = find_submissions([handed], scratch)
    assert [(one.learner, bool(one.problem)) for one in found if not one.problem] == [("ada", False), ("bob", False)]
    assert all(len(one.file) < 1100 for one in found)
    monkeypatch.setattr(unpack, "NAMES", 5000)
    told = problems(find_submissions([handed], scratch))
    assert told["ada.zip"] == told["eve.tar.gz"] == "the archive cannot be unpacked: more than 10,000 files and folders"
    assert told["bob.ipynb"] == ""


def test_dates_are_no_ids_of_canvas(handed: Path, scratch: Path) -> None:
    put(handed, "2024_01_15_ada.ipynb", "2024_01_15_bob.ipynb", "03_relu_2024_01_15.ipynb")
    names = [one.learner for one in find_submissions([handed], scratch)]
    assert names == ["2024_01_15", "2024_01_15_ada", "2024_01_15_bob"]


@pytest.mark.usefixtures("soon")
def test_names_made_to_take_long(handed: Path, scratch: Path) -> None:
    put(handed, "03_relu" + "1" * 240 + ".ipynb", "03_relu " + "copy of " * 28 + "x.ipynb", "_1" * 120 + ".ipynb")
    assert len(find_submissions([handed], scratch)) == 3
