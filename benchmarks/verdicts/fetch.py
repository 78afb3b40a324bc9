"""Where the programs' sources come from: Debian's source packages and npm's.

What is fetched stays under CACHE. A Program is a tree of sources with the way to build and
run it.
"""

import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LONGER = 6  # than a run that only counts calls: some seconds, as tests take
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "gprofhub-verdicts"


def quiet(command, **options):
    """Runs a command; a failed one ends the script with what it said."""
    done = subprocess.run(["nice", "-n", "10"] + [str(c) for c in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def digest(*parts):
    state = hashlib.sha256()
    for part in parts:
        state.update(part if isinstance(part, bytes) else str(part).encode())
        state.update(b"\0")
    return state.hexdigest()[:20]


def debian_source(package, into):
    """Debian's pristine archive of a source package, by a private copy of the
    machine's own list of sources."""
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        (work / "lists" / "partial").mkdir(parents=True)
        entries = pathlib.Path("/etc/apt/sources.list.d/debian.sources").read_text()
        (work / "src.sources").write_text(entries.replace("Types: deb\n", "Types: deb-src\n"))
        apt = ["apt-get", "-o", f"Dir::Etc::sourcelist={work}/src.sources", "-o", "Dir::Etc::sourceparts=-",
               "-o", f"Dir::State::lists={work}/lists"]
        quiet(apt + ["update"])
        quiet(apt + ["--download-only", "--only-source", "source", package], cwd=work)
        (archive,) = work.glob("*.orig.tar.*")
        into.mkdir(parents=True)
        quiet(["tar", "-xf", archive, "-C", into, "--strip-components=1"])


def npm_source(package, into):
    with tempfile.TemporaryDirectory() as work:
        quiet(["npm", "pack", "--loglevel=error", package], cwd=work)
        (archive,) = pathlib.Path(work).glob("*.tgz")
        into.mkdir(parents=True)
        quiet(["tar", "-xf", archive, "-C", into, "--strip-components=1"])


class Program:
    """Files of one program and how it is built and run; `folder` holds its sources."""

    def __init__(self, name, fetch, folder, files, headers, options, arguments, language="c", libraries=(), own=()):
        self.name, self.options, self.arguments = name, list(options), list(arguments)
        self.compiler = "gcc" if language == "c" else "g++"
        self.libraries = list(libraries)
        self.long_arguments = self.arguments[:-1] + [str(LONGER * int(self.arguments[-1]))]
        self.tree = CACHE / "sources" / name
        if not self.tree.exists():
            staged = self.tree.with_suffix(".part")
            shutil.rmtree(staged, ignore_errors=True)
            fetch(staged)
            staged.rename(self.tree)
        self.folder = self.tree / folder
        self.sources = {}
        for pattern in files + headers:
            for path in sorted(self.folder.glob(pattern)):
                self.sources[str(path.relative_to(self.folder))] = path.read_text(errors="surrogateescape")
        for path in own:
            self.sources[path.name] = path.read_text()
        self.units = [f for f in self.sources
                      if f.endswith((".c", ".cc", ".cpp")) and not f.endswith("_test.cc")]
