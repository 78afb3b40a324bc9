#include "cli/gprof/option_meanings.h"

#include <getopt.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "analyzer/exports/exports.h"
#include "cli/command/version.h"

namespace gprofhub::cli {

namespace {

// Texts of --help, --version and errors.

// gprofhub's additional options; --help only.
std::string GprofAdditions();

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

std::string GprofAdditions() {
  return absl::StrCat(
      "\n"
      "Beyond GNU gprof:\n"
      "\t--break-cycles[=N]\n"
      "\t                 print the fewest arcs that break each cycle of N functions or more\n"
      "\t--cut-cycles[=N] like --break-cycles, and remove these arcs from the call graph\n"
      "\t--exact-clones   list clones (.part, .isra, .constprop, .cold) as separate functions\n"
      "\t--expected-error print the expected error of each time: the square root of its samples\n"
      "\t--format=FORMAT  ",
      absl::StrJoin(analyzer::NamesOf(analyzer::ExportFormats()), ", "),
      ": docs/gprof-json.md\n"
      "\t--path-map=OLD=NEW\n"
      "\t                 search the folder NEW for sources that were compiled in OLD\n"
      "\t--sum-series     write gmon.sum from gmon.out.0, gmon.out.1, ... until one is missing\n"
      "docs/gprof.md explains every option.\n");
}

const absl::string_view kGprofVersion =
    ", compatible with GNU gprof 2.40\n"
    "Apache-2.0 licence; there is no warranty.\n";

constexpr int kDone = 0;
constexpr int kFailed = 1;

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

// Of -d without a number.
constexpr unsigned kAllDebugLevels = ~0u;

absl::string_view Argument() {
  return optarg == nullptr ? absl::string_view() : absl::string_view(optarg);
}

// As in GNU gprof, the lowest 32 bits; negative ones are 0.
uint64_t Number() {
  return static_cast<uint64_t>(std::max(static_cast<int32_t>(std::atol(optarg)), 0));
}

// A slash separates the functions of a call. For options about functions, the text behind it is
// ignored.
bool NamesArcs() { return absl::StrContains(Argument(), '/'); }

}  // namespace

// Selects a listing, or the part of it that the symspec matches.
void OptionMeanings::Want(Listing listing, analyzer::Choice choice) {
  options_.wanted |= listing;
  options_.decided |= listing;
  if (optarg == nullptr) return;
  if (listing == kGraphListing && NamesArcs()) {
    AddSymspec(SymspecTable::kIncludeArcs);
  } else {
    Include(choice);
  }
}

// Excludes a listing, or the part of it that the symspec matches: an empty one ("--no-graph=")
// matches everything.
void OptionMeanings::DoNotWant(Listing listing, analyzer::Choice choice) {
  options_.decided |= listing;
  if (optarg == nullptr) {
    options_.wanted &= ~listing;
    return;
  }
  options_.wanted |= listing;
  if (listing == kGraphListing && NamesArcs()) {
    AddSymspec(SymspecTable::kExcludeArcs);
  } else {
    Exclude(choice);
  }
}

void OptionMeanings::Include(analyzer::Choice choice) { AddSymspec(TablesOf(choice).include); }

void OptionMeanings::Exclude(analyzer::Choice choice) { AddSymspec(TablesOf(choice).exclude); }

void OptionMeanings::AddSymspec(SymspecTable table) { options_.symspecs.Add(table, Argument()); }

std::optional<int> OptionMeanings::ChooseFormat() {
  switch (*optarg) {
    case 'a':
      options_.format = ProfileFormat::kAuto;
      return std::nullopt;
    case 'm':
      options_.format = ProfileFormat::kMagic;
      return std::nullopt;
    case 'b':
      options_.format = ProfileFormat::kBsd;
      return std::nullopt;
    case '4':
      options_.format = ProfileFormat::k44Bsd;
      return std::nullopt;
    case 'p':
      options_.format = ProfileFormat::kProf;
      return std::nullopt;
    default:
      std::cerr << optarg << ": unknown file format " << options_.program << "\n";
      return kFailed;
  }
}

// Without a style, the one named last.
std::optional<int> OptionMeanings::ChooseDemangling() {
  if (optarg != nullptr) {
    const auto* named = std::find_if(std::begin(kDemanglingStyles), std::end(kDemanglingStyles),
                                     [](const auto& style) { return style.name == Argument(); });
    if (named == std::end(kDemanglingStyles)) {
      std::cerr << options_.program << ": unknown demangling style `" << Argument() << "'\n";
      return kFailed;
    }
    demangling_ = named->style;
  }
  options_.listing.demangling = demangling_;
  return std::nullopt;
}

// Options without an argument. False: it is another option.
bool OptionMeanings::ApplySwitch(int choice) {
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

// Options that select listings. False: it is another option.
bool OptionMeanings::ApplyListing(int choice) {
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

// Options whose argument is a symspec. False: it is another option.
bool OptionMeanings::ApplySymspec(int choice) {
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
      AddSymspec(SymspecTable::kExcludeArcs);
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

// Options with a number, or the name of a file. False: it is another option.
bool OptionMeanings::ApplyValue(int choice) {
  switch (choice) {
    case 'd':
      options_.debug |=
          optarg == nullptr ? kAllDebugLevels : static_cast<unsigned>(std::atoi(optarg));
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

std::optional<int> OptionMeanings::Apply(int choice) {
  if (ApplySwitch(choice) || ApplyListing(choice) || ApplySymspec(choice) || ApplyValue(choice)) {
    return std::nullopt;
  }
  switch (choice) {
    case 'h':
      std::cout << "Usage: " << options_.program << kGprofUsage << GprofAdditions();
      return kDone;
    case 'v':
      std::cout << "gprofhub gprof " << kVersion << kGprofVersion;
      return kDone;
    case 'O':
      return ChooseFormat();
    case kDemangle:
      return ChooseDemangling();
    default:
      std::cerr << "Usage: " << options_.program << kGprofUsage;
      return kFailed;
  }
}

}  // namespace gprofhub::cli
