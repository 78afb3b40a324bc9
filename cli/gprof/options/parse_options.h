// From GNU gprof's command line to what it says.
#pragma once

#include <variant>

#include "cli/gprof/options/options.h"

namespace gprofhub::cli {

// How the command line ended: what to do, or the exit code if it is done.
using ParsedOptions = std::variant<GprofOptions, int>;

// Parses what follows the program's name. @FILE arguments are replaced by the
// arguments in the file. Errors go to stderr, --help and --version to stdout,
// as getopt_long and GNU gprof word them.
ParsedOptions ParseGprofOptions(int argc, char** argv);

}  // namespace gprofhub::cli
