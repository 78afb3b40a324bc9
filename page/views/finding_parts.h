// The comparison as pages hold it, and the parts that its page shares with the pages of its
// findings.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "page/html.h"
#include "page/source_diff.h"
#include "page/views/shell.h"
#include "proto/findings.pb.h"
#include "proto/query.pb.h"
#include "reporter/rendering/test_summary.h"
#include "store/records/records.h"

namespace gprofhub::page {

// The executions of a target's test, as the pages of runs and of invocations show them.

// Badge with the test's result: Bazel's status of the first run and shard whose last attempt did
// not pass; otherwise "passed", or "flaky" if an earlier attempt did not pass. Nothing if no
// execution has a status.
Html ResultOf(const v1::Target& target);

// The number of executions; if there are several, a list of them that opens.
Html ExecutionsOf(const v1::Target& target);

// Total duration of all executions of the targets; nothing if no duration is known.
Html TestTimeOf(const std::vector<const v1::Target*>& targets);

// The anchor of this test's log on an invocation's page. It is stable, and has letters, digits and
// hyphens only, whatever characters the label has.
std::string LogPlace(absl::string_view test);

// Source diff around a finding.

// Source changes in the file that the finding is about.
struct FindingDiff {
  std::string file;                   // at the head, or at the base if it is gone; empty: unknown
  uint32_t line = 0;                  // of the finding; 0: unknown
  bool is_head = true;                // whether `line` is of the head
  bool is_read = false;               // false: the server has no source; the rest is unset
  std::vector<DiffHunk> own, others;  // of the function to blame; of the rest of the file
  std::string problem;                // why there is no diff; a sentence
};

// With its heading. Nothing if the file is unknown, or the server has no source.
Html FindingDiffView(const Context& context, const v1::Compared& compared,
                     const v1::Finding& finding, const FindingDiff& diff);

struct Comparison {
  v1::Report report;
  std::string run;   // as in the address
  std::string base;  // as in the address; empty: chosen automatically
  // Trends of the findings' functions, as far as known, by linkage name and target.
  std::map<std::pair<std::string, std::string>, v1::GetTrendResponse> trends;
  std::vector<store::AcknowledgementRecord> acknowledgements;
  // The run of each side that measured a target, by the target's label. A side merges the runs of
  // its commit, and not each of them has each target.
  std::map<std::string, std::string> base_runs, head_runs;
  v1::RunInfo head;                       // of the compared run
  std::vector<store::GatedRecord> gated;  // of the head's pull request, or else of its run
  std::vector<v1::Run> bases;             // to compare with instead, newest first
};

// The verdict in a few words with a sign, and its CSS class. Changes of whole tests decide; without
// one, the causes do.
struct Overall {
  absl::string_view kind;  // "worse", "better" or "neutral"
  absl::string_view words;
};
Overall OverallOf(const v1::Report& report, const std::vector<reporter::TestSummary>& tests);

// Whether the gate recorded the finding, and no acknowledgement covers it.
bool FailsGate(const Comparison& comparison, const v1::Finding& finding);

// The finding's location, as a link to the forge: at the head, or at the base if it is gone.
Html PlaceOfFinding(const Context& context, const v1::Report& report, const v1::Finding& finding);

// Precision of the change: "exact", or its 95% confidence interval.
Html Interval(const v1::Finding& finding);

// Author and reason of the acknowledgement; nothing without one.
Html AcknowledgedWords(const Comparison& comparison, const v1::Finding& finding);

// Calls or self time of the last runs as dots, whichever the finding is about. Nothing if they are
// unknown.
Html HistoryOf(const Comparison& comparison, const v1::Finding& finding);

}  // namespace gprofhub::page
