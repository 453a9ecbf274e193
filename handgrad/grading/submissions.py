"""Which files a class handed in, and whose each one is.

Nothing that a learner chose is trusted: not a name in an archive, not a link, not a size that an archive states.
Files of archives are copied to paths of our own making, one by one and counted as they are unpacked.
"""

import gzip
import io
import os
import re
import stat
import tarfile
import tempfile
import unicodedata
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, NamedTuple

from handgrad.errors import CourseError
from handgrad.grading.official import course_folder

MIB = 2**20
LARGEST = 64 * MIB  # a notebook, or an archive within an archive
INNER = 256 * MIB  # all that is unpacked from one archive that was found, not given: it may be one learner's
IN_ALL = 1024 * MIB  # all that is unpacked
ENTRIES = 10_000  # files and folders in one archive
NAMES = 1_000_000  # parts of all their names
DIRECTORY = 8 * MIB  # an archive's table of contents
RATIO, RATIO_FROM = 100, 4 * MIB  # what lies beyond is no notebook: outputs that repeat themselves reach some 30 to 1
DEPTH = 32  # folders in folders
_ARCHIVE = re.compile(r"\.(zip|tar\.gz|tgz|tar)$", re.IGNORECASE)
_NOT_FILES = {stat.S_IFLNK: "a link", stat.S_IFIFO: "a FIFO", stat.S_IFSOCK: "a socket", stat.S_IFDIR: "a folder"}

# Moodle, mod/assign/classes/downloader.php: <full name>_<id>_assignsubmission_<plugin>, then /<file> or _<file>.
# Older releases end the folder's name in _. The id is of the learner in that one assignment.
# A team's name may have no id; where marking is blind, the name is the word for participant, and only the id tells who.
_MOODLE = re.compile(r"(?P<name>.+?)(?:_(?P<id>\d+))?_assignsubmission_[a-z]+(?:_.*)?", re.DOTALL)
_BLIND = re.compile(r"participant|teilnehmer|deelnemer|成员|参与者|受験者", re.IGNORECASE)
# Canvas, lib/content_zipper.rb: <sortable name, lower case, word characters>[_LATE]_<user id>_<attachment id>_<file>,
# without the name but with anon_<id> where marking is anonymous.
_CANVAS = re.compile(
    r"(?:(?P<name>\d*[^\W\d_][^\W_]*)_(?:LATE_)?(?P<id>\d+)|(?:LATE_)?(?P<anon>anon_[^\W_]+))_\d+_.+", re.DOTALL | re.IGNORECASE
)
# Gradescope's export: assignment_<id>_export/submission_<id>/ beside submission_metadata.yml.
_GRADESCOPE = re.compile(r"submission_\d+")
# nbgrader's submitted/<learner>/<assignment>/; gh-classroom's student-repos.go clones to <slug>-submissions/<slug>-<login>.
_GATHERS = re.compile(r"(.*[\s_-])?(submitted|submissions?)", re.IGNORECASE | re.DOTALL)
_TASK = r"(?:assignment|homework|hw|exercise|week|lab|sheet|task|unit|problem[\s_-]?set|作业|实验)[\s_-]?\d+"
_FILLER = re.compile(
    r"|copy|of|kopie|von|副本|final|solutions?|solved|answers?|submissions?|submitted|exercises?|export|v?\d{1,2}", re.IGNORECASE
)


@dataclass(frozen=True)
class Submission:
    """One file that was handed in, or what stands for a learner who handed in none that can be graded."""

    learner: str
    file: str  # as found, for reports; "hand-in.zip!/ada/03_relu.ipynb" within an archive
    path: Path  # where to read it
    problem: str = ""  # why it cannot be graded


class _Refused(Exception):
    """What is unpacked is larger than anything that belongs here."""


@dataclass
class _File:
    shown: str
    path: Path
    problem: str = ""
    counts: bool = True  # a notebook or a refused file; otherwise only named where its owner handed in no notebook
    linked: bool = False


@dataclass
class _Folder:
    """A folder or an archive."""

    shown: str
    archive: bool = False
    files: dict[str, _File] = field(default_factory=dict)
    folders: dict[str, "_Folder"] = field(default_factory=dict)

    def all_files(self) -> Iterator[_File]:
        yield from self.files.values()
        for folder in self.folders.values():
            yield from folder.all_files()


class _Person(NamedTuple):
    name: str
    crowd: tuple[str, ...]  # within which one name is one person
    number: str = ""


def find_submissions(paths: Sequence[Path], scratch: Path) -> list[Submission]:
    """All notebooks in `paths`, by learner and file. Those in archives are copied into `scratch`.

    A path is a notebook, a folder or an archive (zip, tar.gz, tar; archives in archives are opened one level deep).
    *Who*: going down from a path that was given, the first name that tells a learner decides, for all that lies below.

    1. A name as Moodle, Canvas or Gradescope write it tells the learner (Gradescope's: `submission_123`),
       and so does any folder in nbgrader's `submitted/`.
    2. A folder or archive that is named for an assignment (`03_relu`, `week 3`, `03-relu-submissions`) tells nobody:
       what lies in it is looked at in its turn. If there is more to the name, as in GitHub Classroom's `03-relu-ada`,
       the rest of it is the learner, and so in `ada_03_relu.ipynb`.
    3. Any other name is itself the learner's: `ada.ipynb`, `ada.zip`, `ada/`.
    4. A notebook that is just named `03_relu.ipynb` (or `Copy of 03_relu (1).ipynb`), with nobody told above it, belongs
       to the folder or archive that it lies in: `handgrad grade ada bob` are two learners.

    *One name, one person.* The same name below folders of assignments side by side is the same person, and so is one user
    id of Canvas anywhere. The same name under other paths (`section1/ada section2/ada`) or with another id in the same
    download is another person: both get a suffix, `ada (section1)` or `Ada Lovelace (12345)`.

    *Several files of one learner* are all graded. Canvas writes `03_relu-1.ipynb` for a file name that the learner used
    before, and packs what belongs to the last attempt only; so neither name tells that one file replaces the other.

    A file that cannot be graded, and a learner without a notebook, are in the list with a problem. Links lead to a file
    of the same learner in the same path, or are refused. Hidden files, checkpoints and __MACOSX are left out.

    Raises:
        CourseError: a path does not exist, or nothing was handed in.
    """
    given = {Path(os.path.abspath(path)): path for path in paths}
    for absolute, path in given.items():
        if not absolute.exists():
            raise CourseError(f"{path}: not found. Expected a notebook, a folder or an archive of submissions.")
    roots = [root for root in given if not any(parent in given for parent in root.parents)]
    if len(roots) == 1 and roots[0].is_dir():
        base = roots[0]
    else:
        base = Path(os.path.commonpath([root.parent for root in roots])) if roots else Path()
    scan = _Scan(Path(tempfile.mkdtemp(dir=scratch, prefix="submissions-")))
    found: dict[Path, _Folder] = defaultdict(lambda: _Folder(""))
    for root in sorted(roots):
        shown = "" if root == base else _printable(root.relative_to(base).as_posix())
        _put(found[root.parent], root.name, scan.on_disk(root, shown, root.resolve()))
    owners = _Owners(_assignment_names(roots[0])) if roots else None
    for parent, folder in found.items():
        owners.take_given(parent, folder)
    submissions = owners.submissions() if owners else []
    if not submissions:
        raise CourseError(
            f"{', '.join(map(str, paths)) or 'no path'}: nothing was handed in here. Expected notebooks (.ipynb), a folder or "
            "zip of them with a file or folder for each learner, or a download from Moodle, Canvas or Gradescope."
        )
    return submissions


class _Scan:
    """Finds files, and unpacks them; refuses what is not one."""

    def __init__(self, scratch: Path) -> None:
        self.scratch, self.copies, self.names, self.left = scratch, 0, 0, IN_ALL

    def on_disk(self, path: Path, shown: str, root: Path, depth: int = 0) -> _File | _Folder | None:
        """What stands at `path`. Nothing but folders, and archives that are files, is opened."""
        archive = bool(_ARCHIVE.search(path.name))
        file = _File(shown, path, counts=archive or _is_notebook(path.name))
        try:
            status = path.lstat() if depth else path.stat()
            if stat.S_ISLNK(status.st_mode):
                return self._link(file, root)
            if stat.S_ISDIR(status.st_mode) and not _is_notebook(path.name):
                return self._folder(path, shown, root, depth)
            file.problem = _fault(status.st_mode, status.st_size, archive)
        except OSError as error:
            return _File(shown, path, f"cannot be read: {error.strerror}")
        if archive and not file.problem:
            return self.archive(path, shown, floor=max(0, self.left - INNER) if depth else 0)
        return file

    def _folder(self, path: Path, shown: str, root: Path, depth: int) -> _Folder | _File:
        if depth > DEPTH:
            return _File(shown, path, f"more than {DEPTH} folders deep")
        folder = _Folder(shown)
        for child in sorted(path.iterdir()):
            if not _is_left_out(child.name):
                name = _printable(child.name)
                entry = self.on_disk(child, f"{shown}/{name}" if shown else name, root, depth + 1)
                _put(folder, child.name, entry)
        return folder

    def _link(self, file: _File, root: Path) -> _File | None:
        target = Path(os.path.realpath(file.path))
        if not target.exists():
            file.problem = "a link that leads nowhere"
        elif not target.is_relative_to(root.resolve()):
            file.problem = "a link that leads out of the submissions; it is not followed"
            file.counts = file.counts or target.is_dir()
        elif target.is_dir():
            return None  # what it leads to is found in its own place
        elif _ARCHIVE.search(file.path.name):
            file.problem = "a link to an archive; it is not followed"
        else:
            status = target.stat()
            file.problem, file.linked = _fault(status.st_mode, status.st_size), True
        return file

    def archive(self, path: Path, shown: str, floor: int, inner: bool = False) -> _Folder | _File:
        """What is in an archive, unpacked until `floor` bytes are left. One that cannot be read is a file with a problem."""
        folder = _Folder(shown, archive=True)
        entries = _zip_entries if path.suffix.lower() == ".zip" else _tar_entries
        try:
            for count, entry in enumerate(entries(path, self.left - floor)):
                self.names += 1 + len(re.findall(r"[/\\]", entry.name))
                if count == ENTRIES or self.names > NAMES:
                    raise _Refused(f"more than {ENTRIES:,} files and folders")
                self._unpack(entry, folder, path, floor, inner)
        except Exception as error:  # whatever a forged archive makes of the library, it is one learner's trouble
            problem = _File(shown, path, f"the archive cannot be unpacked: {_words(error)}")
            if not any(folder.all_files()):
                return problem
            folder.files[path.name] = problem
        return folder

    def _unpack(self, entry: "_Entry", archive: _Folder, path: Path, floor: int, inner: bool) -> None:
        """Put one entry into its place in `archive`."""
        given = entry.name[:10_000]  # of no more than 65,535 in a zip, but of any number of characters in a tar
        name = unicodedata.normalize("NFC", given.replace("\\", "/"))
        parts = [part for part in name.split("/") if part not in ("", ".")]
        escapes = name.startswith("/") or ".." in parts or re.match("[A-Za-z]:", name)
        parts = [part for part in parts if part != ".."]
        if not parts or any(map(_is_left_out, parts)):
            return
        shown = _printable(given if len(given) < 1000 else given[:1000] + "…")
        packed = bool(_ARCHIVE.search(parts[-1]))
        file = _File(f"{archive.shown}!/{shown}", path, entry.fault, counts=packed or _is_notebook(parts[-1]))
        if escapes:
            file.problem, file.counts = "its name leads out of the archive", True
        if len(parts) > DEPTH or any(len(part.encode(errors="replace")) > 255 for part in parts):
            file.problem = f"its name is too long, or more than {DEPTH} folders deep"
            parts = [part[:200] for part in parts[:DEPTH]]
        place = archive
        for part in parts if entry.is_folder else parts[:-1]:
            place = place.folders.setdefault(part, _Folder(f"{place.shown}{'!' * place.archive}/{_printable(part)}"))
        if entry.is_folder:
            return
        if parts[-1] in place.files or (packed and parts[-1] in place.folders):
            place.folders.pop(parts[-1], None)
            file.problem = "several files of this name in the archive, and only one can be meant"
        if file.counts and not file.problem:
            try:
                if packed and inner:
                    raise _Refused("an archive in an archive in an archive")
                copy = self._copy(entry, parts[-1], floor)
                if packed:
                    _put(place, parts[-1], self.archive(copy, file.shown, max(floor, self.left - INNER), inner=True))
                    return
                file.path = copy
            except Exception as error:  # as in archive()
                file.problem = f"cannot be unpacked: {_words(error)}"
        place.files[parts[-1]] = file

    def _copy(self, entry: "_Entry", name: str, floor: int) -> Path:
        """Unpack to a path of ours that ends in what is harmless of `name`, which tells which notebook it is."""
        self.copies += 1
        safe = re.sub(r"[^\w .()+-]", "_", name)
        path = self.scratch / f"{self.copies:05}" / safe
        path.parent.mkdir()
        size = 0
        try:
            with entry.open() as source, path.open("xb") as copy:
                while chunk := source.read(MIB):
                    size += len(chunk)
                    _check(size, LARGEST, entry.packed, "it")
                    if size > self.left - floor:
                        raise _Refused("the archive holds more than can be unpacked; give fewer submissions at once")
                    copy.write(chunk)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        self.left -= size
        return path


@dataclass(frozen=True)
class _Entry:
    name: str
    is_folder: bool
    fault: str
    open: Callable[[], IO[bytes]]
    packed: int | None = None  # bytes that it takes in the archive


class _ZipSource(io.BufferedReader):
    """A zip whose table of contents is bounded, and whose file names can all be decoded.

    `zipfile` reads the table in one piece, whatever its size, and gives up at one name that is not the UTF-8 it is said to be.
    """

    listed = False

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > DIRECTORY:
            raise _Refused(f"more than {ENTRIES:,} files and folders")
        data = super().read(size)
        if self.listed or not data.startswith(zipfile.stringCentralDir):
            return data
        table, start = bytearray(data), 0
        while table[start : start + 4] == zipfile.stringCentralDir and start + zipfile.sizeCentralDir <= len(table):
            lengths = [int.from_bytes(table[start + at : start + at + 2], "little") for at in (28, 30, 32)]
            name = table[start + zipfile.sizeCentralDir :][: lengths[0]]
            if table[start + 9] & 8 and "\ufffd" in name.decode(errors="replace"):
                table[start + 9] &= ~8  # no longer said to be UTF-8: the table can be read, and only this file is refused
            start += zipfile.sizeCentralDir + sum(lengths)
        return bytes(table)


def _zip_entries(path: Path, room: int) -> Iterator[_Entry]:
    with _ZipSource(io.FileIO(path)) as source, zipfile.ZipFile(source) as archive:
        source.listed = True
        if len(archive.infolist()) > ENTRIES:
            raise _Refused(f"more than {ENTRIES:,} files and folders")
        for info in sorted(archive.infolist(), key=lambda info: info.file_size):  # a bomb leaves room for all before it
            fault = _fault(info.external_attr >> 16 or stat.S_IFREG, info.file_size)
            if info.flag_bits & 1:
                fault = "encrypted; zip it without a password"
            elif info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                fault = "packed by an unusual method; make an ordinary zip"
            yield _Entry(info.filename, info.is_dir(), fault, partial(archive.open, info), info.compress_size)


def _tar_entries(path: Path, room: int) -> Iterator[_Entry]:
    with path.open("rb") as source:
        zipped = source.read(2) == b"\x1f\x8b"
        source.seek(0)
        stream = _Bounded(gzip.GzipFile(fileobj=source) if zipped else source, room, path.stat().st_size)
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for member in archive:
                fault = _fault(stat.S_IFREG, member.size)
                if not member.isreg():
                    fault = "not a file but a link" if member.issym() or member.islnk() else "not a file but a device or FIFO"
                yield _Entry(member.name, member.isdir(), fault, partial(archive.extractfile, member))


class _Bounded:
    """A stream that ends in a refusal where it grows beyond measure."""

    def __init__(self, stream: IO[bytes], most: int, packed: int) -> None:
        self.stream, self.most, self.packed, self.size = stream, most, packed, 0

    def read(self, size: int) -> bytes:
        data = self.stream.read(size)
        self.size += len(data)
        _check(self.size, self.most, self.packed, "all in it")
        return data


class _Owners:
    """Whose the files are: `find_submissions` tells the rules."""

    def __init__(self, assignments: re.Pattern[str]) -> None:
        self.assignments = assignments
        self.places: dict[tuple[str, _Person], list[_File | _Folder]] = defaultdict(list)

    def take_given(self, parent: Path, given: _Folder) -> None:
        """Take the paths that were given in `parent`: its files as in one folder, and each folder or archive as a class."""
        crowd = self._crowd(parent)
        classes = {name: folder for name, folder in given.folders.items() if not self._by_platform(name, crowd)}
        for name, folder in classes.items():
            del given.folders[name]
            self._take(parent / name, folder)
        if given.files or given.folders:
            self._take(parent, given)

    def _take(self, path: Path, folder: _Folder) -> None:
        home = path
        while self._is_layer(home.name):
            home = home.parent
        crowd = self._crowd(home.parent)
        person = self._by_platform(home.name, crowd)
        owner = person or _Person(self._rest(home.name) or _plain(home.name), crowd)
        if person or home.parent.name == "submitted":
            self._give(owner, folder, "")
        else:
            self._gather(folder, path.name, self._crowd(path), owner)

    def _gather(self, folder: _Folder, name: str, crowd: tuple[str, ...], owner: _Person) -> None:
        """Go through a folder in which several learners may be. `owner` has the notebooks that tell nobody."""
        folders = folder.folders
        if "submitted" in folders:  # nbgrader's course: beside it stand source, release, autograded and feedback
            folders = {"submitted": folders["submitted"]}
        numbers = defaultdict(set)
        for person in (self._by_platform(entry, crowd) for entry in (*folder.files, *folders)):
            if person:
                numbers[person.name].add(person.number)
        for child, entry in (*folder.files.items(), *folders.items()):
            person = self._by_platform(child, crowd)
            if person:
                if person.crowd == crowd and len(numbers[person.name]) == 1:  # Moodle's ids are other ones in each assignment
                    person = person._replace(number="")
                self._give(person, entry, folder.shown)
            elif isinstance(entry, _File):
                if entry.counts:
                    rest = self._rest(child)
                    self._give(owner if rest == "" else _Person(rest or _plain(child), crowd), entry, folder.shown)
            elif self._is_layer(child):
                self._gather(entry, child, crowd, owner)
            elif self._rest(child) and self._is_download(entry):
                self._gather(entry, child, (*crowd, *self._course(child)), owner)
            elif folder.archive and len(folders) == 1 and not _counting(folder) and self._is_class(entry):
                self._gather(entry, child, crowd, _Person(self._rest(child) or _plain(child), crowd))
            elif _GATHERS.fullmatch(name) and child.startswith(slug := re.split(r"[\s_-]+submi", name)[0] + "-"):
                self._give(_Person(_plain(child.removeprefix(slug)), crowd), entry, folder.shown)
            else:
                self._give(_Person(self._rest(child) or _plain(child), crowd), entry, folder.shown)

    def _give(self, person: _Person, entry: _File | _Folder, place: str) -> None:
        self.places[place, person].append(entry)

    def submissions(self) -> list[Submission]:
        names = _unique_names({person for _, person in self.places})
        files = [(person, file) for (_, person), entries in self.places.items() for file in _files_of(entries)]
        owner_of = {os.path.realpath(file.path): person for person, file in files if not file.linked}
        found = []
        for person, file in files:
            if file.linked and owner_of.get(os.path.realpath(file.path), person) != person:
                file.problem = "a link to a file of another learner"
            if file.counts:
                found.append(Submission(names[person], file.shown, file.path, file.problem))
        for (_, person), entries in self.places.items():
            others = list(_files_of(entries))
            if not any(file.counts for file in others):
                where = entries[0].shown or names[person]
                path = others[0].path if others else Path(where)
                seen = [file.shown.removeprefix(where).lstrip("!/") or where for file in others]
                listed = ", ".join(sorted(seen)[:5]) + f" and {len(seen) - 5} more" * (len(seen) > 5)
                problem = f"no notebook (.ipynb) in {where}; found: {listed or 'nothing'}"
                found.append(Submission(names[person], where, path, problem))
        return sorted(found, key=lambda submission: (submission.learner, submission.file, submission.problem))

    def _by_platform(self, name: str, crowd: tuple[str, ...]) -> _Person | None:
        if match := _MOODLE.fullmatch(name):
            number = match["id"] or ""
            blind = f" {number}" if _BLIND.match(match["name"]) else ""
            return _Person(_printable(match["name"]) + blind, crowd, number)
        if match := _CANVAS.fullmatch(name):
            return _Person(_printable(match["name"] or match["anon"]), ("Canvas",), match["id"] or "")
        if _GRADESCOPE.fullmatch(name):
            return _Person(name, ("Gradescope",))
        return None

    def _rest(self, name: str) -> str | None:
        """A file's or folder's name without the assignment's; None where it names no assignment."""
        pieces = self.assignments.split(_without_ending(name))
        if len(pieces) == 1:
            return None
        return _printable(" ".join(piece.strip(" _-.+") for piece in pieces if not _is_filler(piece)))

    def _is_layer(self, name: str) -> bool:
        return self._rest(name) == "" or bool(_GATHERS.fullmatch(_without_ending(name)))

    def _is_download(self, folder: _Folder) -> bool:
        return any(self._by_platform(name, ()) for name in (*folder.files, *folder.folders))

    def _is_class(self, folder: _Folder) -> bool:
        return len(folder.folders) > 1 or _counting(folder) > 1

    def _crowd(self, folder: Path) -> tuple[str, ...]:
        """The folder that the class lies in; with what is left of a name such as `CS101-03_relu-4711.zip`: the course."""
        if self._rest(folder.name):
            return str(folder.parent), *self._course(folder.name)
        return self._crowd(folder.parent) if self._is_layer(folder.name) else (str(folder),)

    def _course(self, name: str) -> list[str]:
        course = re.sub(r"(^|\s)\d+$", "", self._rest(name) or "")
        return [course] if course else []


def _unique_names(persons: set[_Person]) -> dict[_Person, str]:
    names: dict[_Person, str] = {}
    by_name = defaultdict(list)
    for person in sorted(persons):
        by_name[person.name].append(person)
    for name, same in by_name.items():
        for person in same:
            label = person.number or _plain(Path(person.crowd[-1]).name)
            names[person] = name if len(same) == 1 else f"{name} ({label})"
    taken: set[str] = set()
    for person in sorted(names, key=lambda person: (names[person] != person.name, person)):
        name, count = names[person], 1
        while names[person] in taken:
            count += 1
            names[person] = f"{name} ({count})"
        taken.add(names[person])
    return names


def _counting(folder: _Folder) -> int:
    return sum(file.counts for file in folder.files.values())


def _files_of(entries: list[_File | _Folder]) -> Iterator[_File]:
    for entry in entries:
        yield from [entry] if isinstance(entry, _File) else entry.all_files()


def _assignment_names(path: Path) -> re.Pattern[str]:
    stems = sorted((official.stem for official in (course_folder(path) / "solutions").glob("*.ipynb")), key=len, reverse=True)
    names = [r"[\s_-]".join(map(re.escape, re.split(r"[\s_-]", stem))) for stem in stems]
    return re.compile(rf"(?<![a-z0-9])(?:{'|'.join([*names, _TASK])})(?![a-z0-9])", re.IGNORECASE)


def _put(folder: _Folder, name: str, entry: _File | _Folder | None) -> None:
    same = unicodedata.normalize("NFC", name)
    if entry is not None:
        (folder.files if isinstance(entry, _File) else folder.folders)[
            name if same in (*folder.files, *folder.folders) else same
        ] = entry


def _fault(mode: int, size: int, archive: bool = False) -> str:
    kind = stat.S_IFMT(mode) or stat.S_IFREG
    if kind != stat.S_IFREG:
        return f"not a file but {_NOT_FILES.get(kind, 'a device')}"
    if size > LARGEST and not archive:
        return f"{size / MIB:.0f} MiB, expected at most {LARGEST // MIB}"
    return ""


def _words(error: Exception) -> str:
    if isinstance(error, UnicodeError):
        return "its name is broken; rename it, and zip it again"
    return _printable(str(error)) or type(error).__name__


def _check(size: int, most: int, packed: int | None, what: str) -> None:
    if size > most:
        raise _Refused(f"{what} is more than {most // MIB} MiB unpacked")
    if packed is not None and size > max(RATIO_FROM, RATIO * packed):
        raise _Refused(f"{what} is more than {RATIO} times as large unpacked as packed")


def _is_filler(piece: str) -> bool:
    return all(_FILLER.fullmatch(word) for word in re.split(r"[\W_]+", piece))


def _is_notebook(name: str) -> bool:
    return name.lower().endswith(".ipynb")


def _is_left_out(name: str) -> bool:
    return name.startswith(".") or name == "__MACOSX" or ".checkpoint" in name


def _without_ending(name: str) -> str:
    return re.sub(r"\.ipynb$", "", _ARCHIVE.sub("", name), flags=re.IGNORECASE)


def _plain(name: str) -> str:
    return _printable(_without_ending(name)) or "?"


def _printable(text: str) -> str:
    """`text` without control characters, changes of direction and broken code points, which are written as escapes."""
    text = unicodedata.normalize("NFC", text).replace("\\", r"\\")
    return "".join(c if c.isprintable() or c in "\u200c\u200d\u3000" else ascii(c)[1:-1] for c in text)
