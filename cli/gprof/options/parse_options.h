// Parser of GNU gprof's command line.
#pragma once

#include <variant>

#include "cli/gprof/options/options.h"

namespace gprofhub::cli {

// Result of parsing: the options, or the exit code if the command line is done.
using ParsedOptions = std::variant<GprofOptions, int>;

// Parses the arguments after the program's name. @FILE arguments are replaced by the arguments in
// the file. Errors go to stderr, --help and --version to stdout, as getopt_long and GNU gprof word
// them.
ParsedOptions ParseGprofOptions(int argc, char** argv);

}  // namespace gprofhub::cli
