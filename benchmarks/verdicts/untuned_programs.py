"""Programs that no rule of the judge was chosen on, of other kinds than the tuned ones."""

from fetch import CACHE, HERE, Program, debian_source, npm_source


def _debian(name, package, folder, files, headers, options, rounds, **more):
    own = [path for path in sorted((HERE / "workloads").glob(f"{name}_workload.*"))]
    return Program(name, lambda into: debian_source(package, into), folder, files, headers, options, [str(rounds)],
                   own=own, **more)


def _zlib():
    return _debian("zlib", "zlib", ".", ["adler32.c", "compress.c", "crc32.c", "deflate.c", "inf*.c", "trees.c",
                                         "uncompr.c", "zutil.c"], ["*.h"], ["-w", "-DHAVE_UNISTD_H"], 3)


def _re2():
    # Debian's archive lacks the tables of Unicode.
    return Program("re2", lambda into: npm_source("re2@1.17.7", into), "vendor",
                   ["re2/*.cc", "util/rune.cc", "util/strutil.cc"], ["re2/*.h", "util/*.h"],
                   ["-std=c++11", "-DNDEBUG", "-w"], ["30"], language="c++",
                   own=[HERE / "workloads/re2_workload.cc"])


def _box2d():
    return _debian("box2d", "box2d", ".", ["src/*/*.cpp"], ["include/box2d/*.h", "src/*/*.h"],
                   ["-std=c++11", "-Iinclude", "-Isrc", "-w"], 40, language="c++")


def _tinyscheme():
    tree = CACHE / "sources/tinyscheme"

    def fetch(into):
        debian_source("tinyscheme", into)
        # The bug that Debian's patch fixes: indices were refused because they are whole numbers.
        source = into / "scheme.c"
        source.write_text(source.read_text().replace("if (is_integer(x))", "if (!is_integer(x))"))

    return Program(
        "tinyscheme", fetch, ".", ["scheme.c"], ["*.h"],
        ["-DUSE_DL=0", "-DUSE_ASCII_NAMES=1", f'-DInitFile="{tree}/init.scm"', "-w"],
        ["-1", HERE / "workloads/tinyscheme.scm", "6"], libraries=["-lm"])


def _civetweb():
    # In one process: the server with its threads, and clients with theirs.
    return _debian("civetweb", "civetweb", ".", ["src/civetweb.c"], ["src/*.inl", "include/civetweb.h"],
                   ["-Iinclude", "-DNO_SSL", "-DNO_CGI", "-DNO_FILES", "-DNDEBUG", "-DSOCKET_TIMEOUT_QUANTUM=50", "-w", "-O1"], 3000)


def _jsoncpp():
    return _debian("jsoncpp", "libjsoncpp", ".", ["src/lib_json/*.cpp"],
                   ["src/lib_json/*.h", "src/lib_json/*.inl", "include/json/*.h"], ["-std=c++11", "-Iinclude", "-w"], 60,
                   language="c++")


def _minisat():
    return _debian("minisat", "minisat2", ".", ["minisat/core/Solver.cc", "minisat/simp/SimpSolver.cc",
                                                "minisat/utils/Options.cc", "minisat/utils/System.cc"],
                   ["minisat/*/*.h"], ["-std=gnu++98", "-D__STDC_LIMIT_MACROS", "-D__STDC_FORMAT_MACROS", "-w", "-fpermissive"],
                   16, language="c++")


def _libyaml():
    version = [f"-DYAML_VERSION_{part}={value}" for part, value in
               (("MAJOR", 0), ("MINOR", 2), ("PATCH", 5), ("STRING", '"0.2.5"'))]
    return _debian("libyaml", "libyaml", ".", ["src/*.c"], ["src/*.h", "include/*.h"],
                   ["-Iinclude", "-w", "-O1", *version], 200)


def _expat():
    def fetch(into):
        debian_source("expat/bookworm", into)  # security updates leave the archive, the release's own version stays
        (into / "expat/lib/expat_config.h").write_text("")

    program = Program("expat", fetch, "expat/lib", ["xml*.c"], ["*.h"],
                      ["-DXML_NS", "-DXML_DTD", "-DXML_CONTEXT_BYTES=1024", "-DBYTEORDER=1234", "-DHAVE_GETRANDOM", "-w"],
                      ["240"], own=[HERE / "workloads/expat_workload.c"])
    program.units = [unit for unit in program.units if not unit.startswith("xmltok_")]  # xmltok.c includes them
    return program


def _cmark():
    def fetch(into):
        debian_source("cmark", into)
        (into / "src/config.h").write_text("#include <stdbool.h>\n#define CMARK_ATTRIBUTE(list) __attribute__(list)\n"
                                           "#define CMARK_INLINE inline\n#define HAVE___BUILTIN_EXPECT\n")
        (into / "src/cmark_export.h").write_text("#define CMARK_EXPORT\n")
        (into / "src/cmark_version.h").write_text('#define CMARK_VERSION 0\n#define CMARK_VERSION_STRING "0"\n')

    program = Program("cmark", fetch, "src", ["*.c"], ["*.h", "*.inc"], ["-w"], ["160"],
                      own=[HERE / "workloads/cmark_workload.c"])
    program.units.remove("main.c")
    return program


def _pugixml():
    return _debian("pugixml", "pugixml", "src", ["pugixml.cpp"], ["*.hpp"], ["-std=c++11", "-w"], 1000, language="c++")


def _ninja():
    units = ("build", "clparser", "debug_flags", "depfile_parser", "deps_log", "build_log", "disk_interface", "dyndep",
             "dyndep_parser", "edit_distance", "eval_env", "graph", "json", "lexer", "line_printer", "manifest_parser",
             "metrics", "parser", "state", "status", "string_piece_util", "subprocess-posix", "util", "version")
    return _debian("ninja", "ninja-build", "src", [f"{unit}.cc" for unit in units], ["*.h"],
                   ["-std=c++11", "-DUSE_PPOLL", "-w"], 80, language="c++")


MAKERS = {"zlib": _zlib, "re2": _re2, "box2d": _box2d, "tinyscheme": _tinyscheme, "civetweb": _civetweb,
          "jsoncpp": _jsoncpp, "minisat": _minisat, "libyaml": _libyaml, "expat": _expat, "cmark": _cmark,
          "pugixml": _pugixml, "ninja": _ninja}
