// The reporter's texts, numbers and names, as pieces of pages.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "page/html/html.h"
#include "proto/findings.pb.h"
#include "proto/query.pb.h"

namespace gprofhub::page {

// A reporter::Quote that marks a name so that MarkedText finds it.
std::string MarkName(absl::string_view name);

// Text of the reporter, with its marked names as code.
Html MarkedText(absl::string_view text);

// A function's name, shortened; the tooltip has the full name.
Html FunctionCode(absl::string_view display);

// The first 10 digits.
std::string ShortCommit(absl::string_view commit);

// "2026-11-24 00:10 UTC", in a <time> element.
Html When(int64_t unix_ms);

// A short word on a coloured background: "better", "worse" or "neutral".
Html Badge(absl::string_view css_class, const Html& words);

// "regressed", with its CSS class; a sign accompanies the colour.
Html VerdictBadge(v1::Finding::Verdict verdict);

// A target's state: "analysed", "pending", "failed".
Html StateBadge(v1::Target::State state);

// A test's result, by Bazel's status, such as "PASSED".
Html ResultBadge(absl::string_view status);

// As in reporter/text/numbers.h.
Html Count(double count);
Html Effect(const v1::Finding& finding);

// "3 functions follow".
Html FollowersWords(uint64_t followers);

// Calls of the function with this linkage name as a number; a quantity with its unit.
Html CountOf(absl::string_view linkage_name, double count);

// "Calls", "Bytes", "Time": the unit of the counts of the function with this linkage name.
std::string UnitTitle(absl::string_view linkage_name);

// "calls", "bytes", "own time", "time with everything called", "instructions".
std::string MetricWords(const v1::Finding& finding);
// `value` is the finding's before or after.
std::string ValueWords(const v1::Finding& finding, double value);

}  // namespace gprofhub::page
