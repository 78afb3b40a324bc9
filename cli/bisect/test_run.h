// One commit's measurement: Bazel builds and runs the test, profiled.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/bisect/bisect.h"
#include "cli/bisect/result_text.h"
#include "profile/computed.h"
#include "profile/names.h"

namespace gprofhub::cli {

// The rows of a function and its clones, ascending.
std::vector<uint32_t> RowsOf(const profile::ComputedProfile& profile, absl::string_view name,
                             profile::CloneKinds kinds = profile::CloneKinds::kAll);

// Counts the calls in question in a profile.

// Calls per execution. A function's clones count as the function; its calls to its own clones do
// not count. 0 if the function is not called, or does not exist.
double CountCalls(const profile::ComputedProfile& profile, const Question& question);

// Another program, run to its end.

// Runs words[0], found in PATH, in `folder`, without a shell, with its output in `log_file`.
// Returns its exit code. NOT_FOUND if it cannot be started, CANCELLED if a signal ended it.
absl::StatusOr<int> RunProgram(const std::vector<std::string>& words, const std::string& folder,
                               const std::string& log_file);

struct TestRun {
  std::string bazel = "bazel";
  std::string workspace;  // folder with the commit checked out
  std::string files;      // folder for Bazel's log and build events; it exists
};

// Result of running a test.
struct TestProfiles {
  std::vector<profile::ComputedProfile> profiles;  // one per run of the test
  std::string skipped;  // the reason why there are none, as a clause; empty: there are
};

// Runs the test of `setting` `runs` times. A tree that cannot be judged is `skipped`: the target
// does not exist or does not build, the test fails or leaves no profile. An error is not the tree's
// fault: NOT_FOUND without a bazel, CANCELLED after an interrupt, UNAVAILABLE where Bazel itself
// fails; it names the log.
absl::StatusOr<TestProfiles> RunTest(const TestRun& test, const Setting& setting, uint32_t runs);

// The same, and counts the calls in question.
absl::StatusOr<Measurement> MeasureCalls(const TestRun& test, const Setting& setting,
                                         uint32_t runs);

}  // namespace gprofhub::cli
