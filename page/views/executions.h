// How a target's test went: its executions, as the pages of runs and of invocations show them.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "page/html/html.h"
#include "proto/query.pb.h"

namespace gprofhub::page {

// How the test ended, in a badge: Bazel's word for the first of its runs and shards whose last
// attempt did not pass; else "passed", or "flaky" if an earlier attempt did not. Nothing where no
// execution says a word.
Html ResultOf(const v1::Target& target);

// How many executions there are; where there are several, a list of them that opens.
Html ExecutionsOf(const v1::Target& target);

// How long all executions of the targets ran together; nothing where it is known of none.
Html TestTimeOf(const std::vector<const v1::Target*>& targets);

// The label that Bazel knows: that of a benchmark's case without the case.
std::string TestOf(absl::string_view label);

// The id, on the page of an invocation, of the end of this test's log. It is the same on every
// page, and has letters, digits and hyphens only, whatever the label has.
std::string LogPlace(absl::string_view test);

}  // namespace gprofhub::page
