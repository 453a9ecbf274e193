"""Where the course is published, as far as the build can know: its badge, its set-up cell and the book's buttons follow it."""

import os
import re
import subprocess

_SSH = re.compile(r"(?:ssh://)?git@(?P<host>[^:/]+)(?::\d+)?[:/](?P<path>.+)")
_HTTPS = re.compile(r"https?://(?:[^@/]*@)?(?P<host>[^/]+)/(?P<path>.+)")


def repository_url() -> str | None:
    """`HANDGRAD_REPOSITORY`, else what CI says, else git's `origin`; None where none is known.

    A remote is given as https, without a name or token; one that is only a folder is not published, so it does not count.
    """
    if given := os.environ.get("HANDGRAD_REPOSITORY"):
        return _https(given) or given
    if name := os.environ.get("GITHUB_REPOSITORY"):
        return f"{os.environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{name}"
    return _https(_git("remote", "get-url", "origin"))


def repository_branch() -> str:
    """`HANDGRAD_BRANCH`, else what CI says, else the branch checked out, else `main`."""
    environ = os.environ
    return environ.get("HANDGRAD_BRANCH") or environ.get("GITHUB_REF_NAME") or _git("branch", "--show-current") or "main"


def _https(url: str) -> str | None:
    remote = _SSH.fullmatch(url) or _HTTPS.fullmatch(url)
    return f"https://{remote['host']}/{remote['path'].rstrip('/').removesuffix('.git')}" if remote else None


def _git(*arguments: str) -> str:
    """What git prints, or nothing where there is no git or no repository."""
    try:
        return subprocess.run(["git", *arguments], capture_output=True, text=True, encoding="utf-8", check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
