"""clang-tidy, with the short list of .clang-tidy.

It reads a source with all that the source includes, several seconds each, so
that three things keep it fast, unless all sources are asked for (--all):

  - Only sources that changed since a base commit are read, those with a changed
    header of their own name among them. A file that only moved did not change.
  - A result is kept under a hash of everything that it depends on: the program,
    its configuration, the command, and each file of the project that the source
    includes. (Libraries come from Debian's packages; a new version of one does
    not void results.)
  - At most MOST_SOURCES of them are judged, the first by name. The line that says
    PASS tells how many were left. What is judged depends on the two commits alone,
    never on what is kept: so every machine says the same of a commit.

The commands are those of Bazel (`bazel aquery`), with what clang does not know
left out. Generated headers must have been built.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import posixpath
import re
import subprocess

from checks import includes, tools, tree
from checks.outcome import Outcome

PROGRAM = "clang-tidy-19"  # 14 has no misc-include-cleaner
CONFIGURATION = ".clang-tidy"

# Two processors read these in about three minutes.
MOST_SOURCES = 40

_GCC_ONLY = {
    "-fno-canonical-system-headers",
    "-Wno-free-nonheap-object",
    "-Wno-subobject-linkage",
    "-Wunused-but-set-parameter",
}
# What ci/joined_sources.bzl makes of a package's sources.
_JOINED = re.compile(r"joined_(?P<kind>sources|tests)_\d+\.cc")
_TESTS = re.compile(r"_tests?\.cc$")
_FAULT = re.compile(r"^(?P<path>[^\s:][^:]*):(?P<line>\d+):\d+: (?P<kind>warning|error): (?P<text>.*)$")
# The other half of misc-include-cleaner, direct includes of everything used, is not enforced.
_INDIRECT = "no header providing "


def check(the_tree, base=None, everything=False):
    program = tools.find(PROGRAM)
    root = the_tree.root
    commands = compile_commands(root)
    graph = _included_files(the_tree)
    reader = Reader(program, root, commands, graph)
    if everything:
        sources = sorted(commands)
        what = f"all {len(sources)} sources"
    else:
        base = base or default_base(root)
        changed = tree.changed_files(root, base) if base else set()
        sources, left = choose(commands, changed)
        what = f"{len(sources)} sources that changed since {base[:12] if base else 'no commit'}"
        if left:
            what += f", {left} more are left to ci/check tidy --all"
    return [Outcome("tidy: clang-tidy", reader.faults(sources), what)]


def choose(commands, changed):
    """(the sources to judge, how many more would have to be)."""
    units = {includes.unit(path) for path in changed}
    sources = sorted(path for path in commands if includes.unit(path) in units)
    return sources[:MOST_SOURCES], len(sources[MOST_SOURCES:])


def default_base(root):
    """Where this branch parted from origin/main; on main itself, the commit before."""

    def git(*arguments):
        done = tools.run(["git", *arguments], root)
        return done.stdout.strip() if done.returncode == 0 else None

    head = git("rev-parse", "HEAD")
    parted = git("merge-base", "HEAD", "origin/main")
    if parted and parted != head:
        return parted
    return git("rev-parse", "--verify", "-q", "HEAD~1") or None


def bazel(root, *arguments):
    options = ["--host_jvm_args=-Xmx1g", "--max_idle_secs=300"]
    if bases := os.environ.get("GPROFHUB_OUTPUT_BASES"):
        options.append(f"--output_base={bases}/gprofhub")
    done = subprocess.run(
        ["bazel", *options, *arguments],
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
        check=False,
    )
    if done.returncode != 0:
        raise tools.MissingTool(f"bazel {arguments[0]} failed:\n{done.stderr[-2000:]}")
    return done.stdout


def compile_commands(root):
    """{source: arguments} of what Bazel compiles for the target from this tree."""
    graph = bazel(root, "aquery", "--noshow_progress", "--output=jsonproto", 'mnemonic("CppCompile", //...)')
    return commands_of(json.loads(graph).get("actions", []), root)


def commands_of(actions, root):
    """compile_commands, of Bazel's actions.

    A source that is compiled with others is read on its own: it must include what it needs.
    """
    commands = {}
    joined = {}  # {(folder, whether of tests): arguments}
    for action in actions:
        arguments = action.get("arguments", [])
        if "-c" not in arguments:
            continue
        source = pathlib.PurePath(arguments[arguments.index("-c") + 1])
        if match := _JOINED.fullmatch(source.name):
            folder = "/".join(source.parts[3:-1])  # bazel-out/CONFIGURATION/bin
            joined[folder, match["kind"] == "tests"] = clang_arguments(arguments)
        elif source.suffix in tree.C_SUFFIXES and (root / source).is_file():
            commands.setdefault(str(source), clang_arguments(arguments))
        # The others are generated, assembly, or another repository's.
    for (folder, of_tests), arguments in joined.items():
        for path in (root / folder).glob("*.cc"):
            if bool(_TESTS.search(path.name)) == of_tests:
                commands.setdefault(str(path.relative_to(root)), arguments)
    return commands


def clang_arguments(arguments):
    """The compiler's arguments but those on output, on dependencies and for gcc alone."""
    kept = []
    skip = True  # the compiler itself
    for argument in arguments:
        if skip:
            skip = False
        elif argument in ("-o", "-MF", "-c"):
            skip = True
        elif argument not in _GCC_ONLY and argument != "-MD" and not argument.startswith("-frandom-seed"):
            kept.append(argument)
    return kept


def _included_files(the_tree):
    graph = {}
    for source, target, _ in includes.read_arrows(the_tree)[0]:
        graph.setdefault(source, set()).add(target)
    return graph


def _closure(graph, source):
    reached = {source}
    work = [source]
    while work:
        for target in graph.get(work.pop(), ()):
            if target not in reached:
                reached.add(target)
                work.append(target)
    return sorted(reached)


class Reader:
    """Reads sources, and keeps what was found in them."""

    def __init__(self, program, root, commands, graph):
        self._program = program
        self._root = root
        self._commands = commands
        self._graph = graph
        self._version = tools.run([program, "--version"], root).stdout
        # Bazel's own folder of sources has only what its last command needed.
        self._external = bazel(root, "info", "output_base").strip() + "/external/"
        self._folder = tools.cache_folder() / "tidy"
        self._folder.mkdir(parents=True, exist_ok=True)

    def kept(self, source):
        """The file that has the result, once there is one."""
        parts = [self._version, (self._root / CONFIGURATION).read_text(), source]
        parts += self._commands[source]
        for path in _closure(self._graph, source):
            parts.append(f"{path} {hashlib.sha256((self._root / path).read_bytes()).hexdigest()}")
        return self._folder / hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def faults(self, sources):
        found = set()
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
            for faults in workers.map(self._faults_of, sources):
                found.update(faults)
        return sorted(found)

    def _placed(self, argument):
        return re.sub(r"^(-I)?external/", lambda it: (it[1] or "") + self._external, argument)

    def _faults_of(self, source):
        result = self.kept(source)
        if result.exists():
            return json.loads(result.read_text())
        command = [self._program, f"--config-file={self._root / CONFIGURATION}", "--quiet", source]
        # -w: what compilers warn of is the build's business.
        command += ["--", *map(self._placed, self._commands[source]), "-w"]
        done = tools.run(command, self._root)
        faults = read_faults(done.stdout, self._root)
        if done.returncode != 0 and not faults:
            return [f"{source}: {PROGRAM} failed: {done.stdout.strip()[-500:]}"]
        if not understood(done.stdout):
            return faults
        unfinished = result.with_suffix(f".{os.getpid()}")
        unfinished.write_text(json.dumps(faults))
        unfinished.replace(result)
        return faults


def understood(output):
    """Whether the source was read to its end. What is kept of one that was not, as where generated
    headers were not there yet, would stay when they are."""
    return "[clang-diagnostic-error" not in output


def read_faults(output, root):
    """Faults of files in this tree, each as one line that begins with its path."""
    faults = []
    for line in output.splitlines():
        found = _FAULT.match(line)
        if not found or found["text"].startswith(_INDIRECT):
            continue
        path = found["path"]
        if path.startswith(f"{root}/"):
            path = path[len(str(root)) + 1 :]
        path = posixpath.normpath(path)
        if path.startswith(("/", "bazel-out/", "external/")) and found["kind"] != "error":
            continue
        faults.append(f"{path}:{found['line']}: {found['text']}")
    return faults
