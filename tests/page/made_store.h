// Stores with synthetic runs, always the same: for the pages' screenshots, and for measuring their
// speed.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace gprofhub::tests {

// Two commits that have the files of project "sourced" (tests/page/checkout.sh).
struct SourceCommits {
  std::string base, head;
};

// Into an empty folder: project "acme" with a history of 40 runs, a pull request with
// acknowledgements, and a flaky test; project "hostile", with an attacker's names wherever a run
// has names; and, if there are commits, project "sourced" with a run of each.
absl::Status MakeSmallStore(const std::string& folder, const SourceCommits& commits = {});

// Project kKindsProject: two runs whose comparison has findings of every kind.
inline constexpr char kKindsProject[] = "every/kind";
absl::Status MakeKindsStore(const std::string& folder);

// Projects "targets" (a run of 1,000 targets), "findings" (a comparison with 500 of them), "frames"
// (a flame graph of 50,000) and "runs" (a history of `runs` runs).
absl::Status MakeLargeStore(const std::string& folder, int runs);

}  // namespace gprofhub::tests
