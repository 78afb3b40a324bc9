// Semantics of GNU gprof's options.
#pragma once

#include <optional>
#include <string>

#include "cli/gprof/options/options.h"
#include "profile/names/demangle.h"

namespace gprofhub::cli {

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
