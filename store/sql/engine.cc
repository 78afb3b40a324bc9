#include "store/sql/engine.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace gprofhub::store {

absl::Status NoStoreIn(absl::string_view place) {
  return absl::NotFoundError(absl::StrCat("no store in ", place,
                                          "; check --data-dir and --store (`gprofhub serve` and "
                                          "`gprofhub token create` create a store)"));
}

}  // namespace gprofhub::store

namespace gprofhub::store::sql {

absl::Status ExtendLease(Session& session, const Claim& claim, absl::Time until,
                         const absl::Status& lost) {
  ASSIGN_OR_RETURN(
      Rows rows,
      session.Query(
          absl::StrCat(
              "UPDATE ", claim.table,
              " SET lease_until_us = $5 WHERE id = $1 AND state = 'leased' AND worker = $2 "
              "AND attempts = $3 AND claimed_generation = $4 RETURNING id"),
          {claim.job_id, claim.worker, int64_t{claim.attempts}, claim.generation,
           absl::ToUnixMicros(until)}));
  return rows.empty() ? lost : absl::OkStatus();
}

absl::StatusOr<bool> FutureLeases::EndSometimes(Session& session, absl::string_view table,
                                                absl::Time now) {
  const int64_t now_us = absl::ToUnixMicros(now);
  const int64_t before = looked_us_;
  const int64_t ago = now_us - before;
  if (before != 0 && ago >= 0 && ago < absl::ToInt64Microseconds(kLookEvery)) {
    return false;
  }
  looked_us_ = now_us;
  // Both literals: the queues' indexes are partial on these two states, and SQLite matches them
  // literally.
  RETURN_IF_ERROR(
      session.Execute(absl::StrCat("UPDATE ", table,
                                   " SET lease_until_us = $1 WHERE state IN ('pending', 'leased') "
                                   "AND state = 'leased' AND lease_until_us > $2"),
                      {absl::ToUnixMicros(now), absl::ToUnixMicros(now + kLongest)}));
  return true;
}

std::string NextTurn(absl::string_view project) {
  return absl::StrCat(
      "(SELECT CASE WHEN queue > own THEN queue ELSE own END FROM (SELECT "
      "COALESCE((SELECT MIN(turn) FROM job AS any_job "
      "WHERE any_job.state = 'pending' AND any_job.turn > 0), 1) AS queue, "
      "COALESCE((SELECT MAX(turn) FROM job AS own_job "
      "WHERE own_job.state = 'pending' AND own_job.project = ",
      project, "), 0) + 1 AS own) AS turns)");
}

absl::Status GiveTurnToJob(Session& session, int64_t job_id) {
  return session.Execute(absl::StrCat("UPDATE job SET turn = ", NextTurn("job.project"),
                                      " WHERE id = $1 AND state = 'pending' AND turn = 0"),
                         {job_id});
}

namespace {

class ObservedDatabase final : public Database {
 public:
  ObservedDatabase(std::shared_ptr<Database> real, Observer observer)
      : real_(std::move(real)), observer_(std::move(observer)) {}

  const Dialect& dialect() const override { return real_->dialect(); }
  absl::Status Read(const Work& work) override {
    return observer_.Tell("read", [&] { return real_->Read(work); });
  }
  absl::Status Write(const Work& work) override {
    return observer_.Tell("write", [&] { return real_->Write(work); });
  }
  absl::Duration ClockSkew() override { return real_->ClockSkew(); }
  absl::Status Check() override { return real_->Check(); }
  Connections connections() const override { return real_->connections(); }
  std::string folder() const override { return real_->folder(); }
  absl::StatusOr<std::vector<std::string>> CheckIntegrity() override {
    return real_->CheckIntegrity();
  }

 private:
  const std::shared_ptr<Database> real_;
  const Observer observer_;
};

class ObservedBytes final : public BlobBytes {
 public:
  ObservedBytes(std::shared_ptr<BlobBytes> real, Observer observer)
      : real_(std::move(real)), observer_(std::move(observer)) {}

  bool Stages(const Blob& blob) const override { return real_->Stages(blob); }
  absl::Status Stage(absl::Span<const Blob* const> blobs) override {
    return observer_.Tell("stage_blobs", [&] { return real_->Stage(blobs); });
  }
  absl::StatusOr<std::optional<std::string>> Read(const BlobName& name) override {
    return observer_.Tell("read_blob", [&] { return real_->Read(name); });
  }
  int parts() const override { return real_->parts(); }
  absl::StatusOr<std::vector<LooseBytes>> List(int part) override {
    return observer_.Tell("list_blobs", [&] { return real_->List(part); });
  }
  absl::StatusOr<RemovedBytes> RemoveUnnamed(absl::Span<const BlobName> names,
                                             absl::Time changed_before) override {
    return observer_.Tell("remove_blobs",
                          [&] { return real_->RemoveUnnamed(names, changed_before); });
  }
  absl::StatusOr<RemovedBytes> RemoveIncoming(absl::Time changed_before) override {
    return observer_.Tell("remove_blobs", [&] { return real_->RemoveIncoming(changed_before); });
  }

 private:
  const std::shared_ptr<BlobBytes> real_;
  const Observer observer_;
};

}  // namespace

Engine Observed(const Engine& engine, absl::string_view part, const OnStoreCall& on_call) {
  if (on_call == nullptr) return engine;
  const Observer observer(part, on_call);
  return {std::make_shared<ObservedDatabase>(engine.database, observer),
          std::make_shared<ObservedBytes>(engine.blob_bytes, observer), engine.archive};
}

absl::StatusOr<int64_t> ReadProperty(Session& session, absl::string_view name) {
  ASSIGN_OR_RETURN(Rows rows, session.Query("SELECT value FROM property WHERE name = $1", {name}));
  return rows.empty() ? 0 : rows.front().Number(0);
}

absl::Status SetProperty(Session& session, absl::string_view name, int64_t value) {
  return session.Execute(
      "INSERT INTO property (name, value) VALUES ($1, $2) "
      "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      {name, value});
}

}  // namespace gprofhub::store::sql
