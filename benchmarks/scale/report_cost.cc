// Cost of a report: a store is filled with runs of a branch and one of a pull request, in half of
// whose targets something changed, and the pull request's run is compared with its baseline.
// Compared, in turns, with reading and decoding the same profiles only.
//
//   report_cost FOLDER TARGETS FUNCTIONS RUNS     on SQLite, in an empty folder
//   report_cost postgres TARGETS FUNCTIONS RUNS   on a PostgreSQL server that it starts
//
// RUNS of the branch are compared with: 1 is the base alone, 13 a base with a window of 12.
// The profiles are made. Each function has three arcs, counts that stay, and samples that scatter.
// Of a target that changed one function in 50 is called more often. The others have the binary that
// they had.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "benchmarks/scale/filled_store.h"
#include "benchmarks/scale/measuring.h"
#include "profile/codec/computed.h"
#include "profile/computed.h"
#include "reporter/queries/compare_runs.h"
#include "store/testing/temp_store.h"

namespace gprofhub::scale {
namespace {

constexpr int kRequests = 5;
constexpr int kArcs = 3;

struct Size {
  int targets = 0;
  int functions = 0;
  int runs = 0;  // of the branch; the pull request's is one more
};

std::string LabelOf(int target) { return absl::StrCat("//t", target, ":test"); }
bool Changed(int target) { return target % 2 == 0; }

// Half of a target's functions are those of a library that all targets use.
std::string NameOf(int target, int function) {
  return function % 2 == 0
             ? absl::StrCat("_ZN4base8internal8functionILi", function, "EEEvRKNS_6OptionE")
             : absl::StrCat("_ZN7project4t", target, "8function", function, "Ev");
}

profile::ComputedProfile ProfileOf(int target, const Size& size, bool changed,
                                   std::mt19937_64& random) {
  profile::ComputedProfile profile;
  profile.sample_rate = 2000;
  profile.profiles = 1;
  profile.strings = {"", "/bin/test"};
  for (int i = 0; i < 10; ++i) profile.strings.push_back(absl::StrCat("project/file", i, ".cc"));
  const auto functions = static_cast<uint32_t>(size.functions);
  for (uint32_t i = 0; i < functions; ++i) {
    profile::FunctionCost function;
    function.name = static_cast<uint32_t>(profile.strings.size());
    profile.strings.push_back(NameOf(target, static_cast<int>(i)));
    function.file = 2 + i % 10;
    function.line = i;
    function.image = 1;
    function.size = 64 + i % 512;
    function.code = i + 1;
    function.calls = (i + 1) * 10;
    if (changed && i % 50 == 7) function.calls += function.calls / 3;
    const double level = 40000.0 / functions / (1.0 + i % 20);
    std::poisson_distribution<int> noise(level);
    function.self_samples = noise(random);
    function.child_samples = 0.3 * noise(random);
    profile.total_samples += function.self_samples;
    profile.functions.push_back(function);
  }
  for (uint32_t caller = 0; caller < functions; ++caller) {
    for (uint32_t k = 1; k <= kArcs; ++k) {
      const uint32_t callee = (caller * 7 + k) % functions;
      uint64_t count = profile.functions[callee].calls / kArcs;
      profile.arcs.push_back({caller, callee, 2 + caller % 10, caller + k, 16 * k, count,
                              profile.functions[callee].self_samples / kArcs, 0});
    }
  }
  return profile;
}

void AddRun(const store::Store& store, const Size& size, int run, std::mt19937_64& random) {
  const bool is_head = run == size.runs;
  for (int target = 0; target < size.targets; ++target) {
    store::NewExecution execution = ExecutionOf(run, LabelOf(target));
    if (is_head) {
      execution.run.branch = "change";
      execution.run.pull_request = "17";
      execution.run.base_commit = CommitOf(run - 1);
    }
    for (int i = run - (is_head ? 2 : 1); i >= 0; --i) {
      execution.run.ancestors.push_back(CommitOf(i));
    }
    execution.execution.test_binary_digest =
        absl::StrCat("digest", target, "-", Changed(target) ? run : 0);
    store::AnalysisResult result;
    result.computed = store::MakeBlob(profile::EncodeComputedProfile(
        ProfileOf(target, size, is_head && Changed(target), random)));
    AddAnalyzed(store, execution, std::move(result));
  }
}

// The profiles that a report on the head needs: read and decoded, one after the other.
void OnlyRead(const store::Store& store, const Size& size) {
  store::RunFilter filter;
  filter.project = kProject;
  filter.limit = static_cast<uint32_t>(size.runs + 1);
  for (const store::RunRecord& run : OrDie(store.reading.ListRuns(filter))) {
    for (const store::TargetRecord& target : OrDie(store.reading.ListTargets(run.id))) {
      int number = 0;
      if (!absl::SimpleAtoi(target.label.substr(3, target.label.find(':') - 3), &number)) continue;
      if (!Changed(number)) continue;
      OrDie(profile::DecodeComputedProfile(OrDie(store.blobs.Read(target.computed))).status());
    }
  }
}

void Measure(const store::Store& store, const Size& size) {
  v1::CompareRequest request;
  request.set_project(kProject);
  request.set_head(absl::StrCat(size.runs + 1));
  std::vector<double> report, only_read, processor;
  long peak = 0;
  int findings = 0;
  for (int i = 0; i < kRequests; ++i) {
    ForgetPeak();
    const long before = PeakMegabytes();
    const double cpu = ProcessorMilliseconds();
    report.push_back(MillisecondsOf([&] {
      findings = OrDie(reporter::CompareRuns(store.reading, store.blobs, request)).findings_size();
    }));
    processor.push_back(ProcessorMilliseconds() - cpu);
    peak = std::max(peak, PeakMegabytes() - before);
    only_read.push_back(MillisecondsOf([&] { OnlyRead(store, size); }));
  }
  absl::PrintF("report: %.0f ms, processor %.0f ms, %d MB more; %d findings\n",
               Quantile(report, 0.5), Quantile(processor, 0.5), peak, findings);
  absl::PrintF("only read and decoded, in one thread: %.0f ms; ratio %.2f\n",
               Quantile(only_read, 0.5), Quantile(report, 0.5) / Quantile(only_read, 0.5));
}

int Main(const std::string& where, const Size& size) {
  const OpenedStore opened = OpenAt(where);
  std::mt19937_64 random(1);
  if (opened.is_empty) {
    for (int run = 0; run <= size.runs; ++run) AddRun(opened.store, size, run, random);
  }
  std::cout << MachineNow() << "\n";
  Measure(opened.store, size);
  std::cout << MachineNow() << "\n";
  return 0;
}

}  // namespace
}  // namespace gprofhub::scale

int main(int argc, char** argv) {
  gprofhub::scale::Size size;
  if (argc != 5 || !absl::SimpleAtoi(argv[2], &size.targets) ||
      !absl::SimpleAtoi(argv[3], &size.functions) || !absl::SimpleAtoi(argv[4], &size.runs) ||
      size.runs < 1 || size.functions < 10) {
    std::cerr << "usage: report_cost FOLDER|postgres TARGETS FUNCTIONS RUNS\n";
    return 2;
  }
  return gprofhub::scale::Main(argv[1], size);
}
