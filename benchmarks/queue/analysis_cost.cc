// How much longer an analysis takes in a child process than in this one. A target has 200
// functions and 600 arcs. Prints analyses per second, in turns, and their ratio.
//
//   analysis_cost bazel-bin/cli/gprofhub_commands
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "analyzer/worker/analysis_child.h"
#include "analyzer/worker/target_images.h"
#include "profile/codec/symbol_bundle.h"
#include "profile/gmon/writer.h"
#include "profile/raw_profile.h"

namespace gprofhub::analyzer {
namespace {

constexpr int kFunctions = 200;
constexpr int kAnalyses = 300;
constexpr int kRounds = 7;
constexpr uint64_t kFirst = 0x1000;
constexpr uint64_t kSize = 0x100;

uint64_t AddressOf(int function) { return kFirst + kSize * static_cast<uint64_t>(function); }

std::string MakeBundle() {
  profile::SymbolTable symbols;
  symbols.build_id = std::string(40, 'b');
  symbols.architecture = "x86_64";
  symbols.image_name = "query_test";
  symbols.text_low = kFirst;
  symbols.text_high = AddressOf(kFunctions);
  symbols.files = {"", "db/query.cc"};
  for (int i = 0; i < kFunctions; ++i) {
    profile::FunctionSymbol function;
    function.address = AddressOf(i);
    function.size = kSize;
    function.name = absl::StrCat("_ZN2db8function", i, "Ev");
    function.file = 1;
    function.line = static_cast<uint32_t>(i + 1);
    function.is_function = true;
    symbols.functions.push_back(function);
    symbols.lines.push_back({AddressOf(i), 1, function.line});
  }
  symbols.lines.push_back({symbols.text_high, 0, 0});
  return profile::EncodeSymbolBundle(symbols);
}

std::string MakeGmon() {
  profile::RawProfile profile;
  profile::Histogram histogram;
  histogram.low_pc = kFirst;
  histogram.high_pc = AddressOf(kFunctions);
  histogram.rate = 100;
  histogram.bins.assign(kFunctions, 3);
  profile.histograms.push_back(histogram);
  for (int i = 0; i < kFunctions; ++i) {
    for (const int step : {1, 7, 31}) {
      profile.arcs.push_back({AddressOf(i) + 0x10 + static_cast<uint64_t>(step),
                              AddressOf((i + step) % kFunctions), 17});
    }
  }
  return profile::WriteGmon(profile).value();
}

template <typename Once>
double PerSecond(Once once) {
  const absl::Time begun = absl::Now();
  for (int i = 0; i < kAnalyses; ++i) {
    if (!once().ok()) {
      std::cerr << once().status() << "\n";
      std::exit(1);
    }
  }
  return kAnalyses / absl::ToDoubleSeconds(absl::Now() - begun);
}

int Main(const std::string& program) {
  const std::string bundle = MakeBundle();
  const std::string gmon = MakeGmon();
  AnalysisInput input;
  input.run_id = 1;
  input.target = "//db:query_test";
  store::TargetData::Profile profile;
  profile.profile = {"gmon.1", std::string(40, 'b'), "gmon"};
  profile.bundle = "bundle";
  input.data.profiles.push_back(profile);
  const ReadBlob read = [&](const store::BlobName& name) -> absl::StatusOr<std::string> {
    return name == "bundle" ? bundle : gmon;
  };
  const auto stopping = [] { return false; };
  ChildOptions options;
  options.program = program;
  options.arguments = {"analysis-process"};
  AnalysisChild child(options);
  const absl::Time begun = absl::Now();
  if (const absl::Status status = child.Prepare(stopping); !status.ok()) {
    std::cerr << status << "\n";
    return 1;
  }
  std::cout << "start of a child: " << absl::FormatDuration(absl::Now() - begun) << "\n";
  double here = 0;
  double there = 0;
  for (int round = 0; round < kRounds; ++round) {
    here = std::max(here, PerSecond([&] { return AnalyzeTarget(input, read, stopping); }));
    there = std::max(there, PerSecond([&] { return child.Analyze(input, read, stopping); }));
  }
  std::cout << "analyses per second here: " << here << ", in a child: " << there
            << ", ratio: " << there / here << "\n";
  return 0;
}

}  // namespace
}  // namespace gprofhub::analyzer

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: analysis_cost gprofhub_commands\n";
    return 2;
  }
  return gprofhub::analyzer::Main(argv[1]);
}
