// One commit's measurement: Bazel builds and runs the test, profiled.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "cli/bisect/search/bisect.h"
#include "cli/bisect/state.h"

namespace gprofhub::cli {

struct TestRun {
  std::string bazel = "bazel";
  std::string workspace;  // folder with the commit checked out
  std::string files;      // folder for Bazel's log and build events; it exists
};

// Runs the test of `setting` `runs` times and counts the calls in question. A commit that cannot be
// judged is `skipped`: the target does not exist or does not build, the test fails or leaves no
// profile. An error is not the commit's fault: NOT_FOUND without a bazel, CANCELLED after an
// interrupt, UNAVAILABLE where Bazel itself fails; it names the log.
absl::StatusOr<Measurement> RunTest(const TestRun& test, const Setting& setting, uint32_t runs);

}  // namespace gprofhub::cli
