#include "cli/output/make_report.h"

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/client/query_client.h"
#include "cli/local/profiles.h"
#include "reporter/comparison/compare_sides.h"
#include "reporter/comparison/rank_findings.h"

namespace gprofhub::cli {
namespace {

absl::StatusOr<reporter::ComparisonSide> ReadSide(const std::string& path,
                                                  const std::string& image) {
  absl::StatusOr<std::vector<profile::ComputedProfile>> runs = ReadLocalRuns(path, image);
  if (!runs.ok()) return runs.status();
  reporter::ComparisonSide side;
  side.about.set_run_id(path);
  side.about.set_executions(static_cast<uint32_t>(runs->size()));
  side.targets.emplace("local", *std::move(runs));
  return side;
}

absl::StatusOr<v1::Report> CompareLocal(const ComparisonRequest& request) {
  const absl::StatusOr<reporter::ComparisonSide> base = ReadSide(request.base, request.image);
  if (!base.ok()) return base.status();
  const absl::StatusOr<reporter::ComparisonSide> head = ReadSide(request.head, request.image);
  if (!head.ok()) return head.status();
  v1::Report report = reporter::CompareSides(*base, *head, reporter::CompareOptions());
  report.mutable_compared()->set_baseline_reason("given");
  reporter::LimitFindings(report, request.limit);
  return report;
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

}  // namespace

bool IsLocal(const ComparisonRequest& request) {
  return IsPath(request.base) && IsPath(request.head);
}

absl::StatusOr<v1::Report> MakeReport(const ComparisonRequest& request) {
  const bool base_is_path = IsPath(request.base);
  const bool head_is_path = IsPath(request.head);
  if (base_is_path != head_is_path || (!base_is_path && !request.image.empty())) {
    const std::string& missing = base_is_path ? request.head : request.base;
    return absl::NotFoundError(
        absl::StrCat(missing, " is no file or folder; give two local paths, or two runs"));
  }
  return base_is_path ? CompareLocal(request) : CompareAtServer(request);
}

}  // namespace gprofhub::cli
