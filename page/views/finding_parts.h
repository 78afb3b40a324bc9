// A comparison as pages have it, and what its page and those of its findings both say.
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
  std::string run;   // as the address names it
  std::string base;  // likewise; empty: the baseline is chosen
  // Of findings' functions, by linkage name and target; those that are known.
  std::map<std::pair<std::string, std::string>, v1::GetTrendResponse> trends;
  std::vector<store::AcknowledgementRecord> acknowledgements;
};

// The verdict in a word with a sign, and the class that colours it.
struct Overall {
  absl::string_view kind;  // "worse", "better" or "neutral"
  absl::string_view words;
};
Overall OverallOf(const std::vector<reporter::FunctionRow>& rows);

// Where the finding is, as a link to the forge: at the head, or at the base if it is gone.
Html PlaceOfFinding(const Context& context, const v1::Report& report, const v1::Finding& finding);

// How sure the change is: "exact", or its interval of 95%.
Html Interval(const v1::Finding& finding);

// Who said that it is all right, and why; nothing where nobody did.
Html AcknowledgedWords(const Comparison& comparison, const v1::Finding& finding);

// The calls of the last runs as dots. Nothing where they are not known.
Html HistoryOf(const Comparison& comparison, const v1::Finding& finding);

}  // namespace gprofhub::page
