#include "cli/output/make_report.h"

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/client/query_client.h"
#include "cli/local/profiles.h"
#include "reporter/comparison/compare_sides.h"
#include "reporter/explanation/explain.h"
#include "reporter/findings/find_finding.h"

namespace gprofhub::cli {
namespace {

constexpr char kLocalTarget[] = "local";

absl::StatusOr<reporter::ComparisonSide> ReadSide(const std::string& path,
                                                  const std::string& image) {
  absl::StatusOr<std::vector<profile::ComputedProfile>> runs = ReadLocalRuns(path, image);
  if (!runs.ok()) return runs.status();
  reporter::ComparisonSide side;
  side.about.set_run_id(path);
  side.about.set_executions(static_cast<uint32_t>(runs->size()));
  side.targets.emplace(kLocalTarget, *std::move(runs));
  return side;
}

struct LocalSides {
  reporter::ComparisonSide base, head;
};

absl::StatusOr<LocalSides> ReadSides(const ComparisonRequest& request) {
  absl::StatusOr<reporter::ComparisonSide> base = ReadSide(request.base, request.image);
  if (!base.ok()) return base.status();
  absl::StatusOr<reporter::ComparisonSide> head = ReadSide(request.head, request.image);
  if (!head.ok()) return head.status();
  return LocalSides{*std::move(base), *std::move(head)};
}

absl::StatusOr<v1::Report> CompareLocal(const ComparisonRequest& request) {
  const absl::StatusOr<LocalSides> sides = ReadSides(request);
  if (!sides.ok()) return sides.status();
  reporter::CompareOptions options;
  options.most_findings = request.limit;
  v1::Report report = reporter::CompareSides(sides->base, sides->head, options);
  report.mutable_compared()->set_baseline_reason("given");
  return report;
}

absl::StatusOr<v1::Explanation> ExplainLocal(const ComparisonRequest& request,
                                             const std::string& id) {
  const absl::StatusOr<LocalSides> sides = ReadSides(request);
  if (!sides.ok()) return sides.status();
  const v1::Report report =
      reporter::CompareSides(sides->base, sides->head, reporter::CompareOptions());
  const absl::StatusOr<v1::Finding> finding = reporter::FindFinding(report, id);
  if (!finding.ok()) return finding.status();
  return reporter::Explain(
      report.compared(), *finding,
      {sides->base.targets.at(kLocalTarget), sides->head.targets.at(kLocalTarget)});
}

absl::StatusOr<v1::Report> CompareAtServer(const ComparisonRequest& request) {
  v1::CompareRequest compare;
  compare.set_base(request.base);
  compare.set_head(request.head);
  compare.set_limit(request.limit);
  return QueryClient(request.server).Compare(compare);
}

bool IsPath(const std::string& text) {
  std::error_code error;
  return !text.empty() && std::filesystem::exists(text, error);
}

// Both sides are local, or neither is.
absl::Status CheckSides(const ComparisonRequest& request) {
  const bool base_is_path = IsPath(request.base);
  if (base_is_path == IsPath(request.head) && (base_is_path || request.image.empty())) {
    return absl::OkStatus();
  }
  const std::string& missing = base_is_path ? request.head : request.base;
  return absl::NotFoundError(
      absl::StrCat(missing, " is no file or folder; give two local paths, or two runs"));
}

}  // namespace

bool IsLocal(const ComparisonRequest& request) {
  return IsPath(request.base) && IsPath(request.head);
}

absl::StatusOr<v1::Report> MakeReport(const ComparisonRequest& request) {
  if (absl::Status status = CheckSides(request); !status.ok()) return status;
  return IsLocal(request) ? CompareLocal(request) : CompareAtServer(request);
}

absl::StatusOr<v1::Explanation> ExplainFinding(const ComparisonRequest& request,
                                               const std::string& id) {
  if (absl::Status status = CheckSides(request); !status.ok()) return status;
  if (IsLocal(request)) return ExplainLocal(request, id);
  v1::ExplainRequest explain;
  explain.set_finding(id);
  explain.set_base(request.base);
  explain.set_head(request.head);
  return QueryClient(request.server).ExplainFinding(explain);
}

}  // namespace gprofhub::cli
