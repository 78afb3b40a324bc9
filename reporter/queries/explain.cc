#include "reporter/queries/explain.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "profile/computed.h"
#include "reporter/explanation/explain.h"
#include "reporter/findings/find_finding.h"
#include "reporter/queries/compare_runs.h"
#include "reporter/queries/find_run.h"
#include "reporter/queries/read_profiles.h"
#include "store/records/records.h"

namespace gprofhub::reporter {
namespace {

// More than any comparison's number of findings.
constexpr uint32_t kAllFindings = 1'000'000;

// The run's profiles of the target; nothing if it was not measured.
absl::StatusOr<std::vector<profile::ComputedProfile>> ReadSide(
    const store::Reading& reading, const BlobReader& blobs, const std::string& project,
    const std::string& run_id, const std::string& label, QueryMemory* memory) {
  const absl::StatusOr<store::RunRecord> run = FindRun(reading, project, run_id);
  if (!run.ok()) return run.status();
  const absl::StatusOr<store::TargetRecord> target = FindTarget(reading, *run, label);
  if (absl::IsNotFound(target.status())) return std::vector<profile::ComputedProfile>();
  if (!target.ok()) return target.status();
  if (target->computed.empty()) return std::vector<profile::ComputedProfile>();
  const absl::StatusOr<std::shared_ptr<const profile::ComputedProfile>> profile =
      FindTargetProfile(blobs, *target, memory);
  if (!profile.ok()) return profile.status();
  return std::vector<profile::ComputedProfile>{**profile};
}

}  // namespace

absl::StatusOr<v1::Explanation> ExplainFinding(const store::Reading& reading,
                                               const BlobReader& blobs,
                                               const v1::ExplainRequest& request) {
  v1::CompareRequest compare;
  compare.set_project(request.project());
  compare.set_head(request.head());
  compare.set_base(request.base());
  compare.set_limit(kAllFindings);
  const absl::StatusOr<v1::Report> report = CompareRuns(reading, blobs, compare);
  if (!report.ok()) return report.status();
  const absl::StatusOr<v1::Finding> finding = FindFinding(*report, request.finding());
  if (!finding.ok()) return finding.status();
  return ExplainIn(reading, blobs, request.project(), report->compared(), *finding);
}

absl::StatusOr<v1::Explanation> ExplainIn(const store::Reading& reading, const BlobReader& blobs,
                                          const std::string& project, const v1::Compared& compared,
                                          const v1::Finding& finding, QueryMemory* memory) {
  auto base = ReadSide(reading, blobs, project, compared.base().run_id(), finding.target(), memory);
  if (!base.ok()) return base.status();
  auto head = ReadSide(reading, blobs, project, compared.head().run_id(), finding.target(), memory);
  if (!head.ok()) return head.status();
  return Explain(compared, finding, {*std::move(base), *std::move(head)});
}

}  // namespace gprofhub::reporter
