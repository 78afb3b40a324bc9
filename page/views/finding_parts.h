// The comparison as pages hold it, and the parts that its page shares with the pages of its
// findings.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "page/html/html.h"
#include "page/views/shell.h"
#include "proto/findings.pb.h"
#include "proto/query.pb.h"
#include "reporter/rendering/function_rows.h"
#include "store/records/records.h"

namespace gprofhub::page {

struct Comparison {
  v1::Report report;
  std::string run;   // as in the address
  std::string base;  // as in the address; empty: chosen automatically
  // Trends of the findings' functions, as far as known, by linkage name and target.
  std::map<std::pair<std::string, std::string>, v1::GetTrendResponse> trends;
  std::vector<store::AcknowledgementRecord> acknowledgements;
};

// The verdict in one word with a sign, and its CSS class.
struct Overall {
  absl::string_view kind;  // "worse", "better" or "neutral"
  absl::string_view words;
};
Overall OverallOf(const std::vector<reporter::FunctionRow>& rows);

// The finding's location, as a link to the forge: at the head, or at the base if it is gone.
Html PlaceOfFinding(const Context& context, const v1::Report& report, const v1::Finding& finding);

// Precision of the change: "exact", or its 95% confidence interval.
Html Interval(const v1::Finding& finding);

// Author and reason of the acknowledgement; nothing without one.
Html AcknowledgedWords(const Comparison& comparison, const v1::Finding& finding);

// The calls of the last runs as dots. Nothing if they are unknown.
Html HistoryOf(const Comparison& comparison, const v1::Finding& finding);

}  // namespace gprofhub::page
