// Stores with runs that are made up, always the same: what the pages' pictures are taken of, and
// what their speed is measured with.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace gprofhub::tests {

// Into an empty folder: project "acme" with a history of 40 runs, a pull request and what people
// said about it; project "hostile", whose names are an attacker's, wherever a run has names.
absl::Status MakeSmallStore(const std::string& folder);

// Projects "targets" (a run of 1,000 targets), "findings" (a comparison with 500 of them), "frames"
// (a flame graph of 50,000) and "runs" (a history of so many runs).
absl::Status MakeLargeStore(const std::string& folder, int runs);

}  // namespace gprofhub::tests
