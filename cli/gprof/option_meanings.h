// Semantics of GNU gprof's options.
#pragma once

#include <getopt.h>

#include <optional>
#include <string>

#include "cli/gprof/options.h"
#include "profile/demangle.h"

namespace gprofhub::cli {

// GNU gprof's options, as getopt_long takes them.

// Return values of getopt_long for options without a letter.
enum LongOnly : int { kDemangle = 256, kNoDemangle, kInlineFileNames };

inline constexpr char kShortOptions[] =
    "aA::bBcC::d::De:E:f:F:hiI:J::k:lLm:n:N:O:p::P::q::Q::rR:sS:t:Tvw:xyzZ::";

// In the order in which an ambiguous abbreviation lists them.
inline constexpr option kLongOptions[] = {
    {"line", no_argument, nullptr, 'l'},
    {"no-static", no_argument, nullptr, 'a'},
    {"ignore-non-functions", no_argument, nullptr, 'D'},
    {"annotated-source", optional_argument, nullptr, 'A'},
    {"no-annotated-source", optional_argument, nullptr, 'J'},
    {"flat-profile", optional_argument, nullptr, 'p'},
    {"no-flat-profile", optional_argument, nullptr, 'P'},
    {"graph", optional_argument, nullptr, 'q'},
    {"no-graph", optional_argument, nullptr, 'Q'},
    {"external-symbol-table", required_argument, nullptr, 'S'},
    {"exec-counts", optional_argument, nullptr, 'C'},
    {"no-exec-counts", optional_argument, nullptr, 'Z'},
    {"function-ordering", no_argument, nullptr, 'r'},
    {"file-ordering", required_argument, nullptr, 'R'},
    {"file-info", no_argument, nullptr, 'i'},
    {"sum", no_argument, nullptr, 's'},
    {"demangle", optional_argument, nullptr, kDemangle},
    {"no-demangle", no_argument, nullptr, kNoDemangle},
    {"directory-path", required_argument, nullptr, 'I'},
    {"display-unused-functions", no_argument, nullptr, 'z'},
    {"min-count", required_argument, nullptr, 'm'},
    {"print-path", no_argument, nullptr, 'L'},
    {"separate-files", no_argument, nullptr, 'y'},
    {"static-call-graph", no_argument, nullptr, 'c'},
    {"table-length", required_argument, nullptr, 't'},
    {"time", required_argument, nullptr, 'n'},
    {"no-time", required_argument, nullptr, 'N'},
    {"width", required_argument, nullptr, 'w'},
    {"all-lines", no_argument, nullptr, 'x'},
    {"brief", no_argument, nullptr, 'b'},
    {"debug", optional_argument, nullptr, 'd'},
    {"inline-file-names", no_argument, nullptr, kInlineFileNames},
    {"file-format", required_argument, nullptr, 'O'},
    {"traditional", no_argument, nullptr, 'T'},
    {"version", no_argument, nullptr, 'v'},
    {"help", no_argument, nullptr, 'h'},
    {"", required_argument, nullptr, 'e'},  // "--=symspec"
    {nullptr, 0, nullptr, 0},
};

class OptionMeanings {
 public:
  // Stores the results in `options`, which must outlive this.
  explicit OptionMeanings(GprofOptions& options) : options_(options) {}

  // `choice` is what getopt_long returned; the option's argument is in optarg. Returns the
  // exit code if that ends the command line: --help and --version are printed to stdout,
  // errors to stderr.
  std::optional<int> Apply(int choice);

 private:
  bool ApplySwitch(int choice);
  bool ApplyListing(int choice);
  bool ApplySymspec(int choice);
  bool ApplyValue(int choice);
  std::optional<int> ChooseFormat();
  std::optional<int> ChooseDemangling();
  void Want(Listing listing, analyzer::Choice choice);
  void DoNotWant(Listing listing, analyzer::Choice choice);
  void Include(analyzer::Choice choice);
  void Exclude(analyzer::Choice choice);
  void AddSymspec(SymspecTable table);

  GprofOptions& options_;
  // The style that was named last.
  std::optional<profile::DemanglingStyle> demangling_ = profile::DemanglingStyle::kAuto;
};

}  // namespace gprofhub::cli
