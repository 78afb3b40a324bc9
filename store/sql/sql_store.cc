#include "store/sql/sql_store.h"

#include <set>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "store/blob_name.h"
#include "store/sql/gate.h"
#include "store/sql/ingest.h"
#include "store/sql/queue.h"
#include "store/sql/reading.h"
#include "store/sql/reports.h"
#include "store/sql/tokens.h"
#include "store/validation.h"

namespace gprofhub::sql {
namespace {

// Longest message of a failed job that is kept.
constexpr size_t kMaxErrorBytes = 10000;

class SqlStore final : public Store {
 public:
  explicit SqlStore(std::unique_ptr<Database> database) : database_(std::move(database)) {}

  absl::StatusOr<std::vector<BlobName>> FindMissingBlobs(
      const std::vector<BlobName>& names) override {
    for (const BlobName& name : names) {
      if (!IsBlobName(name)) return NotABlobName();
    }
    return Read<std::vector<BlobName>>(
        [&](Session& session) { return sql::MissingBlobs(session, database_->dialect(), names); });
  }

  absl::StatusOr<std::string> ReadBlob(const BlobName& name) override {
    if (!IsBlobName(name)) return NotABlobName();
    absl::StatusOr<std::string> bytes = database_->ReadBlob(name);
    if (bytes.ok() && NameBlob(*bytes) != name) {
      return absl::DataLossError(absl::StrCat("blob ", name, ": its ", bytes->size(),
                                              " bytes no longer hash to its name"));
    }
    return bytes;
  }

  absl::StatusOr<RecordedExecution> RecordExecution(const NewExecution& execution,
                                                    absl::Time now) override;

  absl::StatusOr<std::optional<Job>> ClaimJob(absl::string_view worker, absl::Time now,
                                              absl::Duration lease,
                                              uint32_t max_attempts) override {
    if (absl::Status status = CheckKey("worker", worker); !status.ok()) return status;
    return Write<std::optional<Job>>([&](Session& session) {
      return sql::ClaimJob(session, database_->dialect(), worker, now, lease, max_attempts);
    });
  }

  absl::Status ExtendLease(const Job& job, absl::Time now, absl::Duration lease) override {
    if (absl::Status status = CheckKey("worker", job.worker); !status.ok()) return status;
    return database_->Write(
        [&](Session& session) { return sql::ExtendLease(session, job, now, lease); });
  }

  absl::Status CompleteJob(const Job& job, const AnalysisResult& result, absl::Time now) override;

  absl::Status FailJob(const Job& job, absl::string_view error, bool retry,
                       absl::Time now) override {
    if (absl::Status status = CheckKey("worker", job.worker); !status.ok()) return status;
    const std::string clean = CleanText(error, kMaxErrorBytes);
    return database_->Write([&](Session& session) {
      return sql::FailJob(session, database_->dialect(), job, clean, retry, now);
    });
  }

  absl::StatusOr<TargetData> ReadTargetData(int64_t run_id, absl::string_view target) override {
    if (absl::Status status = CheckKey("target", target); !status.ok()) return status;
    return Read<TargetData>(
        [&](Session& session) { return sql::ReadTargetData(session, run_id, target); });
  }

  absl::StatusOr<RunRecord> ReadRun(int64_t run_id) override {
    return Read<RunRecord>([&](Session& session) { return sql::ReadRun(session, run_id); });
  }

  absl::StatusOr<std::vector<RunRecord>> ListRuns(const RunFilter& filter) override {
    if (absl::Status status = CheckRunFilter(filter); !status.ok()) return status;
    return Read<std::vector<RunRecord>>(
        [&](Session& session) { return sql::ListRuns(session, filter); });
  }

  absl::StatusOr<std::vector<RunRecord>> FindBaselineRuns(absl::string_view project,
                                                          absl::string_view configuration,
                                                          const std::vector<std::string>& commits,
                                                          uint32_t limit) override {
    if (absl::Status status = CheckKey("project", project); !status.ok()) return status;
    if (absl::Status status = CheckText("configuration", configuration); !status.ok()) {
      return status;
    }
    for (const std::string& commit : commits) {
      if (absl::Status status = CheckText("commits", commit); !status.ok()) return status;
    }
    return Read<std::vector<RunRecord>>([&](Session& session) {
      return sql::FindBaselineRuns(session, database_->dialect(), project, configuration, commits,
                                   limit);
    });
  }

  absl::StatusOr<std::vector<TargetRecord>> ListTargets(int64_t run_id) override {
    return Read<std::vector<TargetRecord>>(
        [&](Session& session) { return sql::ListTargets(session, run_id); });
  }

  absl::StatusOr<std::vector<PointSegment>> ReadSegments(const std::vector<int64_t>& run_ids,
                                                         absl::string_view target,
                                                         uint32_t bucket) override {
    if (absl::Status status = CheckText("target", target); !status.ok()) return status;
    return Read<std::vector<PointSegment>>([&](Session& session) {
      return sql::ReadSegments(session, database_->dialect(), run_ids, target, bucket);
    });
  }

  absl::StatusOr<std::optional<ReportJob>> ClaimReportJob(absl::string_view worker, absl::Time now,
                                                          absl::Duration lease) override {
    if (absl::Status status = CheckKey("worker", worker); !status.ok()) return status;
    return Write<std::optional<ReportJob>>([&](Session& session) {
      return sql::ClaimReportJob(session, database_->dialect(), worker, now, lease);
    });
  }

  absl::Status ExtendReportLease(const ReportJob& job, absl::Time now,
                                 absl::Duration lease) override {
    if (absl::Status status = CheckKey("worker", job.worker); !status.ok()) return status;
    return database_->Write(
        [&](Session& session) { return sql::ExtendReportLease(session, job, now, lease); });
  }

  absl::Status FinishReportJob(const ReportJob& job, const ReportOutcome& outcome,
                               absl::Time now) override {
    if (absl::Status status = CheckKey("worker", job.worker); !status.ok()) return status;
    ReportOutcome clean = outcome;
    clean.note = CleanText(outcome.note, kMaxErrorBytes);
    return database_->Write(
        [&](Session& session) { return sql::FinishReportJob(session, job, clean, now); });
  }

  absl::StatusOr<int64_t> AddAcknowledgement(const AcknowledgementRecord& record) override {
    if (absl::Status status = CheckAcknowledgement(record); !status.ok()) return status;
    return Write<int64_t>(
        [&](Session& session) { return sql::AddAcknowledgement(session, record); });
  }

  absl::StatusOr<std::vector<AcknowledgementRecord>> ListAcknowledgements(
      absl::string_view project) override {
    if (absl::Status status = CheckKey("project", project); !status.ok()) return status;
    return Read<std::vector<AcknowledgementRecord>>(
        [&](Session& session) { return sql::ListAcknowledgements(session, project); });
  }

  absl::Status AddGated(const std::vector<GatedRecord>& records) override {
    for (const GatedRecord& record : records) {
      if (absl::Status status = CheckGated(record); !status.ok()) return status;
    }
    return database_->Write([&](Session& session) { return sql::AddGated(session, records); });
  }

  absl::StatusOr<std::vector<GatedRecord>> ListGated(absl::string_view project) override {
    if (absl::Status status = CheckKey("project", project); !status.ok()) return status;
    return Read<std::vector<GatedRecord>>(
        [&](Session& session) { return sql::ListGated(session, project); });
  }

  absl::StatusOr<TokenRecord> CreateToken(absl::string_view project, absl::string_view label,
                                          absl::string_view token_sha256, absl::Time now) override {
    if (absl::Status status = CheckKey("project", project); !status.ok()) return status;
    if (absl::Status status = CheckText("label", label); !status.ok()) return status;
    if (absl::Status status = CheckKey("token_sha256", token_sha256); !status.ok()) return status;
    return Write<TokenRecord>([&](Session& session) {
      return sql::CreateToken(session, project, label, token_sha256, now);
    });
  }

  absl::StatusOr<TokenRecord> FindToken(absl::string_view token_sha256) override {
    if (absl::Status status = CheckKey("token_sha256", token_sha256); !status.ok()) return status;
    return Read<TokenRecord>(
        [&](Session& session) { return sql::FindToken(session, token_sha256); });
  }

  absl::StatusOr<std::vector<TokenRecord>> ListTokens(absl::string_view project) override {
    if (absl::Status status = CheckKey("project", project); !status.ok()) return status;
    return Read<std::vector<TokenRecord>>(
        [&](Session& session) { return sql::ListTokens(session, project); });
  }

  absl::Status RevokeToken(int64_t token_id) override {
    return database_->Write([&](Session& session) { return sql::RevokeToken(session, token_id); });
  }

  absl::StatusOr<bool> HasTokens() override {
    return Read<bool>([&](Session& session) { return sql::HasTokens(session); });
  }

 private:
  static absl::Status NotABlobName() {
    return absl::InvalidArgumentError(
        "a blob's name is a SHA-256 of 64 lower-case hexadecimal digits");
  }

  // Runs `work`, which gives an absl::StatusOr<Result>, in a transaction.
  template <typename Result, typename WorkWithResult>
  absl::StatusOr<Result> Read(const WorkWithResult& work) {
    absl::StatusOr<Result> result;
    absl::Status status = database_->Read([&](Session& session) {
      result = work(session);
      return result.status();
    });
    if (!status.ok()) return status;
    return result;
  }
  template <typename Result, typename WorkWithResult>
  absl::StatusOr<Result> Write(const WorkWithResult& work) {
    absl::StatusOr<Result> result;
    absl::Status status = database_->Write([&](Session& session) {
      result = work(session);
      return result.status();
    });
    if (!status.ok()) return status;
    return result;
  }

  // What RecordExecution finds before it writes anything.
  struct Preparation {
    std::optional<RecordedExecution> present;
    std::vector<BlobName> missing;  // blobs referred to and not held
  };
  absl::StatusOr<Preparation> Prepare(const NewExecution& execution);

  const std::unique_ptr<Database> database_;
};

absl::StatusOr<SqlStore::Preparation> SqlStore::Prepare(const NewExecution& execution) {
  // In order, so that concurrent uploads add the same blobs in the same order
  // and none waits for one that waits for it.
  std::set<BlobName> referred;
  for (const ImageRecord& image : execution.images) referred.insert(image.bundle);
  for (const ProfileRecord& profile : execution.profiles) referred.insert(profile.gmon);
  return Read<Preparation>([&](Session& session) -> absl::StatusOr<Preparation> {
    absl::StatusOr<std::optional<RecordedExecution>> present =
        sql::FindExecution(session, execution);
    if (!present.ok()) return present.status();
    if (present->has_value()) return Preparation{**present, {}};
    absl::StatusOr<std::vector<BlobName>> missing = sql::MissingBlobs(
        session, database_->dialect(), std::vector<BlobName>(referred.begin(), referred.end()));
    if (!missing.ok()) return missing.status();
    return Preparation{std::nullopt, *std::move(missing)};
  });
}

// Everything that can be refused is refused before any byte is written; the
// transaction then checks again what others may have changed meanwhile. Blobs
// are never deleted, so what was held stays held.
absl::StatusOr<RecordedExecution> SqlStore::RecordExecution(const NewExecution& execution,
                                                            absl::Time now) {
  if (absl::Status status = CheckNewExecution(execution); !status.ok()) return status;
  absl::StatusOr<Preparation> preparation = Prepare(execution);
  if (!preparation.ok()) return preparation.status();
  if (preparation->present.has_value()) return *preparation->present;

  absl::flat_hash_map<absl::string_view, const Blob*> given;
  for (const Blob& blob : execution.blobs) given.emplace(blob.name, &blob);
  std::vector<const Blob*> to_add;
  for (const BlobName& name : preparation->missing) {
    const auto blob = given.find(name);
    if (blob == given.end()) {
      return absl::FailedPreconditionError(
          absl::StrCat("blob ", name, " is neither given nor held: send its bytes"));
    }
    to_add.push_back(blob->second);
  }
  if (absl::Status status = database_->StageBlobs(to_add); !status.ok()) return status;
  return Write<RecordedExecution>([&](Session& session) {
    return sql::AddExecution(session, database_->dialect(), execution, to_add, now);
  });
}

absl::Status SqlStore::CompleteJob(const Job& job, const AnalysisResult& result, absl::Time now) {
  if (absl::Status status = CheckKey("worker", job.worker); !status.ok()) return status;
  if (absl::Status status = CheckResult(job, result); !status.ok()) return status;
  absl::Status claimed =
      database_->Read([&](Session& session) { return sql::CheckClaim(session, /*lock=*/"", job); });
  if (!claimed.ok()) return claimed;
  const Blob* const computed = &result.computed;
  if (absl::Status status = database_->StageBlobs({&computed, 1}); !status.ok()) return status;
  return database_->Write([&](Session& session) {
    return sql::CompleteJob(session, database_->dialect(), job, result, now);
  });
}

}  // namespace

std::unique_ptr<Store> MakeSqlStore(std::unique_ptr<Database> database) {
  return std::make_unique<SqlStore>(std::move(database));
}

}  // namespace gprofhub::sql
