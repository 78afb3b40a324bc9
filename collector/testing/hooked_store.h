// A store whose failures the test decides.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "store/store.h"

namespace gprofhub {

// Asks the hook before each call, with the method's name; an error of the hook
// is the call's answer, OK lets it through to the real store.
class HookedStore final : public Store {
 public:
  using Hook = std::function<absl::Status(absl::string_view method)>;

  // `real` outlives this. The hook is called from all threads that use the store.
  HookedStore(Store& real, Hook hook) : real_(real), hook_(std::move(hook)) {}

  absl::StatusOr<std::vector<BlobName>> FindMissingBlobs(
      const std::vector<BlobName>& names) override;
  absl::StatusOr<std::string> ReadBlob(const BlobName& name) override;
  absl::StatusOr<RecordedExecution> RecordExecution(const NewExecution& execution,
                                                    absl::Time now) override;
  absl::StatusOr<std::optional<Job>> ClaimJob(absl::string_view worker, absl::Time now,
                                              absl::Duration lease, uint32_t max_attempts) override;
  absl::Status ExtendLease(const Job& job, absl::Time now, absl::Duration lease) override;
  absl::Status CompleteJob(const Job& job, const AnalysisResult& result, absl::Time now) override;
  absl::Status FailJob(const Job& job, absl::string_view error, bool retry,
                       absl::Time now) override;
  absl::StatusOr<TargetData> ReadTargetData(int64_t run_id, absl::string_view target) override;
  absl::StatusOr<RunRecord> ReadRun(int64_t run_id) override;
  absl::StatusOr<std::vector<RunRecord>> ListRuns(const RunFilter& filter) override;
  absl::StatusOr<std::vector<RunRecord>> FindBaselineRuns(absl::string_view project,
                                                          absl::string_view configuration,
                                                          const std::vector<std::string>& commits,
                                                          uint32_t limit) override;
  absl::StatusOr<std::vector<TargetRecord>> ListTargets(int64_t run_id) override;
  absl::StatusOr<std::vector<PointSegment>> ReadSegments(const std::vector<int64_t>& run_ids,
                                                         absl::string_view target,
                                                         uint32_t bucket) override;
  absl::StatusOr<std::optional<ReportJob>> ClaimReportJob(absl::string_view worker, absl::Time now,
                                                          absl::Duration lease) override;
  absl::Status ExtendReportLease(const ReportJob& job, absl::Time now,
                                 absl::Duration lease) override;
  absl::Status FinishReportJob(const ReportJob& job, const ReportOutcome& outcome,
                               absl::Time now) override;
  absl::StatusOr<int64_t> AddAcknowledgement(const AcknowledgementRecord& record) override;
  absl::StatusOr<std::vector<AcknowledgementRecord>> ListAcknowledgements(
      absl::string_view project) override;
  absl::Status AddGated(const std::vector<GatedRecord>& records) override;
  absl::StatusOr<std::vector<GatedRecord>> ListGated(absl::string_view project) override;
  absl::StatusOr<TokenRecord> CreateToken(absl::string_view project, absl::string_view label,
                                          absl::string_view token_sha256, absl::Time now) override;
  absl::StatusOr<TokenRecord> FindToken(absl::string_view token_sha256) override;
  absl::StatusOr<std::vector<TokenRecord>> ListTokens(absl::string_view project) override;
  absl::Status RevokeToken(int64_t token_id) override;
  absl::StatusOr<bool> HasTokens() override;

 private:
  Store& real_;
  const Hook hook_;
};

}  // namespace gprofhub
