// The executions of a target's test, as the pages of runs and of invocations show them.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "page/html/html.h"
#include "proto/query.pb.h"

namespace gprofhub::page {

// Badge with the test's result: Bazel's status of the first run and shard whose last attempt did
// not pass; otherwise "passed", or "flaky" if an earlier attempt did not pass. Nothing if no
// execution has a status.
Html ResultOf(const v1::Target& target);

// The number of executions; if there are several, a list of them that opens.
Html ExecutionsOf(const v1::Target& target);

// Total duration of all executions of the targets; nothing if no duration is known.
Html TestTimeOf(const std::vector<const v1::Target*>& targets);

// The label that Bazel knows: without the case of a benchmark.
std::string TestOf(absl::string_view label);

// The anchor of this test's log on an invocation's page. It is stable, and has letters, digits and
// hyphens only, whatever characters the label has.
std::string LogPlace(absl::string_view test);

}  // namespace gprofhub::page
