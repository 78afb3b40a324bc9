#include "store/gate_records.h"

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "store/sql/database.h"
#include "store/sql/follow_up_rows.h"
#include "store/validation.h"

namespace gprofhub::store {

namespace {

using sql::Row;
using sql::Rows;
using sql::Session;

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// A hash, because the texts together are too long for an index.
std::string KeyOf(const GatedRecord& record) {
  std::string identity;
  for (const std::string* part :
       {&record.project, &record.pull_request, &record.rule, &record.target, &record.function}) {
    absl::StrAppend(&identity, part->size(), ":", *part);
  }
  return NameBlob(identity);
}

absl::StatusOr<int64_t> Add(Session& session, const AcknowledgementRecord& record,
                            const Actor& by) {
  ASSIGN_OR_RETURN(
      Rows added,
      session.Query(
          "INSERT INTO acknowledgement (project, pull_request, function_name, target, author, "
          "reason, "
          "not_a_regression, created_us, expires_us, source, token_id) "
          "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) "
          "ON CONFLICT (project, source) DO NOTHING RETURNING id",
          {record.project, record.pull_request, record.function, record.target, record.author,
           record.reason, int64_t{record.not_a_regression}, absl::ToUnixMicros(record.created),
           record.expires == absl::InfiniteFuture() ? kNever : absl::ToUnixMicros(record.expires),
           record.source, by.token_id}));
  if (!added.empty()) {
    const int64_t id = added.front().Number(0);
    const std::string subject = absl::StrCat("acknowledgement ", id);
    const std::string detail =
        absl::StrCat(record.function, record.target.empty() ? "" : " in ", record.target,
                     record.pull_request.empty() ? ", all pull requests" : ", pull request ",
                     record.pull_request, ", said by ", record.author, ": ", record.reason);
    RETURN_IF_ERROR(sql::AddAuditRow(
        session, by, {record.project, "acknowledgement.add", subject, detail}, record.created));
    return id;
  }
  ASSIGN_OR_RETURN(
      Rows found, session.Query("SELECT id FROM acknowledgement WHERE project = $1 AND source = $2",
                                {record.project, record.source}));
  if (found.empty()) return absl::InternalError("an acknowledgement has disappeared");
  return found.front().Number(0);
}

absl::Status TakeBack(Session& session, absl::string_view project, int64_t id, const Actor& by,
                      absl::Time now) {
  ASSIGN_OR_RETURN(
      Rows rows,
      session.Query("SELECT taken_back_us FROM acknowledgement WHERE id = $1 AND project = $2",
                    {id, project}));
  if (rows.empty()) {
    return absl::NotFoundError(
        absl::StrCat("project \"", project, "\" has no acknowledgement ", id));
  }
  if (rows.front().Number(0) != 0) return absl::OkStatus();
  RETURN_IF_ERROR(session.Execute(
      "UPDATE acknowledgement SET taken_back_us = $2, taken_back_by = $3 WHERE id = $1",
      {id, absl::ToUnixMicros(now), by.name}));
  const std::string subject = absl::StrCat("acknowledgement ", id);
  return sql::AddAuditRow(session, by, {project, "acknowledgement.take-back", subject, ""}, now);
}

absl::StatusOr<std::vector<AcknowledgementRecord>> Said(Session& session, absl::string_view project,
                                                        bool with_taken_back) {
  ASSIGN_OR_RETURN(
      Rows rows,
      session.Query(
          "SELECT acknowledgement.id, acknowledgement.project, pull_request, function_name, "
          "target, "
          "author, reason, not_a_regression, acknowledgement.created_us, "
          "acknowledgement.expires_us, "
          "source, token_id, coalesce(token.revoked, 0), taken_back_us, taken_back_by "
          "FROM acknowledgement LEFT JOIN token ON token.id = acknowledgement.token_id "
          "WHERE acknowledgement.project = $1 AND taken_back_us <= $2 ORDER BY acknowledgement.id",
          {project, with_taken_back ? kNever : int64_t{0}}));
  std::vector<AcknowledgementRecord> records;
  for (const Row& row : rows) {
    AcknowledgementRecord record;
    record.id = row.Number(0);
    record.project = row.Text(1);
    record.pull_request = row.Text(2);
    record.function = row.Text(3);
    record.target = row.Text(4);
    record.author = row.Text(5);
    record.reason = row.Text(6);
    record.not_a_regression = row.Number(7) != 0;
    record.created = absl::FromUnixMicros(row.Number(8));
    record.expires =
        row.Number(9) == kNever ? absl::InfiniteFuture() : absl::FromUnixMicros(row.Number(9));
    record.source = row.Text(10);
    record.token_id = row.Number(11);
    record.token_revoked = row.Number(12) != 0;
    if (row.Number(13) != 0) record.taken_back = absl::FromUnixMicros(row.Number(13));
    record.taken_back_by = row.Text(14);
    records.push_back(std::move(record));
  }
  return records;
}

absl::Status Add(Session& session, const std::vector<GatedRecord>& records) {
  // All writers take their locks in the order of the keys. So no two of them wait for
  // each other.
  std::map<std::string, const GatedRecord*> by_key;
  for (const GatedRecord& record : records) by_key.emplace(KeyOf(record), &record);
  for (const auto& [key, record] : by_key) {
    RETURN_IF_ERROR(session.Execute(
        "INSERT INTO gated (gated_key, project, pull_request, rule_name, target, function_name, "
        "function_display, run_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) "
        "ON CONFLICT (gated_key) DO NOTHING",
        {key, record->project, record->pull_request, record->rule, record->target, record->function,
         record->function_display, record->run_id}));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<GatedRecord>> Gated(Session& session, absl::string_view project) {
  ASSIGN_OR_RETURN(Rows rows, session.Query("SELECT project, pull_request, rule_name, target, "
                                            "function_name, function_display, run_id "
                                            "FROM gated WHERE project = $1 ORDER BY run_id, id",
                                            {project}));
  std::vector<GatedRecord> records;
  for (const Row& row : rows) {
    records.push_back({row.Text(0), row.Text(1), row.Text(2), row.Text(3), row.Text(4), row.Text(5),
                       row.Number(6)});
  }
  return records;
}

}  // namespace

GateRecords::GateRecords(std::shared_ptr<sql::Database> database)
    : database_(std::move(database)) {}

GateRecords GateRecords::WithCheck(std::function<absl::Status()> check) const {
  return GateRecords(sql::WithCheck(database_, std::move(check)));
}

absl::StatusOr<int64_t> GateRecords::AddAcknowledgement(const AcknowledgementRecord& record,
                                                        const Actor& by) const {
  RETURN_IF_ERROR(CheckAcknowledgement(record));
  return sql::WriteIn(*database_, [&](Session& session) { return Add(session, record, by); });
}

absl::Status GateRecords::TakeBackAcknowledgement(absl::string_view project, int64_t id,
                                                  const Actor& by, absl::Time now) const {
  RETURN_IF_ERROR(CheckKey("project", project));
  RETURN_IF_ERROR(CheckText("by", by.name));
  return database_->Write(
      [&](Session& session) { return TakeBack(session, project, id, by, now); });
}

absl::StatusOr<std::vector<AcknowledgementRecord>> GateRecords::ListAcknowledgements(
    absl::string_view project) const {
  RETURN_IF_ERROR(CheckKey("project", project));
  return sql::ReadIn(*database_, [&](Session& session) {
    return Said(session, project, /*with_taken_back=*/false);
  });
}

absl::StatusOr<std::vector<AcknowledgementRecord>> GateRecords::ListAllAcknowledgements(
    absl::string_view project) const {
  RETURN_IF_ERROR(CheckKey("project", project));
  return sql::ReadIn(*database_, [&](Session& session) {
    return Said(session, project, /*with_taken_back=*/true);
  });
}

absl::Status GateRecords::AddGated(const std::vector<GatedRecord>& records) const {
  for (const GatedRecord& record : records) {
    RETURN_IF_ERROR(CheckGated(record));
  }
  return database_->Write([&](Session& session) { return Add(session, records); });
}

absl::StatusOr<std::vector<GatedRecord>> GateRecords::ListGated(absl::string_view project) const {
  RETURN_IF_ERROR(CheckKey("project", project));
  return sql::ReadIn(*database_, [&](Session& session) { return Gated(session, project); });
}

absl::StatusOr<int64_t> GateRecords::AddRerunRequest(const RerunRequestRecord& record) const {
  RETURN_IF_ERROR(CheckRerunRequest(record));
  return sql::WriteIn(*database_,
                      [&](Session& session) { return sql::AddRerunRequestIn(session, record); });
}

absl::StatusOr<std::vector<RerunRequestRecord>> GateRecords::ListRerunRequests(
    absl::string_view project, absl::string_view pull_request) const {
  RETURN_IF_ERROR(CheckKey("project", project));
  RETURN_IF_ERROR(CheckKey("pull_request", pull_request));
  return sql::ReadIn(*database_, [&](Session& session) {
    return sql::RerunRequestsOf(session, project, pull_request);
  });
}

absl::Status GateRecords::NoteRerunStart(int64_t id, RerunRequestRecord::Start start,
                                         absl::string_view note) const {
  const std::string clean = sql::CleanText(note, kMaxTextBytes);
  return database_->Write(
      [&](Session& session) { return sql::NoteStartIn(session, id, start, clean); });
}

absl::StatusOr<int64_t> GateRecords::AddCulprit(const CulpritRecord& record,
                                                const Actor& by) const {
  RETURN_IF_ERROR(CheckCulprit(record));
  return sql::WriteIn(*database_,
                      [&](Session& session) { return sql::AddCulpritIn(session, record, by); });
}

absl::StatusOr<std::vector<CulpritRecord>> GateRecords::ListCulprits(
    absl::string_view project) const {
  RETURN_IF_ERROR(CheckKey("project", project));
  return sql::ReadIn(*database_,
                     [&](Session& session) { return sql::CulpritsOf(session, project); });
}

}  // namespace gprofhub::store
