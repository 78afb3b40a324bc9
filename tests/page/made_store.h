// Stores with runs that are made up, always the same: what the pages' pictures are taken of, and
// what their speed is measured with.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace gprofhub::tests {

// Two commits that have the files of project "sourced" (tests/page/checkout.sh).
struct SourceCommits {
  std::string base, head;
};

// Into an empty folder: project "acme" with a history of 40 runs, a pull request and what people
// said about it, and a flaky test; project "hostile", whose names are an attacker's,
// wherever a run has names; and, if there are commits, project "sourced" with a run of each.
absl::Status MakeSmallStore(const std::string& folder, const SourceCommits& commits = {});

// Projects "targets" (a run of 1,000 targets), "findings" (a comparison with 500 of them), "frames"
// (a flame graph of 50,000) and "runs" (a history of so many runs).
absl::Status MakeLargeStore(const std::string& folder, int runs);

}  // namespace gprofhub::tests
