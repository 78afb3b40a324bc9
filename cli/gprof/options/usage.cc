#include "cli/gprof/options/usage.h"

namespace gprofhub::cli {

// The summary of GNU gprof 2.40, verbatim, for scripts that parse it.
const absl::string_view kGprofUsage =
    " [-[abcDhilLrsTvwxyz]] [-[ABCeEfFJnNOpPqQRStZ][name]] [-I dirs]\n"
    "\t[-d[num]] [-k from/to] [-m min-count] [-t table-length]\n"
    "\t[--[no-]annotated-source[=name]] [--[no-]exec-counts[=name]]\n"
    "\t[--[no-]flat-profile[=name]] [--[no-]graph[=name]]\n"
    "\t[--[no-]time=name] [--all-lines] [--brief] [--debug[=level]]\n"
    "\t[--function-ordering] [--file-ordering] [--inline-file-names]\n"
    "\t[--directory-path=dirs] [--display-unused-functions]\n"
    "\t[--file-format=name] [--file-info] [--help] [--line] [--min-count=n]\n"
    "\t[--no-static] [--print-path] [--separate-files]\n"
    "\t[--static-call-graph] [--sum] [--table-length=len] [--traditional]\n"
    "\t[--version] [--width=n] [--ignore-non-functions]\n"
    "\t[--demangle[=STYLE]] [--no-demangle] [--external-symbol-table=name] [@FILE]\n"
    "\t[image-file] [profile-file...]\n";

const absl::string_view kGprofAdditions =
    "\n"
    "Beyond GNU gprof:\n"
    "\t--break-cycles[=N]\n"
    "\t                 print the fewest arcs that break each cycle of N functions or more\n"
    "\t--cut-cycles[=N] the same, and leave these arcs out of the call graph\n"
    "\t--exact-clones   clones (.part, .isra, .constprop, .cold) are functions of their own\n"
    "\t--expected-error how far chance can move each time: the square root of its samples\n"
    "\t--format=FORMAT  json, callgrind, pprof, folded or speedscope: docs/gprof-json.md\n"
    "\t--path-map=OLD=NEW\n"
    "\t                 look in the folder NEW for sources that were compiled in OLD\n"
    "\t--sum-series     write gmon.sum from gmon.out.0, gmon.out.1, ... until one is missing\n"
    "docs/gprof.md explains every option.\n";

const absl::string_view kGprofVersion =
    ", compatible with GNU gprof 2.40\n"
    "Apache-2.0 licence; there is no warranty.\n";

}  // namespace gprofhub::cli
