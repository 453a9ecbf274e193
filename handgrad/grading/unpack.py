"""Files that were handed in, as they lie on a disk or in archives.

Nothing that a learner chose is trusted: not a name in an archive, not a link, not a size that an archive states.
Files of archives are copied to paths of our own making, one by one and counted as they are unpacked.
"""

import gzip
import io
import os
import re
import stat
import tarfile
import unicodedata
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO

MIB = 2**20
LARGEST = 64 * MIB  # a notebook, or an archive within an archive
INNER = 256 * MIB  # all that is unpacked from one archive that was found, not given: it may be one learner's
IN_ALL = 1024 * MIB  # all that is unpacked
ENTRIES = 10_000  # files and folders in one archive
NAMES = 1_000_000  # parts of all their names
DIRECTORY = 8 * MIB  # an archive's table of contents
RATIO, RATIO_FROM = 100, 4 * MIB  # what lies beyond is no notebook: outputs that repeat themselves reach some 30 to 1
DEPTH = 32  # folders in folders
ARCHIVE = re.compile(r"\.(zip|tar\.gz|tgz|tar)$", re.IGNORECASE)
_NOT_FILES = {stat.S_IFLNK: "a link", stat.S_IFIFO: "a FIFO", stat.S_IFSOCK: "a socket", stat.S_IFDIR: "a folder"}


class _Refused(Exception):
    """What is unpacked is larger than anything that belongs here."""


@dataclass
class File:
    """A file that was handed in, or whatever stands in the place of one."""

    shown: str  # where it was found, for reports
    path: Path  # where to read it
    problem: str = ""
    counts: bool = True  # a notebook or a refused file; otherwise only named where its owner handed in no notebook
    linked: bool = False


@dataclass
class Folder:
    """A folder or an archive."""

    shown: str
    archive: bool = False
    files: dict[str, File] = field(default_factory=dict)
    folders: dict[str, "Folder"] = field(default_factory=dict)

    def all_files(self) -> Iterator[File]:
        """Those in it, at any depth."""
        yield from self.files.values()
        for folder in self.folders.values():
            yield from folder.all_files()


class Scan:
    """Finds files, and unpacks them; refuses what is not one."""

    def __init__(self, scratch: Path) -> None:
        self.scratch, self.copies, self.names, self.left = scratch, 0, 0, IN_ALL

    def on_disk(self, path: Path, shown: str, root: Path, depth: int = 0) -> File | Folder | None:
        """What stands at `path`. Nothing but folders, and archives that are files, is opened."""
        archive = bool(ARCHIVE.search(path.name))
        file = File(shown, path, counts=archive or is_notebook(path.name))
        try:
            status = path.lstat() if depth else path.stat()
            if stat.S_ISLNK(status.st_mode):
                return self._link(file, root)
            if stat.S_ISDIR(status.st_mode) and not is_notebook(path.name):
                return self._folder(path, shown, root, depth)
            file.problem = _fault(status.st_mode, status.st_size, archive)
        except OSError as error:
            return File(shown, path, f"cannot be read: {error.strerror}")
        if archive and not file.problem:
            return self.archive(path, shown, floor=max(0, self.left - INNER) if depth else 0)
        return file

    def _folder(self, path: Path, shown: str, root: Path, depth: int) -> Folder | File:
        if depth > DEPTH:
            return File(shown, path, f"more than {DEPTH} folders deep")
        folder = Folder(shown)
        for child in sorted(path.iterdir()):
            if not _is_left_out(child.name):
                name = printable(child.name)
                entry = self.on_disk(child, f"{shown}/{name}" if shown else name, root, depth + 1)
                put(folder, child.name, entry)
        return folder

    def _link(self, file: File, root: Path) -> File | None:
        target = Path(os.path.realpath(file.path))
        if not target.exists():
            file.problem = "a link that leads nowhere"
        elif not target.is_relative_to(root.resolve()):
            file.problem = "a link that leads out of the submissions; it is not followed"
            file.counts = file.counts or target.is_dir()
        elif target.is_dir():
            return None  # what it leads to is found in its own place
        elif ARCHIVE.search(file.path.name):
            file.problem = "a link to an archive; it is not followed"
        else:
            status = target.stat()
            file.problem, file.linked = _fault(status.st_mode, status.st_size), True
        return file

    def archive(self, path: Path, shown: str, floor: int, inner: bool = False) -> Folder | File:
        """What is in an archive, unpacked until `floor` bytes are left. One that cannot be read is a file with a problem."""
        folder = Folder(shown, archive=True)
        entries = _zip_entries if path.suffix.lower() == ".zip" else _tar_entries
        try:
            for count, entry in enumerate(entries(path, self.left - floor)):
                self.names += 1 + len(re.findall(r"[/\\]", entry.name))
                if count == ENTRIES or self.names > NAMES:
                    raise _Refused(f"more than {ENTRIES:,} files and folders")
                self._unpack(entry, folder, path, floor, inner)
        except Exception as error:  # whatever a forged archive makes of the library, it is one learner's trouble
            problem = File(shown, path, f"the archive cannot be unpacked: {_words(error)}")
            if not any(folder.all_files()):
                return problem
            folder.files[path.name] = problem
        return folder

    def _unpack(self, entry: "_Entry", archive: Folder, path: Path, floor: int, inner: bool) -> None:
        """Put one entry into its place in `archive`."""
        given = entry.name[:10_000]  # of no more than 65,535 in a zip, but of any number of characters in a tar
        name = unicodedata.normalize("NFC", given.replace("\\", "/"))
        parts = [part for part in name.split("/") if part not in ("", ".")]
        escapes = name.startswith("/") or ".." in parts or re.match("[A-Za-z]:", name)
        parts = [part for part in parts if part != ".."]
        if not parts or any(map(_is_left_out, parts)):
            return
        shown = printable(given if len(given) < 1000 else given[:1000] + "…")
        packed = bool(ARCHIVE.search(parts[-1]))
        file = File(f"{archive.shown}!/{shown}", path, entry.fault, counts=packed or is_notebook(parts[-1]))
        if escapes:
            file.problem, file.counts = "its name leads out of the archive", True
        if len(parts) > DEPTH or any(len(part.encode(errors="replace")) > 255 for part in parts):
            file.problem = f"its name is too long, or more than {DEPTH} folders deep"
            parts = [part[:200] for part in parts[:DEPTH]]
        place = archive
        for part in parts if entry.is_folder else parts[:-1]:
            place = place.folders.setdefault(part, Folder(f"{place.shown}{'!' * place.archive}/{printable(part)}"))
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
                    put(place, parts[-1], self.archive(copy, file.shown, max(floor, self.left - INNER), inner=True))
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


def put(folder: Folder, name: str, entry: File | Folder | None) -> None:
    """Put something into a folder under its normalised name, where no other has that."""
    same = unicodedata.normalize("NFC", name)
    if entry is not None:
        (folder.files if isinstance(entry, File) else folder.folders)[
            name if same in (*folder.files, *folder.folders) else same
        ] = entry


def is_notebook(name: str) -> bool:
    """Whether a file of this name is to be one."""
    return name.lower().endswith(".ipynb")


def printable(text: str) -> str:
    """`text` without control characters, changes of direction and broken code points, which are written as escapes."""
    text = unicodedata.normalize("NFC", text).replace("\\", r"\\")
    return "".join(c if c.isprintable() or c in "\u200c\u200d\u3000" else ascii(c)[1:-1] for c in text)


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
    return printable(str(error)) or type(error).__name__


def _check(size: int, most: int, packed: int | None, what: str) -> None:
    if size > most:
        raise _Refused(f"{what} is more than {most // MIB} MiB unpacked")
    if packed is not None and size > max(RATIO_FROM, RATIO * packed):
        raise _Refused(f"{what} is more than {RATIO} times as large unpacked as packed")


def _is_left_out(name: str) -> bool:
    return name.startswith(".") or name == "__MACOSX" or ".checkpoint" in name
