// Tests to run again, as arguments of Bazel.
#pragma once

#include <string>
#include <vector>

#include "proto/findings.pb.h"

namespace gprofhub::cli {

// Arguments of `bazel test`, one a line: how often, then "--" and what; nothing for an empty list.
// Parts of one test (ci/upload/results/test_events.h) are run by the test, as often as the one that
// needs it most. Targets that could not be printed are left out.
std::string BazelArguments(const std::vector<v1::Rerun>& reruns);

}  // namespace gprofhub::cli
