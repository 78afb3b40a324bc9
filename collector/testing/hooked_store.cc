#include "collector/testing/hooked_store.h"

namespace gprofhub {

absl::StatusOr<std::vector<BlobName>> HookedStore::FindMissingBlobs(
    const std::vector<BlobName>& names) {
  if (absl::Status status = hook_("FindMissingBlobs"); !status.ok()) return status;
  return real_.FindMissingBlobs(names);
}

absl::StatusOr<std::string> HookedStore::ReadBlob(const BlobName& name) {
  if (absl::Status status = hook_("ReadBlob"); !status.ok()) return status;
  return real_.ReadBlob(name);
}

absl::StatusOr<RecordedExecution> HookedStore::RecordExecution(const NewExecution& execution,
                                                               absl::Time now) {
  if (absl::Status status = hook_("RecordExecution"); !status.ok()) return status;
  return real_.RecordExecution(execution, now);
}

absl::StatusOr<std::optional<Job>> HookedStore::ClaimJob(absl::string_view worker, absl::Time now,
                                                         absl::Duration lease,
                                                         uint32_t max_attempts) {
  if (absl::Status status = hook_("ClaimJob"); !status.ok()) return status;
  return real_.ClaimJob(worker, now, lease, max_attempts);
}

absl::Status HookedStore::ExtendLease(const Job& job, absl::Time now, absl::Duration lease) {
  if (absl::Status status = hook_("ExtendLease"); !status.ok()) return status;
  return real_.ExtendLease(job, now, lease);
}

absl::Status HookedStore::CompleteJob(const Job& job, const AnalysisResult& result,
                                      absl::Time now) {
  if (absl::Status status = hook_("CompleteJob"); !status.ok()) return status;
  return real_.CompleteJob(job, result, now);
}

absl::Status HookedStore::FailJob(const Job& job, absl::string_view error, bool retry,
                                  absl::Time now) {
  if (absl::Status status = hook_("FailJob"); !status.ok()) return status;
  return real_.FailJob(job, error, retry, now);
}

absl::StatusOr<TargetData> HookedStore::ReadTargetData(int64_t run_id, absl::string_view target) {
  if (absl::Status status = hook_("ReadTargetData"); !status.ok()) return status;
  return real_.ReadTargetData(run_id, target);
}

absl::StatusOr<RunRecord> HookedStore::ReadRun(int64_t run_id) {
  if (absl::Status status = hook_("ReadRun"); !status.ok()) return status;
  return real_.ReadRun(run_id);
}

absl::StatusOr<std::vector<RunRecord>> HookedStore::ListRuns(const RunFilter& filter) {
  if (absl::Status status = hook_("ListRuns"); !status.ok()) return status;
  return real_.ListRuns(filter);
}

absl::StatusOr<std::vector<RunRecord>> HookedStore::FindBaselineRuns(
    absl::string_view project, absl::string_view configuration,
    const std::vector<std::string>& commits, uint32_t limit) {
  if (absl::Status status = hook_("FindBaselineRuns"); !status.ok()) return status;
  return real_.FindBaselineRuns(project, configuration, commits, limit);
}

absl::StatusOr<std::vector<TargetRecord>> HookedStore::ListTargets(int64_t run_id) {
  if (absl::Status status = hook_("ListTargets"); !status.ok()) return status;
  return real_.ListTargets(run_id);
}

absl::StatusOr<std::vector<PointSegment>> HookedStore::ReadSegments(
    const std::vector<int64_t>& run_ids, absl::string_view target, uint32_t bucket) {
  if (absl::Status status = hook_("ReadSegments"); !status.ok()) return status;
  return real_.ReadSegments(run_ids, target, bucket);
}

absl::StatusOr<std::optional<ReportJob>> HookedStore::ClaimReportJob(absl::string_view worker,
                                                                     absl::Time now,
                                                                     absl::Duration lease) {
  if (absl::Status status = hook_("ClaimReportJob"); !status.ok()) return status;
  return real_.ClaimReportJob(worker, now, lease);
}

absl::Status HookedStore::ExtendReportLease(const ReportJob& job, absl::Time now,
                                            absl::Duration lease) {
  if (absl::Status status = hook_("ExtendReportLease"); !status.ok()) return status;
  return real_.ExtendReportLease(job, now, lease);
}

absl::Status HookedStore::FinishReportJob(const ReportJob& job, const ReportOutcome& outcome,
                                          absl::Time now) {
  if (absl::Status status = hook_("FinishReportJob"); !status.ok()) return status;
  return real_.FinishReportJob(job, outcome, now);
}

absl::StatusOr<int64_t> HookedStore::AddAcknowledgement(const AcknowledgementRecord& record) {
  if (absl::Status status = hook_("AddAcknowledgement"); !status.ok()) return status;
  return real_.AddAcknowledgement(record);
}

absl::StatusOr<std::vector<AcknowledgementRecord>> HookedStore::ListAcknowledgements(
    absl::string_view project) {
  if (absl::Status status = hook_("ListAcknowledgements"); !status.ok()) return status;
  return real_.ListAcknowledgements(project);
}

absl::Status HookedStore::AddGated(const std::vector<GatedRecord>& records) {
  if (absl::Status status = hook_("AddGated"); !status.ok()) return status;
  return real_.AddGated(records);
}

absl::StatusOr<std::vector<GatedRecord>> HookedStore::ListGated(absl::string_view project) {
  if (absl::Status status = hook_("ListGated"); !status.ok()) return status;
  return real_.ListGated(project);
}

absl::StatusOr<TokenRecord> HookedStore::CreateToken(absl::string_view project,
                                                     absl::string_view label,
                                                     absl::string_view token_sha256,
                                                     absl::Time now) {
  if (absl::Status status = hook_("CreateToken"); !status.ok()) return status;
  return real_.CreateToken(project, label, token_sha256, now);
}

absl::StatusOr<TokenRecord> HookedStore::FindToken(absl::string_view token_sha256) {
  if (absl::Status status = hook_("FindToken"); !status.ok()) return status;
  return real_.FindToken(token_sha256);
}

absl::StatusOr<std::vector<TokenRecord>> HookedStore::ListTokens(absl::string_view project) {
  if (absl::Status status = hook_("ListTokens"); !status.ok()) return status;
  return real_.ListTokens(project);
}

absl::Status HookedStore::RevokeToken(int64_t token_id) {
  if (absl::Status status = hook_("RevokeToken"); !status.ok()) return status;
  return real_.RevokeToken(token_id);
}

absl::StatusOr<bool> HookedStore::HasTokens() {
  if (absl::Status status = hook_("HasTokens"); !status.ok()) return status;
  return real_.HasTokens();
}

}  // namespace gprofhub
