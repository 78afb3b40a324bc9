#include "cli/serve/http/pages/comparison_pages.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/serve/http/data/target_data.h"
#include "cli/serve/http/pages/finding_diff.h"
#include "page/views/addresses.h"
#include "page/views/comparison.h"
#include "page/views/finding.h"
#include "reporter/findings/find_finding.h"
#include "reporter/queries/compare_runs.h"
#include "reporter/queries/explain.h"
#include "reporter/queries/gate.h"
#include "reporter/queries/runs.h"
#include "reporter/queries/trends/trend.h"
#include "reporter/rendering/function_rows.h"

namespace gprofhub::cli {
namespace {

constexpr uint32_t kHistoryRuns = 50;
// Cards beyond these have their history on the finding's own page.
constexpr size_t kCardsWithHistory = 5;

// The report and what belongs to it, but for histories.
absl::StatusOr<page::Comparison> ReadComparison(const PageCall& call) {
  page::Comparison comparison;
  comparison.run = call.request.path[3];
  comparison.base = call.request.Query("base");
  v1::CompareRequest request;
  request.set_project(call.context.project);
  request.set_head(comparison.run);
  request.set_base(comparison.base);
  absl::StatusOr<v1::Report> report = reporter::CompareRuns(
      call.store().reading, call.store().blobs, request, &call.store().memory->queries);
  if (!report.ok()) return report.status();
  comparison.report = *std::move(report);
  v1::ListAcknowledgementsRequest said_request;
  said_request.set_project(call.context.project);
  const absl::StatusOr<v1::ListAcknowledgementsResponse> said =
      reporter::ListAcknowledgements(call.store().gate, said_request);
  if (!said.ok()) return said.status();
  for (const v1::Acknowledgement& one : said->acknowledgements()) {
    comparison.acknowledgements.push_back(reporter::ToRecord(one));
  }
  return comparison;
}

// Without the trend, the page is shown without the picture.
void AddTrend(const PageCall& call, const v1::Finding& finding, page::Comparison& comparison) {
  v1::GetTrendRequest request;
  request.set_project(call.context.project);
  request.set_function(finding.function());
  request.set_target(finding.target());
  request.set_limit(kHistoryRuns);
  absl::StatusOr<v1::GetTrendResponse> trend = reporter::GetTrend(
      call.store().reading, call.store().blobs, request, &call.store().memory->queries);
  if (trend.ok()) {
    comparison.trends[{finding.function(), finding.target()}] = *std::move(trend);
  }
}

page::Frame ComparisonFrame(const PageCall& call, const page::Comparison& comparison,
                            const std::string& title) {
  page::Frame frame = {title, "runs"};
  const std::string& head = comparison.report.compared().head().run_id();
  frame.way.emplace_back(absl::StrCat("Run ", head), page::RunUrl(call.context.project, head));
  return frame;
}

// The function in the run of one side; nothing where that is not known.
std::optional<page::SideEntry> ReadSide(const PageCall& call, const std::string& run,
                                        const v1::Finding& finding) {
  if (run.empty()) return std::nullopt;
  const absl::StatusOr<TargetOfRun> target =
      FindTargetOfRun(call.store(), call.context.project, run, finding.target());
  if (!target.ok()) return std::nullopt;
  const absl::StatusOr<KeptProfile> profile = ReadComputed(call.store(), *target);
  if (!profile.ok()) return std::nullopt;
  return page::SideEntryOf(**profile, finding);
}

// The pull request of the run; empty: none.
std::string PullRequestOf(const PageCall& call, const std::string& run) {
  v1::GetRunRequest request;
  request.set_project(call.context.project);
  request.set_run(run);
  const absl::StatusOr<v1::Run> found = reporter::GetRun(call.store().reading, request);
  return found.ok() ? found->info().pull_request() : "";
}

}  // namespace

absl::StatusOr<PageAnswer> ComparisonPage(PageCall& call) {
  absl::StatusOr<page::Comparison> comparison = ReadComparison(call);
  if (!comparison.ok()) return comparison.status();
  size_t with_history = 0;
  for (const reporter::FunctionRow& row : reporter::GroupByFunction(comparison->report)) {
    if (with_history == kCardsWithHistory || row.kind != reporter::FindingKind::kCause) break;
    AddTrend(call, reporter::MainFinding(row), *comparison);
    ++with_history;
  }
  return Show(call, ComparisonFrame(call, *comparison, "What changed"),
              page::ComparisonView(call.context, *comparison));
}

absl::StatusOr<PageAnswer> FindingPage(PageCall& call) {
  absl::StatusOr<page::Comparison> comparison = ReadComparison(call);
  if (!comparison.ok()) return comparison.status();
  absl::StatusOr<v1::Finding> finding =
      reporter::FindFinding(comparison->report, call.request.path[4]);
  if (!finding.ok()) return finding.status();
  const v1::Compared& compared = comparison->report.compared();
  page::FindingEvidence evidence;
  evidence.finding = *std::move(finding);
  absl::StatusOr<v1::Explanation> explanation = reporter::ExplainIn(
      call.store().reading, call.store().blobs, call.context.project, compared, evidence.finding);
  if (explanation.ok()) evidence.explanation = *std::move(explanation);
  evidence.before = ReadSide(call, compared.base().run_id(), evidence.finding);
  evidence.after = ReadSide(call, compared.head().run_id(), evidence.finding);
  evidence.pull_request = PullRequestOf(call, compared.head().run_id());
  evidence.diff = ReadFindingDiff(call, compared, evidence);
  AddTrend(call, evidence.finding, *comparison);
  page::Frame frame = ComparisonFrame(call, *comparison, "Finding");
  frame.way.emplace_back("What changed",
                         page::CompareUrl(call.context.project, comparison->run, comparison->base));
  return Show(call, frame, page::FindingView(call.context, *comparison, evidence));
}

}  // namespace gprofhub::cli
