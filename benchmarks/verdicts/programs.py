"""The real programs that verdicts are measured on: built in pieces, run.

Everything lies under CACHE and is kept there: sources, object files and recorded
runs are known by a digest of what they were made from, so that a second run of the
benchmark repeats only the comparisons.
"""

import contextlib
import os
import pathlib
import shutil
import tempfile

import untuned_programs
from fetch import CACHE, HERE, LONGER, ROOT, Program, debian_source, digest, npm_source, quiet  # noqa: F401

MANY = 40  # runs of one commit

# The judge's rules were tuned on these; the others are for validation only.
TUNED = ("lua", "sqlite", "leveldb", "cjson", "mujs", "tinyxml2")
UNTUNED = tuple(untuned_programs.MAKERS)
ALL = TUNED + UNTUNED


def all_programs(names=ALL):
    makers = {"lua": _lua, "sqlite": _sqlite, "leveldb": _leveldb, "cjson": _cjson, "mujs": _mujs,
              "tinyxml2": _tinyxml2, **untuned_programs.MAKERS}
    return {name: makers[name]() for name in names}


def _lua():
    program = Program(
        "lua", lambda into: debian_source("lua5.4", into), "src", ["l*.c"], ["*.h"],
        # Otherwise an address and the time seed its hash tables, and the clock chooses the
        # pivot of a long sort.
        ["-Dluai_makeseed(L)=(0u)", "-Dl_randomizePivot()=(0u)", "-DLUA_USE_POSIX"], [HERE / "workloads/lua.lua", "6"], libraries=["-lm"])
    program.units.remove("luac.c")
    return program


def _sqlite():
    def fetch(into):
        release = "9.0.0"  # SQLite 3.43.2
        quiet([ROOT / "ci/fetch_sqlite", release])
        cache = os.environ.get("GPROFHUB_SQLITE_DIR") or CACHE.parent / "gprofhub/sqlite"
        shutil.copytree(pathlib.Path(cache) / release, into)
    return Program(
        "sqlite", fetch, ".", ["sqlite3.c"], ["sqlite3.h"],
        ["-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION", "-w", "-O1"], ["20"],
        libraries=["-lm"], own=[HERE / "workloads/sqlite_workload.c"])


def _leveldb():
    program = Program(
        "leveldb", lambda into: npm_source("classic-level@1.4.1", into), "deps/leveldb/leveldb-1.20",
        ["db/*.cc", "table/*.cc", "util/*.cc", "helpers/memenv/memenv.cc", "port/port_posix*.cc"],
        ["*/*.h", "include/leveldb/*.h", "helpers/memenv/*.h"],
        ["-std=c++11", "-DLEVELDB_PLATFORM_POSIX", "-DOS_LINUX", "-Iinclude", "-DNDEBUG", "-w"], ["6"],
        language="c++", libraries=["-lpthread"], own=[HERE / "workloads/leveldb_workload.cc"])
    for unit in ("db/db_bench.cc", "db/leveldbutil.cc", "util/testharness.cc", "util/testutil.cc", "db/c.cc"):
        program.units.remove(unit)
    return program


def _cjson():
    return Program(
        "cjson", lambda into: debian_source("cjson", into), ".", ["cJSON.c"], ["cJSON.h"], ["-w", "-O1"], ["60"],
        libraries=["-lm"], own=[HERE / "workloads/cjson_workload.c"])


def _mujs():
    return Program(
        "mujs", lambda into: debian_source("mujs", into), ".", ["js*.c", "json.c", "main.c", "regexp.c", "utf.c"],
        ["*.h"], ["-w"], [HERE / "workloads/mujs.js", "25"], libraries=["-lm"])


def _tinyxml2():
    return Program(
        "tinyxml2", lambda into: debian_source("tinyxml2", into), ".", ["tinyxml2.cpp"], ["tinyxml2.h"], ["-w"],
        ["150"], language="c++", own=[HERE / "workloads/tinyxml2_workload.cpp"])


def build(program, sources, runtime, extra=(), place="."):
    """The program of these sources ({file: text}), built if it was not yet. `place` is the
    folder that its debug information says it was compiled in."""
    headers = digest(*[f"{name}{text}" for name, text in sorted(sources.items()) if name.endswith((".h", ".hpp"))])
    compile_options = ["-O2", "-g", "-pg", *program.options, *extra]
    elsewhere = [place] if place != "." else []
    objects = {}
    for unit in program.units:
        key = digest(unit, sources[unit].encode(errors="surrogateescape"), headers, program.compiler, *compile_options, *elsewhere)
        objects[unit] = CACHE / "objects" / f"{program.name}-{key}.o"
    target = CACHE / "programs" / program.name / digest(*objects.values()) / program.name
    if target.exists():
        return target
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        for name, text in sources.items():
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            (work / name).write_text(text, errors="surrogateescape")
        for unit, made in objects.items():
            if made.exists():
                continue
            made.parent.mkdir(parents=True, exist_ok=True)
            # Names in debug information as in the sources, wherever these lie.
            quiet([program.compiler, *compile_options, "-I.", f"-fdebug-prefix-map={work}={place}",
                   "-c", unit, "-o", made.with_suffix(".part")], cwd=work)
            made.with_suffix(".part").rename(made)
    target.parent.mkdir(parents=True, exist_ok=True)
    staged = target.with_suffix(".part")
    quiet([program.compiler, "-pg", *objects.values(), "-Wl,--whole-archive", runtime, "-Wl,--no-whole-archive",
           *program.libraries, "-lpthread", "-Wl,--build-id", "-o", staged])
    staged.rename(target)
    return target


def record(program, binary, folder, environment=None, arguments=None, rate=1000, moved_about=False, before=()):
    """Runs the program once and keeps its recording in `folder`, if it is not there. Without
    address randomisation tables that are keyed by addresses count alike: `moved_about` has it.
    `before` is a command that starts another."""
    if folder.exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    staged = pathlib.Path(tempfile.mkdtemp(dir=folder.parent, prefix=".run"))
    variables = {"PATH": "/usr/bin:/bin", "HOME": "/", "GPROFHUB_GMON": "0", "GPROFHUB_SAMPLE_RATE": str(rate),
                 "GPROFHUB_PROFILE_DIR": str(staged), **(environment or {})}
    with beside(staged, arguments or program.arguments) as given:
        quiet([*before, *([] if moved_about else ["setarch", "-R"]), binary, *given], env=variables, cwd=staged)
    if folder.exists():  # by another run of this script meanwhile
        shutil.rmtree(staged)
    else:
        staged.rename(folder)
    return folder


@contextlib.contextmanager
def beside(folder, arguments):
    """The arguments, scripts among them as files in `folder`: a program may count by the length of a path."""
    scripts = [a for a in arguments if isinstance(a, pathlib.Path)]
    for script in scripts:
        shutil.copy(script, folder)
    yield [a.name if a in scripts else str(a) for a in arguments]
    for script in scripts:
        (folder / script.name).unlink()


def run_folder(program, binary, label="", arguments=None):
    """Where runs of one binary with these arguments are kept. Scripts count by their names and by what they say."""
    said = [f"{a.name}\n{a.read_text()}" if isinstance(a, pathlib.Path) else a for a in arguments or program.arguments]
    return CACHE / "runs" / program.name / f"{binary.parent.name}-{digest(*said)[:8]}{label}"


def runs_of(program, binary, count, label="", **options):
    """Folders of `count` runs of one binary."""
    return in_turns(program, [(binary, count, label, options)])[0]


def in_turns(program, sides):
    """The same for several (binary, count, label, options of record), recorded in
    turns: what else the machine does meanwhile is then the same for all."""
    folders = [run_folder(program, binary, label, options.get("arguments")) for binary, _, label, options in sides]
    runs = [[] for _ in sides]
    for i in range(max(count for _, count, _, _ in sides)):
        for (binary, count, _, options), folder, done in zip(sides, folders, runs):
            if i < count:
                done.append(record(program, binary, folder / f"run{i:02d}", **options))
    return runs


def many_runs(chosen, runtime, count):
    """{name: (binary, folders)} of `count` runs of each program, LONGER than
    others, all programs in turns, so that each sees the machine's moods alike."""
    runs = {name: (build(program, program.sources, runtime), []) for name, program in chosen.items()}
    for i in range(count):
        for name, (binary, folders) in runs.items():
            longer = chosen[name].long_arguments
            folder = run_folder(chosen[name], binary, arguments=longer) / f"run{i:02d}"
            folders.append(record(chosen[name], binary, folder, arguments=longer))
    return runs
