"""Sources that are compiled together.

Headers take three quarters of the time that a source of this repository takes to compile. A package
gives its sources to the compiler a few at a time, so that their headers are read once. Lines keep
their files and numbers (#line), in messages, in assertions and in what debuggers show.

What it asks of a package: no two of its sources define the same name in an unnamed namespace, or the
same macro. Tests may, names only: each one's unnamed namespace gets a namespace inside it, named as the
file. docs/decisions/0027-joined-sources.md has the figures and what else was tried.
"""

# So many that headers are a small part, and so few that one change compiles in seconds.
_MOST = 8

_EACH = "for source in $(SRCS); do printf '#line 1 \"%%s\"\\n' $$source; %s; done >$@"

_JOIN = _EACH % "cat $$source"

_JOIN_TESTS = _EACH % ("sed \"s,^namespace {$$,namespace { namespace $$(basename $$source .cc) {,; " +
                       "s,^}  // namespace$$,} }  // namespace,\" $$source")

def _joined(name, srcs, command):
    count = (len(srcs) + _MOST - 1) // _MOST
    joined = []
    for i in range(count):
        part = srcs[i * len(srcs) // count:(i + 1) * len(srcs) // count]
        if len(part) == 1:
            joined += part
            continue
        out = "%s_%d" % (name, i + 1)
        native.genrule(
            name = out,
            srcs = part,
            outs = [out + ".cc"],
            cmd = command,
        )
        joined.append(out + ".cc")
    return joined

# buildifier: disable=unnamed-macro
def joined_sources(exclude = []):
    """The package's C++ sources without tests, up to _MOST of them in each file that is returned."""
    return _joined("joined_sources", native.glob(["*.cc"], exclude = ["*_test.cc"] + exclude), _JOIN)

# buildifier: disable=unnamed-macro
def joined_tests(names = "*_test.cc", exclude = []):
    """As joined_sources, of the package's tests."""
    return _joined("joined_tests", native.glob([names], exclude = exclude), _JOIN_TESTS)
