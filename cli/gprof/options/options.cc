// GNU gprof's options are parsed by getopt_long, as GNU gprof's own are, so that
// abbreviations and the wording of errors agree. It is given one argument at a time,
// with the one behind it: an array of all would be several times as large as the file
// that they may come from. Options that only this program has are taken out before,
// and must be written in full: they must not make an abbreviation ambiguous.
#include "cli/gprof/options/options.h"

#include <getopt.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/gprof/options/argument_file.h"
#include "cli/gprof/options/debug_levels.h"
#include "cli/gprof/options/option_list.h"
#include "cli/gprof/options/usage.h"
#include "cli/version/version.h"
#include "profile/names/demangle.h"

namespace gprofhub::cli {
namespace {

struct NamedDemanglingStyle {
  absl::string_view name;
  std::optional<profile::DemanglingStyle> style;
};

constexpr NamedDemanglingStyle kDemanglingStyles[] = {
    {"none", std::nullopt},
    {"auto", profile::DemanglingStyle::kAuto},
    {"gnu-v3", profile::DemanglingStyle::kGnuV3},
    {"java", profile::DemanglingStyle::kJava},
    {"gnat", profile::DemanglingStyle::kGnat},
    {"dlang", profile::DemanglingStyle::kDlang},
    {"rust", profile::DemanglingStyle::kRust},
};

// Every debugging message, as -d without a level asks for.
constexpr unsigned kAllDebugLevels = ~0u;

class OptionParser {
 public:
  ParsedOptions Parse(int argc, char** argv) {
    options_.program = argv[0];
    arguments_.emplace(std::vector<std::string>(argv + 1, argv + argc));
    std::optional<std::string> argument = Next();
    while (argument) {
      std::optional<std::string> following = Next();
      if (options_ended_ || argument->size() < 2 || argument->front() != '-') {
        AddOperand(argument->c_str());
      } else if (*argument == "--") {
        options_ended_ = true;
      } else {
        const int code = ParseOption(argument->data(), following);
        if (code >= 0) return code;
        if (optind == kBehindFollowing) following = Next();
      }
      argument = std::move(following);
    }
    if (const int code = Check(); code >= 0) return code;
    // Whatever the order of the options, that style has the linker's names.
    if (options_.listing.traditional) options_.listing.demangling.reset();
    if (options_.sum_series) {
      UseSeries();
    } else if (!profiles_.empty()) {
      options_.profiles = std::move(profiles_);
    }
    return std::move(options_);
  }

 private:
  static constexpr int kOk = 0;
  static constexpr int kFailed = 1;
  static constexpr int kGoOn = -1;
  static constexpr absl::string_view kFormatOption = "--format=";
  static constexpr absl::string_view kPathMapOption = "--path-map=";

  static constexpr int kBehindFollowing = 3;

  // The next argument that is not one of our own options; what follows "--" is no option.
  std::optional<std::string> Next() {
    while (true) {
      std::optional<std::string> argument = arguments_->Next();
      if (!argument || !may_be_own_) return argument;
      if (*argument == "--") may_be_own_ = false;
      if (!TakeOwn(*argument)) return argument;
    }
  }

  bool TakeOwn(const std::string& argument) {
    if (argument == "--exact-clones") {
      options_.listing.rows.policy = analyzer::SymbolPolicy::kExact;
    } else if (argument == "--sum-series") {
      options_.sum_series = true;
    } else if (argument == "--expected-error") {
      options_.listing.expected_error = true;
    } else if (absl::StartsWith(argument, kPathMapOption)) {
      const std::pair<std::string, std::string> map =
          absl::StrSplit(argument.substr(kPathMapOption.size()), absl::MaxSplits('=', 1));
      options_.path_map.push_back({map.first, map.second});
    } else if (absl::StartsWith(argument, kFormatOption) && !has_format_) {
      options_.export_format = argument.substr(kFormatOption.size());
      has_format_ = true;
    } else {
      return false;
    }
    return true;
  }

  void AddOperand(const char* operand) {
    if (std::getenv("POSIXLY_CORRECT") != nullptr) options_ended_ = true;
    if (!has_image_) {
      options_.image = operand;
      has_image_ = true;
      return;
    }
    const absl::string_view name = operand;
    if (profiles_.empty()) profiles_.reserve(name.size() + 1 + arguments_->bytes_left());
    absl::StrAppend(&profiles_, name, kNameEnd);
  }

  // The options in one argument. Leaves optind behind what was used.
  int ParseOption(char* argument, std::optional<std::string>& following) {
    char* window[] = {options_.program.data(), argument, nullptr, nullptr};
    if (following) window[2] = following->data();
    optind = 0;  // getopt begins anew
    do {
      const int choice =
          getopt_long(following ? 3 : 2, window, kShortOptions, kLongOptions, nullptr);
      if (const int code = Apply(choice); code >= 0) return code;
    } while (optind < 2);
    return kGoOn;
  }

  int Fail(const std::string& message) {
    std::cerr << options_.program << ": " << message << "\n";
    return kFailed;
  }

  // The profiles are gmon.out.0, gmon.out.1, … up to the first that is missing.
  void UseSeries() {
    options_.wanted |= kSum;
    options_.listing.rows.by_line = true;
    options_.profiles.clear();
    for (int number = 0;; ++number) {
      const std::string next = absl::StrCat("gmon.out.", number);
      if (number > 0 && access(next.c_str(), F_OK) != 0) return;
      absl::StrAppend(&options_.profiles, next, kNameEnd);
    }
  }

  static absl::string_view Argument() {
    return optarg == nullptr ? absl::string_view() : absl::string_view(optarg);
  }

  // As GNU gprof has them, of the lowest 32 bits; negative ones are 0.
  static uint64_t Number() {
    return static_cast<uint64_t>(std::max(static_cast<int32_t>(std::atol(optarg)), 0));
  }

  // Prints a listing, or what the symspec names of it.
  void Want(Listing listing, analyzer::Choice choice) {
    options_.wanted |= listing;
    options_.decided |= listing;
    if (optarg == nullptr) return;
    if (listing == kGraphListing && NamesArcs()) {
      Note(SymspecTable::kIncludeArcs);
    } else {
      Include(choice);
    }
  }

  // Prints no listing, or all of it but what the symspec names: an empty one ("--no-graph=")
  // names everything.
  void DoNotWant(Listing listing, analyzer::Choice choice) {
    options_.decided |= listing;
    if (optarg == nullptr) {
      options_.wanted &= ~listing;
      return;
    }
    options_.wanted |= listing;
    if (listing == kGraphListing && NamesArcs()) {
      Note(SymspecTable::kExcludeArcs);
    } else {
      Exclude(choice);
    }
  }

  // A slash stands between the functions of calls; where functions are asked for, what is
  // behind it says nothing.
  static bool NamesArcs() { return absl::StrContains(Argument(), '/'); }

  void Include(analyzer::Choice choice) { Note(TablesOf(choice).include); }
  void Exclude(analyzer::Choice choice) { Note(TablesOf(choice).exclude); }
  void Note(SymspecTable table) { options_.symspecs.Add(table, Argument()); }

  int ChooseFormat() {
    switch (*optarg) {
      case 'a':
        options_.format = ProfileFormat::kAuto;
        return kGoOn;
      case 'm':
        options_.format = ProfileFormat::kMagic;
        return kGoOn;
      case 'b':
        options_.format = ProfileFormat::kBsd;
        return kGoOn;
      case '4':
        options_.format = ProfileFormat::k44Bsd;
        return kGoOn;
      case 'p':
        options_.format = ProfileFormat::kProf;
        return kGoOn;
      default:
        std::cerr << optarg << ": unknown file format " << options_.program << "\n";
        return kFailed;
    }
  }

  // Without a style, the one named last.
  int ChooseDemangling() {
    if (optarg != nullptr) {
      const auto* named = std::find_if(std::begin(kDemanglingStyles), std::end(kDemanglingStyles),
                                       [](const auto& style) { return style.name == Argument(); });
      if (named == std::end(kDemanglingStyles)) {
        return Fail(absl::StrCat("unknown demangling style `", std::string(Argument()), "'"));
      }
      demangling_ = named->style;
    }
    options_.listing.demangling = demangling_;
    return kGoOn;
  }

  // What is said by the option alone. False: it is another one.
  bool ApplySwitch(int choice) {
    analyzer::ListingOptions& listing = options_.listing;
    switch (choice) {
      case 'a':
        listing.rows.no_static = true;
        return true;
      case 'b':
        listing.explain = false;
        return true;
      case 'c':
        options_.static_calls = true;
        return true;
      case 'D':
        listing.rows.only_functions = true;
        return true;
      case 'l':
        listing.rows.by_line = true;
        return true;
      case 'L':
        listing.full_paths = true;
        return true;
      case 'T':
        listing.traditional = true;
        return true;
      case 'x':
        options_.all_lines = true;
        return true;
      case 'y':
        options_.separate_files = true;
        return true;
      case 'z':
        listing.show_unused = true;
        return true;
      case kNoDemangle:
        listing.demangling.reset();
        return true;
      case kInlineFileNames:
        listing.inline_file_names = true;
        return true;
      default:
        return false;
    }
  }

  // What to print. False: it is another option.
  bool ApplyListing(int choice) {
    switch (choice) {
      case 'A':
        Want(kAnnotatedSource, analyzer::Choice::kAnnotate);
        return true;
      case 'B':
        options_.wanted |= kGraphListing;
        options_.decided |= kGraphListing;
        return true;
      case 'C':
        Want(kExecutionCounts, analyzer::Choice::kCounts);
        return true;
      case 'i':
        options_.wanted |= kFileInfo;
        return true;
      case 'J':
        DoNotWant(kAnnotatedSource, analyzer::Choice::kAnnotate);
        return true;
      case 'p':
        Want(kFlatListing, analyzer::Choice::kFlat);
        return true;
      case 'P':
        DoNotWant(kFlatListing, analyzer::Choice::kFlat);
        return true;
      case 'q':
        Want(kGraphListing, analyzer::Choice::kGraph);
        return true;
      case 'Q':
        DoNotWant(kGraphListing, analyzer::Choice::kGraph);
        return true;
      case 'r':
        options_.wanted |= kFunctionOrder;
        return true;
      case 's':
        options_.wanted |= kSum;
        options_.listing.rows.by_line = true;
        return true;
      case 'Z':
        DoNotWant(kExecutionCounts, analyzer::Choice::kCounts);
        return true;
      default:
        return false;
    }
  }

  // What of it. False: it is another option.
  bool ApplySymspec(int choice) {
    switch (choice) {
      case 'e':
        Exclude(analyzer::Choice::kGraph);
        return true;
      case 'E':
        Exclude(analyzer::Choice::kGraph);
        Exclude(analyzer::Choice::kTime);
        return true;
      case 'f':
        Include(analyzer::Choice::kGraph);
        return true;
      case 'F':
        Include(analyzer::Choice::kGraph);
        Include(analyzer::Choice::kTime);
        return true;
      case 'k':
        Note(SymspecTable::kExcludeArcs);
        return true;
      case 'n':
        Include(analyzer::Choice::kTime);
        return true;
      case 'N':
        Exclude(analyzer::Choice::kTime);
        return true;
      default:
        return false;
    }
  }

  // Numbers and files. False: it is another option.
  bool ApplyValue(int choice) {
    switch (choice) {
      case 'd':
        options_.debug |=
            1 | (optarg == nullptr ? kAllDebugLevels : static_cast<unsigned>(std::atoi(optarg)));
        std::cout << "[main] debug-level=0x" << std::hex << options_.debug << std::dec << "\n";
        return true;
      case 'I':
        if (!options_.source_path.empty()) options_.source_path += ':';
        options_.source_path += optarg;
        options_.has_source_path = true;
        return true;
      case 'm':
        // A negative one is above all counts.
        options_.min_count = static_cast<uint64_t>(std::atol(optarg));
        return true;
      case 'R':
        options_.wanted |= kFileOrder;
        options_.map_file = optarg;
        return true;
      case 'S':
        options_.external_symbols = optarg;
        if ((options_.debug & kTraceSymbols) != 0 && options_.export_format.empty()) {
          std::cout << "external-symbol-table: " << optarg << "\n";
        }
        return true;
      case 't':
        options_.table_length = Number();
        return true;
      case 'w':
        options_.listing.width = Number();
        return true;
      default:
        return false;
    }
  }

  // `choice` is what getopt_long returned.
  int Apply(int choice) {
    if (ApplySwitch(choice) || ApplyListing(choice) || ApplySymspec(choice) || ApplyValue(choice)) {
      return kGoOn;
    }
    switch (choice) {
      case 'h':
        std::cout << "Usage: " << options_.program << kGprofUsage << kGprofAdditions;
        return kOk;
      case 'v':
        std::cout << "gprofhub gprof " << kVersion << kGprofVersion;
        return kOk;
      case 'O':
        return ChooseFormat();
      case kDemangle:
        return ChooseDemangling();
      default:
        std::cerr << "Usage: " << options_.program << kGprofUsage;
        return kFailed;
    }
  }

  int Check() {
    const unsigned orders = kFunctionOrder | kFileOrder;
    if ((options_.wanted & orders) == orders) {
      return Fail("Only one of --function-ordering and --file-ordering may be specified.");
    }
    for (const PathMapping& map : options_.path_map) {
      if (!map.from.empty() && !map.to.empty()) continue;
      return Fail(absl::StrCat(kPathMapOption, map.from, ": give OLD=NEW, two folders"));
    }
    return kGoOn;
  }

  static constexpr absl::string_view kNameEnd = {"", 1};

  std::optional<ArgumentStream> arguments_;
  bool may_be_own_ = true;      // the next argument
  bool options_ended_ = false;  // by "--"
  bool has_format_ = false;
  bool has_image_ = false;
  std::string profiles_;  // as GprofOptions has them
  GprofOptions options_;
  std::optional<profile::DemanglingStyle> demangling_ = profile::DemanglingStyle::kAuto;
};

}  // namespace

std::vector<std::string> ReadableProfiles(const GprofOptions& options) {
  std::vector<std::string> names;
  absl::string_view rest = options.profiles;
  while (!rest.empty()) {
    names.emplace_back(rest.data());
    rest.remove_prefix(names.back().size() + 1);
    if (names.back() != "-" && access(names.back().c_str(), R_OK) != 0) break;
  }
  return names;
}

ParsedOptions ParseGprofOptions(int argc, char** argv) { return OptionParser().Parse(argc, argv); }

}  // namespace gprofhub::cli
