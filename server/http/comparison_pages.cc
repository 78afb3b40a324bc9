#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/memory_budget.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "page/call_graph.h"
#include "page/source_diff.h"
#include "page/views/finding.h"
#include "page/views/shell.h"
#include "page/views/views.h"
#include "proto/findings.pb.h"
#include "proto/query.pb.h"
#include "reporter/findings/findings.h"
#include "reporter/findings/function_rows.h"
#include "reporter/findings/text.h"
#include "reporter/queries/compare_runs.h"
#include "reporter/queries/gate.h"
#include "reporter/queries/runs.h"
#include "reporter/queries/trends.h"
#include "server/http/function_page.h"
#include "server/http/target_data.h"
#include "server/http/target_pages.h"

namespace gprofhub::server {

namespace {

// The source of both commits where a finding is.

// Never fails: a page without the source contains the reason. `evidence` has both head and base.
page::FindingDiff ReadFindingDiff(const PageCall& call, const v1::Compared& compared,
                                  const page::FindingEvidence& evidence);

// Memory of a line during comparison and output, in addition to its text.
constexpr uint64_t kBytesOfLine = 256;

// A file that one side does not have is empty there.
absl::StatusOr<SourceText> ReadSide(const PageCall& call, const std::string& commit,
                                    const std::string& file) {
  const absl::StatusOr<SourceText> text =
      call.sources.read_source(call.context.project, commit, file);
  if (absl::IsNotFound(text.status())) return std::make_shared<const std::string>();
  return text;
}

absl::StatusOr<std::vector<page::DiffHunk>> ReadHunks(const PageCall& call,
                                                      const v1::Compared& compared,
                                                      const std::string& file_before,
                                                      const std::string& file_after) {
  ASSIGN_OR_RETURN(const SourceText before, ReadSide(call, compared.base().commit(), file_before));
  ASSIGN_OR_RETURN(const SourceText after, ReadSide(call, compared.head().commit(), file_after));
  if (before->empty() && after->empty()) {
    return absl::NotFoundError("neither commit has the file");
  }
  const uint64_t size = before->size() + after->size();
  RETURN_IF_ERROR(call.store().blobs.decoding().Take(size + size / 16 * kBytesOfLine).status());
  return page::HunksBetween(*before, *after);
}

const page::FunctionLines* BlamedOf(const std::optional<page::SideEntry>& side) {
  return side.has_value() && side->blamed.has_value() ? &*side->blamed : nullptr;
}

page::FindingDiff ReadFindingDiff(const PageCall& call, const v1::Compared& compared,
                                  const page::FindingEvidence& evidence) {
  page::FindingDiff diff;
  const v1::Finding& finding = evidence.finding;
  if (compared.base().commit().empty() || compared.head().commit().empty()) return diff;
  const page::FunctionLines* const before = BlamedOf(evidence.before);
  const page::FunctionLines* const after = BlamedOf(evidence.after);
  // The line of what is gone is the base's.
  const bool is_gone = finding.verdict() == v1::Finding::VANISHED || finding.after() == 0;
  diff.is_head = !is_gone && (after != nullptr || before == nullptr);
  diff.file = std::string(absl::StripPrefix(finding.site().file(), "./"));
  diff.line = finding.site().line();
  if (diff.file.empty()) {
    if (after == nullptr && before == nullptr) return diff;
    diff.file = after != nullptr ? after->file : before->file;
    diff.line = 0;
  }
  const bool is_open = call.visits.PermitSource(call.visitor, call.context.project).ok();
  if (call.sources.read_source == nullptr || !is_open) return diff;
  diff.is_read = true;
  // The file may have been renamed.
  const std::string& file_before = before != nullptr ? before->file : diff.file;
  const std::string& file_after = after != nullptr ? after->file : diff.file;
  absl::StatusOr<std::vector<page::DiffHunk>> hunks =
      ReadHunks(call, compared, file_before, file_after);
  if (!hunks.ok()) {
    diff.problem =
        absl::StrCat("The lines cannot be shown: ", base::PublicMessageOf(hunks.status()), ".");
    return diff;
  }
  const page::LineSpan of_before = before != nullptr ? before->lines : page::LineSpan();
  const page::LineSpan of_after = after != nullptr ? after->lines : page::LineSpan();
  for (page::DiffHunk& hunk : *hunks) {
    auto& place = page::Touches(hunk, of_before, of_after) ? diff.own : diff.others;
    place.push_back(std::move(hunk));
  }
  return diff;
}

constexpr uint32_t kHistoryRuns = 50;
// Runs to search for bases to choose from.
constexpr uint32_t kBases = 30;
// Cards beyond these have their history on the finding's own page.
constexpr size_t kCardsWithHistory = 5;

// The runs that measured the targets of one side: the compared run, or other runs of its commit.
absl::StatusOr<std::map<std::string, std::string>> ReadMeasuringRuns(
    const PageCall& call, const v1::Compared& compared, const v1::Compared::Side& side) {
  std::map<std::string, std::string> measuring;
  int64_t id = 0;
  if (!absl::SimpleAtoi(side.run_id(), &id)) return measuring;
  const store::Reading& reading = call.store().reading;
  const auto add = [&](int64_t run) -> absl::Status {
    ASSIGN_OR_RETURN(const std::vector<store::TargetRecord> targets, reading.ListTargets(run));
    for (const store::TargetRecord& target : targets) {
      if (!target.computed.empty()) measuring.emplace(target.label, absl::StrCat(run));
    }
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(add(id));
  const bool has_all = absl::c_all_of(compared.targets(), [&measuring](const std::string& target) {
    return measuring.contains(target);
  });
  if (has_all || side.runs() < 2) return measuring;
  ASSIGN_OR_RETURN(const store::RunRecord run, reading.ReadRun(id));
  store::RunFilter filter;
  filter.project = call.context.project;
  filter.commit = run.commit;
  filter.configuration = run.configuration;
  filter.counted_only = true;
  ASSIGN_OR_RETURN(const std::vector<store::RunRecord> repetitions, reading.ListRuns(filter));
  for (const store::RunRecord& one : repetitions) {
    if (one.pull_request == run.pull_request) RETURN_IF_ERROR(add(one.id));
  }
  return measuring;
}

// The report and what belongs to it, but for histories.
absl::StatusOr<page::Comparison> ReadComparison(const PageCall& call) {
  page::Comparison comparison;
  comparison.run = call.request.path[3];
  comparison.base = call.request.Query("base");
  v1::CompareRequest request;
  request.set_project(call.context.project);
  request.set_head(comparison.run);
  request.set_base(comparison.base);
  ASSIGN_OR_RETURN(v1::Report report,
                   reporter::CompareRuns(call.store().reading, call.store().blobs, request,
                                         &call.store().memory->queries));
  comparison.report = std::move(report);
  v1::ListAcknowledgementsRequest said_request;
  said_request.set_project(call.context.project);
  ASSIGN_OR_RETURN(const v1::ListAcknowledgementsResponse said,
                   reporter::ListAcknowledgements(call.store().gate, said_request));
  for (const v1::Acknowledgement& one : said.acknowledgements()) {
    comparison.acknowledgements.push_back(reporter::ToRecord(one));
  }
  const v1::Compared& compared = comparison.report.compared();
  ASSIGN_OR_RETURN(comparison.base_runs, ReadMeasuringRuns(call, compared, compared.base()));
  ASSIGN_OR_RETURN(comparison.head_runs, ReadMeasuringRuns(call, compared, compared.head()));
  v1::GetRunRequest head_request;
  head_request.set_project(call.context.project);
  head_request.set_run(compared.head().run_id());
  ASSIGN_OR_RETURN(v1::Run head, reporter::GetRun(call.store().reading, head_request));
  comparison.head = std::move(*head.mutable_info());
  ASSIGN_OR_RETURN(comparison.gated, call.store().gate.ListGated(call.context.project));
  std::erase_if(comparison.gated, [&](const store::GatedRecord& one) {
    return one.pull_request.empty() ? absl::StrCat(one.run_id) != head.run_id()
                                    : one.pull_request != comparison.head.pull_request();
  });
  return comparison;
}

// Recent runs of the base's branch, or of the main branch without a base.
absl::Status AddBases(const PageCall& call, page::Comparison& comparison) {
  const v1::Compared& compared = comparison.report.compared();
  v1::ListRunsRequest request;
  request.set_project(call.context.project);
  request.set_branch(compared.base().branch());
  if (request.branch().empty()) {
    ASSIGN_OR_RETURN(const std::string main,
                     call.store().reading.FindMainBranch(call.context.project));
    if (main.empty()) return absl::OkStatus();
    request.set_branch(main);
  }
  request.set_limit(kBases);
  ASSIGN_OR_RETURN(const v1::ListRunsResponse runs,
                   reporter::ListRuns(call.store().reading, request));
  for (const v1::Run& run : runs.runs()) {
    if (run.info().pull_request().empty() && run.info().commit() != compared.head().commit() &&
        run.info().configuration() == compared.configuration()) {
      comparison.bases.push_back(run);
    }
  }
  return absl::OkStatus();
}

// Without the trend, the page is shown without the picture.
void AddTrend(const PageCall& call, const v1::Finding& finding, page::Comparison& comparison) {
  v1::GetTrendRequest request;
  request.set_project(call.context.project);
  request.set_function(finding.function());
  request.set_target(finding.target());
  request.set_limit(kHistoryRuns);
  request.set_run_id(comparison.report.compared().head().run_id());
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

// The profile of one side; nothing where it cannot be read. `runs`: the runs that measured a
// target.
std::optional<page::SideEntry> ReadSide(const PageCall& call,
                                        const std::map<std::string, std::string>& runs,
                                        const v1::Finding& finding) {
  const auto run = runs.find(finding.target());
  if (run == runs.end()) return std::nullopt;
  const absl::StatusOr<TargetOfRun> target =
      FindTargetOfRun(call.store(), call.context.project, run->second, finding.target());
  if (!target.ok()) return std::nullopt;
  const absl::StatusOr<KeptProfile> profile = ReadComputed(call.store(), *target);
  if (!profile.ok()) return std::nullopt;
  return page::SideEntryOf(run->second, **profile, finding);
}

// With the paths of the runs that measured the finding's target.
absl::StatusOr<v1::Explanation> ReadExplanation(const PageCall& call,
                                                const page::Comparison& comparison,
                                                const v1::Finding& finding) {
  v1::Report report = comparison.report;
  const auto take = [&finding](const std::map<std::string, std::string>& runs,
                               v1::Compared::Side& side) {
    const auto run = runs.find(finding.target());
    if (run != runs.end()) side.set_run_id(run->second);
  };
  take(comparison.base_runs, *report.mutable_compared()->mutable_base());
  take(comparison.head_runs, *report.mutable_compared()->mutable_head());
  return reporter::ExplainIn(call.store().reading, call.store().blobs, call.context.project, report,
                             finding, &call.store().memory->queries);
}

}  // namespace

absl::StatusOr<PageAnswer> ComparisonPage(PageCall& call) {
  ASSIGN_OR_RETURN(page::Comparison comparison, ReadComparison(call));
  size_t with_history = 0;
  for (const reporter::FunctionRow& row : reporter::GroupByFunction(comparison.report)) {
    if (with_history == kCardsWithHistory || row.kind != reporter::FindingKind::kCause) break;
    AddTrend(call, reporter::MainFinding(row), comparison);
    ++with_history;
  }
  RETURN_IF_ERROR(AddBases(call, comparison));
  return Show(call, ComparisonFrame(call, comparison, page::ComparisonTitle(comparison)),
              page::ComparisonView(call.context, comparison));
}

absl::StatusOr<PageAnswer> FindingPage(PageCall& call) {
  ASSIGN_OR_RETURN(page::Comparison comparison, ReadComparison(call));
  ASSIGN_OR_RETURN(v1::Finding finding,
                   reporter::FindFinding(comparison.report, call.request.path[4]));
  const v1::Compared& compared = comparison.report.compared();
  page::FindingEvidence evidence;
  evidence.finding = std::move(finding);
  absl::StatusOr<v1::Explanation> explanation = ReadExplanation(call, comparison, evidence.finding);
  if (explanation.ok()) evidence.explanation = *std::move(explanation);
  evidence.before = ReadSide(call, comparison.base_runs, evidence.finding);
  evidence.after = ReadSide(call, comparison.head_runs, evidence.finding);
  evidence.pull_request = comparison.head.pull_request();
  evidence.diff = ReadFindingDiff(call, compared, evidence);
  AddTrend(call, evidence.finding, comparison);
  const std::string& display = evidence.finding.function_display();
  const std::string comparison_title = page::ComparisonTitle(comparison);
  page::Frame frame = ComparisonFrame(
      call, comparison,
      absl::StrCat(reporter::FunctionName(display.empty() ? evidence.finding.function() : display),
                   " · ", comparison_title));
  frame.way.emplace_back(comparison_title,
                         page::CompareUrl(call.context.project, comparison.run, comparison.base));
  return Show(call, frame, page::FindingView(call.context, comparison, evidence));
}

}  // namespace gprofhub::server
