"""Whose the files are that a class handed in."""

import os
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from handgrad.errors import CourseError
from handgrad.grading.official import course_folder
from handgrad.grading.unpack import ARCHIVE, File, Folder, Scan, printable, put

# Moodle, mod/assign/classes/downloader.php: <full name>_<id>_assignsubmission_<plugin>, then /<file> or _<file>.
# Older releases end the folder's name in _. The id is of the learner in that one assignment.
# A team's name may have no id; where marking is blind, the name is the word for participant, and only the id tells who.
MOODLE = re.compile(r"(?P<name>.+?)(?:_(?P<id>\d+))?_assignsubmission_[a-z]+(?:_.*)?", re.DOTALL)
_BLIND = re.compile(r"participant|teilnehmer|deelnemer|成员|参与者|受験者", re.IGNORECASE)
# Canvas, lib/content_zipper.rb: <sortable name, lower case, word characters>[_LATE]_<user id>_<attachment id>_<file>,
# without the name but with anon_<id> where marking is anonymous.
CANVAS = re.compile(
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
    scan = Scan(Path(tempfile.mkdtemp(dir=scratch, prefix="submissions-")))
    found: dict[Path, Folder] = defaultdict(lambda: Folder(""))
    for root in sorted(roots):
        shown = "" if root == base else printable(root.relative_to(base).as_posix())
        put(found[root.parent], root.name, scan.on_disk(root, shown, root.resolve()))
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


class _Owners:
    """Whose the files are: `find_submissions` tells the rules."""

    def __init__(self, assignments: re.Pattern[str]) -> None:
        self.assignments = assignments
        self.places: dict[tuple[str, _Person], list[File | Folder]] = defaultdict(list)

    def take_given(self, parent: Path, given: Folder) -> None:
        """Take the paths that were given in `parent`: its files as in one folder, and each folder or archive as a class."""
        crowd = self._crowd(parent)
        classes = {name: folder for name, folder in given.folders.items() if not self._by_platform(name, crowd)}
        for name, folder in classes.items():
            del given.folders[name]
            self._take(parent / name, folder)
        if given.files or given.folders:
            self._take(parent, given)

    def _take(self, path: Path, folder: Folder) -> None:
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

    def _gather(self, folder: Folder, name: str, crowd: tuple[str, ...], owner: _Person) -> None:
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
            elif isinstance(entry, File):
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

    def _give(self, person: _Person, entry: File | Folder, place: str) -> None:
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
        if match := MOODLE.fullmatch(name):
            number = match["id"] or ""
            blind = f" {number}" if _BLIND.match(match["name"]) else ""
            return _Person(printable(match["name"]) + blind, crowd, number)
        if match := CANVAS.fullmatch(name):
            return _Person(printable(match["name"] or match["anon"]), ("Canvas",), match["id"] or "")
        if _GRADESCOPE.fullmatch(name):
            return _Person(name, ("Gradescope",))
        return None

    def _rest(self, name: str) -> str | None:
        """A file's or folder's name without the assignment's; None where it names no assignment."""
        pieces = self.assignments.split(_without_ending(name))
        if len(pieces) == 1:
            return None
        return printable(" ".join(piece.strip(" _-.+") for piece in pieces if not _is_filler(piece)))

    def _is_layer(self, name: str) -> bool:
        return self._rest(name) == "" or bool(_GATHERS.fullmatch(_without_ending(name)))

    def _is_download(self, folder: Folder) -> bool:
        return any(self._by_platform(name, ()) for name in (*folder.files, *folder.folders))

    def _is_class(self, folder: Folder) -> bool:
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


def _counting(folder: Folder) -> int:
    return sum(file.counts for file in folder.files.values())


def _files_of(entries: list[File | Folder]) -> Iterator[File]:
    for entry in entries:
        yield from [entry] if isinstance(entry, File) else entry.all_files()


def _assignment_names(path: Path) -> re.Pattern[str]:
    stems = sorted((official.stem for official in (course_folder(path) / "solutions").glob("*.ipynb")), key=len, reverse=True)
    names = [r"[\s_-]".join(map(re.escape, re.split(r"[\s_-]", stem))) for stem in stems]
    return re.compile(rf"(?<![a-z0-9])(?:{'|'.join([*names, _TASK])})(?![a-z0-9])", re.IGNORECASE)


def _is_filler(piece: str) -> bool:
    return all(_FILLER.fullmatch(word) for word in re.split(r"[\W_]+", piece))


def _without_ending(name: str) -> str:
    return re.sub(r"\.ipynb$", "", ARCHIVE.sub("", name), flags=re.IGNORECASE)


def _plain(name: str) -> str:
    return printable(_without_ending(name)) or "?"
