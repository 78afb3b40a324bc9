#include "cli/gprof_command.h"

#include <getopt.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "analyzer/flat_listing.h"
#include "analyzer/graph_listing.h"
#include "analyzer/listing_input.h"
#include "profile/elf_symbols.h"
#include "profile/gmon_reader.h"
#include "profile/image_check.h"
#include "profile/profile_merge.h"
#include "profile/recording_reader.h"

namespace gprofhub {
namespace {

enum Listing : unsigned { kFlat = 1, kGraph = 2 };

struct GprofArguments {
  std::string program;
  ListingOptions listing;
  unsigned wanted = 0;   // listings asked for
  unsigned decided = 0;  // listings asked for or ruled out
  std::string image = "a.out";
  std::vector<std::string> gmons;
};

enum LongOnly : int { kDemangle = 256, kNoDemangle, kUnsupportedLong };

constexpr char kShortOptions[] =
    "aA::bBcC::d::De:E:f:F:hiI:J::k:lLm:n:N:O:p::P::q::Q::rR:sS:t:TvwxyzZ::";

constexpr option kLongOptions[] = {
    {"brief", no_argument, nullptr, 'b'},
    {"flat-profile", optional_argument, nullptr, 'p'},
    {"no-flat-profile", optional_argument, nullptr, 'P'},
    {"graph", optional_argument, nullptr, 'q'},
    {"no-graph", optional_argument, nullptr, 'Q'},
    {"display-unused-functions", no_argument, nullptr, 'z'},
    {"demangle", optional_argument, nullptr, kDemangle},
    {"no-demangle", no_argument, nullptr, kNoDemangle},
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, 'v'},
    // Known to GNU gprof, not to us.
    {"all-lines", no_argument, nullptr, kUnsupportedLong},
    {"annotated-source", optional_argument, nullptr, kUnsupportedLong},
    {"debug", optional_argument, nullptr, kUnsupportedLong},
    {"directory-path", required_argument, nullptr, kUnsupportedLong},
    {"exec-counts", optional_argument, nullptr, kUnsupportedLong},
    {"external-symbol-table", required_argument, nullptr, kUnsupportedLong},
    {"file-format", required_argument, nullptr, kUnsupportedLong},
    {"file-info", no_argument, nullptr, kUnsupportedLong},
    {"file-ordering", required_argument, nullptr, kUnsupportedLong},
    {"function-ordering", no_argument, nullptr, kUnsupportedLong},
    {"ignore-non-functions", no_argument, nullptr, kUnsupportedLong},
    {"inline-file-names", no_argument, nullptr, kUnsupportedLong},
    {"line", no_argument, nullptr, kUnsupportedLong},
    {"min-count", required_argument, nullptr, kUnsupportedLong},
    {"no-annotated-source", optional_argument, nullptr, kUnsupportedLong},
    {"no-exec-counts", optional_argument, nullptr, kUnsupportedLong},
    {"no-static", no_argument, nullptr, kUnsupportedLong},
    {"no-time", required_argument, nullptr, kUnsupportedLong},
    {"print-path", no_argument, nullptr, kUnsupportedLong},
    {"separate-files", no_argument, nullptr, kUnsupportedLong},
    {"static-call-graph", no_argument, nullptr, kUnsupportedLong},
    {"sum", no_argument, nullptr, kUnsupportedLong},
    {"table-length", required_argument, nullptr, kUnsupportedLong},
    {"time", required_argument, nullptr, kUnsupportedLong},
    {"traditional", no_argument, nullptr, kUnsupportedLong},
    {"width", required_argument, nullptr, kUnsupportedLong},
    {nullptr, 0, nullptr, 0},
};

constexpr char kUsage[] =
    " [options] [image [gmon...]]\n"
    "Prints the flat profile and the call graph of the program `image` (a.out) from\n"
    "the sum of the profiles it wrote (gmon.out), as GNU gprof 2.40 does.\n"
    "\n"
    "  -b, --brief                     without the explanations\n"
    "  -p, --flat-profile              the flat profile; -P, --no-flat-profile: without it\n"
    "  -q, --graph                     the call graph; -Q, --no-graph: without it\n"
    "  -z, --display-unused-functions  functions that were never used, too\n"
    "      --no-demangle               C++ names as the linker has them\n"
    "  -v, --version                   print the version\n"
    "  -h, --help                      print this\n";

int Fail(const GprofArguments& arguments, const std::string& message) {
  std::cerr << arguments.program << ": " << message << "\n";
  return kExitFailure;
}

int FailUnsupported(const GprofArguments& arguments, const std::string& option) {
  return Fail(arguments, absl::StrCat("option ", option,
                                      " is not supported yet (see --help for those that are)"));
}

// A symbol list after -p, -P, -q or -Q.
bool HasSymbols() { return optarg != nullptr && *optarg != '\0'; }

// Returns the exit code if the command line settles it, else -1.
int ParseOptions(int argc, char** argv, GprofArguments& arguments) {
  optind = 0;  // the process may have parsed another command line before
  int before = 1;
  int choice;
  while ((choice = getopt_long(argc, argv, kShortOptions, kLongOptions, nullptr)) != -1) {
    const unsigned listing = choice == 'p' || choice == 'P' ? kFlat : kGraph;
    switch (choice) {
      case 'b':
        arguments.listing.explain = false;
        break;
      case 'z':
        arguments.listing.show_unused = true;
        break;
      case 'p':
      case 'q':
      case 'P':
      case 'Q':
        if (HasSymbols()) {
          return FailUnsupported(
              arguments, absl::StrCat("-", std::string(1, static_cast<char>(choice)), optarg));
        }
        arguments.decided |= listing;
        if (choice == 'p' || choice == 'q') {
          arguments.wanted |= listing;
        } else {
          arguments.wanted &= ~listing;
        }
        break;
      case kDemangle:
        arguments.listing.demangle = true;
        break;
      case kNoDemangle:
        arguments.listing.demangle = false;
        break;
      case 'h':
        std::cout << "Usage: " << arguments.program << kUsage;
        return kExitOk;
      case 'v':
        std::cout << "gprofhub " << arguments.program << ", listings as of GNU gprof 2.40\n";
        return kExitOk;
      case '?':
        std::cerr << "Usage: " << arguments.program << kUsage;
        return kExitFailure;
      case kUnsupportedLong:
        return FailUnsupported(arguments, argv[before]);
      default:
        return FailUnsupported(arguments, absl::StrCat("-", std::string(1, choice)));
    }
    before = optind;
  }
  if (optind < argc) arguments.image = argv[optind++];
  arguments.gmons.assign(argv + optind, argv + argc);
  if (arguments.gmons.empty()) arguments.gmons = {"gmon.out"};
  return -1;
}

// OK, or what the system says of opening the file.
absl::Status CheckReadable(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat(path, ": ", std::strerror(errno)));
  return absl::OkStatus();
}

absl::StatusOr<SymbolTable> ReadImage(const GprofArguments& arguments) {
  const std::string& path = arguments.image;
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
    return absl::NotFoundError(absl::StrCat(path, ": ", std::strerror(ENOENT)));
  }
  if (absl::Status status = CheckReadable(path); !status.ok()) return status;
  absl::StatusOr<SymbolTable> symbols = ReadElfSymbols(path);
  if (absl::IsInvalidArgument(symbols.status())) {
    return absl::InvalidArgumentError(
        absl::StrCat(arguments.program, ": ", path, ": not in executable format"));
  }
  if (absl::IsFailedPrecondition(symbols.status())) {
    return absl::InvalidArgumentError(
        absl::StrCat(arguments.program, ": file `", path, "' has no symbols"));
  }
  return symbols;
}

// A gmon file, or of a recording the module that the image is.
absl::StatusOr<RawProfile> ReadProfile(const std::string& content, const std::string& path,
                                       const SymbolTable& symbols) {
  if (IsRecording(content)) {
    const absl::StatusOr<Recording> recording = ReadRecording(content, path);
    if (!recording.ok()) return recording.status();
    const RecordedModule* module = FindModule(*recording, symbols.build_id);
    if (module != nullptr) return module->profile;
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": nothing of ", symbols.image_name, " (build-id ",
                     symbols.build_id.empty() ? "none" : symbols.build_id,
                     ") in it; `gprofhub info` names the modules that it is of"));
  }
  GmonReadOptions options;
  options.address_size = symbols.address_size;
  options.big_endian = symbols.big_endian;
  return ReadGmon(content, path, options);
}

absl::StatusOr<RawProfile> ReadProfiles(const GprofArguments& arguments,
                                        const SymbolTable& symbols) {
  constexpr size_t kGmonHeaderBytes = 20;
  ProfileMerger merger;
  for (const std::string& path : arguments.gmons) {
    if (absl::Status status = CheckReadable(path); !status.ok()) return status;
    std::ifstream file(path, std::ios::binary);
    std::stringstream bytes;
    bytes << file.rdbuf();
    const std::string content = bytes.str();
    if (content.size() < kGmonHeaderBytes) {
      return absl::DataLossError(absl::StrCat(path, ": file too short to be a gmon file"));
    }
    const absl::StatusOr<RawProfile> profile = ReadProfile(content, path, symbols);
    absl::Status status = profile.ok() ? merger.Add(*profile) : profile.status();
    if (!status.ok()) {
      return absl::Status(status.code(),
                          absl::StrCat(arguments.program, ": ", std::string(status.message())));
    }
    // GNU gprof says nothing of a profile of another program.
    if (absl::Status match = CheckBelongs(*profile, symbols, path, arguments.image); !match.ok()) {
      std::cerr << arguments.program << ": warning: " << match.message() << "\n";
    }
  }
  return merger.Take();
}

}  // namespace

int GprofMain(int argc, char** argv) {
  GprofArguments arguments;
  arguments.program = argv[0];
  if (const int code = ParseOptions(argc, argv, arguments); code >= 0) return code;

  const absl::StatusOr<SymbolTable> symbols = ReadImage(arguments);
  if (!symbols.ok()) {
    std::cerr << symbols.status().message() << "\n";
    return kExitFailure;
  }
  const absl::StatusOr<RawProfile> profile = ReadProfiles(arguments, *symbols);
  if (!profile.ok()) {
    std::cerr << profile.status().message() << "\n";
    return kExitFailure;
  }

  // A listing that was asked for must be possible; by default those that are.
  const unsigned possible =
      (profile->histograms.empty() ? 0u : kFlat) | (profile->arcs.empty() ? 0u : kGraph);
  if ((arguments.wanted & kFlat & ~possible) != 0) {
    return Fail(arguments, "gmon.out file is missing histogram");
  }
  if ((arguments.wanted & kGraph & ~possible) != 0) {
    return Fail(arguments, "gmon.out file is missing call-graph data");
  }
  const unsigned printed = arguments.wanted != 0 ? arguments.wanted : possible & ~arguments.decided;
  if (printed == 0) return kExitOk;

  const ListingInput input = PrepareListing(*symbols, *profile, arguments.listing);
  if ((printed & kFlat) != 0) std::cout << PrintFlatListing(input, arguments.listing);
  if (printed == (kFlat | kGraph)) std::cout << "\f\n";
  if ((printed & kGraph) != 0) std::cout << PrintGraphListing(input, arguments.listing);
  std::cout << std::flush;
  return std::cout ? kExitOk : Fail(arguments, "the output cannot be written");
}

void AddGprofCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand(
      "gprof",
      "Print a program's flat profile and call graph from its gmon.out, as GNU gprof does");
  command->prefix_command();
  SetExamples(*command, {"gprofhub gprof ./app gmon.out | less",
                         "gprofhub gprof -b -p ./app gmon.1 gmon.2", "gprofhub gprof --help"});
  command->callback([&run] { run = [] { return static_cast<int>(kExitUsage); }; });
}

}  // namespace gprofhub
