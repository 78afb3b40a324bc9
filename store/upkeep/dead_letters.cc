#include "store/upkeep/dead_letters.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "store/sql/audit_rows.h"
#include "store/sql/database.h"
#include "store/sql/due_reports.h"
#include "store/sql/transaction.h"
#include "store/validation.h"

namespace gprofhub::store {
namespace {

using sql::Row;
using sql::Rows;
using sql::Session;

constexpr uint32_t kRevivedAtOnce = 200;

// The statements of one kind. The columns of a dead letter are those of DeadLetter, in its order.
struct KindOf {
  absl::string_view name;
  absl::string_view action;  // in the audit log
  // $1: the project, or '' for all; $2: ids above this; $3: how many.
  absl::string_view list;
  // $1: the id; $2: now. Gives a row if there was something to revive.
  absl::string_view revive;
};

constexpr KindOf kJob = {
    "failed analysis job", "job.requeue",
    "SELECT job.id, run.project, run.id, target.label, job.attempts, job.error, job.queued_us "
    "FROM job JOIN target ON target.id = job.target_id JOIN run ON run.id = target.run_id "
    "WHERE job.state = 'failed' AND (run.project = $1 OR $1 = '') AND job.id > $2 "
    "ORDER BY job.id LIMIT $3",
    "UPDATE job SET state = 'pending', attempts = 0, error = '', queued_us = $2 "
    "WHERE id = $1 AND state = 'failed' AND NOT EXISTS (SELECT 1 FROM execution "
    "WHERE execution.target_id = job.target_id AND profiles_removed > 0) "
    "RETURNING (SELECT project FROM run JOIN target ON target.run_id = run.id "
    "WHERE target.id = target_id)"};

// A report under way is made once more: it may be half posted.
constexpr KindOf kReport = {
    "report", "report.repost",
    "SELECT run.id, run.project, run.id, CASE WHEN run.pull_request = '' "
    "THEN 'branch ' || run.branch ELSE 'pull request ' || run.pull_request END, "
    "report_job.attempts, report_job.note, report_job.queued_us "
    "FROM report_job JOIN run ON run.id = report_job.run_id "
    "WHERE report_job.state = 'failed' AND (run.project = $1 OR $1 = '') AND run.id > $2 "
    "ORDER BY run.id LIMIT $3",
    "UPDATE report_job SET generation = generation + 1, queued_us = $2, due_us = $2, "
    "state = CASE WHEN state = 'leased' THEN 'leased' ELSE 'pending' END WHERE run_id = $1 "
    "RETURNING (SELECT project FROM run WHERE run.id = run_id)"};

constexpr KindOf kNotification = {
    "failed notification", "notification.repost",
    "SELECT id, project, 0, channel, attempts, note, changed_us FROM notification "
    "WHERE state = 'failed' AND (project = $1 OR $1 = '') AND id > $2 ORDER BY id LIMIT $3",
    "UPDATE notification SET state = 'pending', generation = generation + 1, changed_us = $2, "
    "due_us = $2 WHERE id = $1 AND state = 'failed' RETURNING project"};

const KindOf& StatementsOf(LetterKind kind) {
  switch (kind) {
    case LetterKind::kJob:
      return kJob;
    case LetterKind::kReport:
      return kReport;
    case LetterKind::kNotification:
      return kNotification;
  }
  return kJob;
}

absl::StatusOr<std::vector<DeadLetter>> ListIn(Session& session, const KindOf& kind,
                                               absl::string_view project, int64_t after,
                                               uint32_t limit) {
  const absl::StatusOr<Rows> rows = session.Query(kind.list, {project, after, int64_t{limit}});
  if (!rows.ok()) return rows.status();
  std::vector<DeadLetter> letters;
  for (const Row& row : *rows) {
    letters.push_back({row.Number(0), row.Text(1), row.Number(2), row.Text(3),
                       static_cast<uint32_t>(row.Number(4)), row.Text(5),
                       absl::FromUnixMicros(row.Number(6))});
  }
  return letters;
}

// Prepares a change of the targets of the job's run. No effect, if the job has not failed.
absl::Status ChangeRunOfJob(Session& session, int64_t job_id) {
  const absl::StatusOr<Rows> rows = session.Query(
      "SELECT target.run_id FROM job JOIN target ON target.id = job.target_id "
      "WHERE job.id = $1 AND job.state = 'failed'",
      {job_id});
  if (!rows.ok()) return rows.status();
  return rows->empty() ? absl::OkStatus() : sql::ChangeRun(session, rows->front().Number(0));
}

// The project of the revived row, which is of `project` or, if that is empty, of any; "" if there
// was no row to revive.
absl::StatusOr<std::string> ReviveOne(Session& session, const KindOf& kind, int64_t id,
                                      absl::string_view project, const Actor& by, absl::Time now) {
  if (&kind == &kJob) {
    if (absl::Status status = ChangeRunOfJob(session, id); !status.ok()) return status;
  }
  const absl::StatusOr<Rows> rows = session.Query(kind.revive, {id, absl::ToUnixMicros(now)});
  if (!rows.ok()) return rows.status();
  if (rows->empty()) return std::string();
  std::string found = rows->front().Text(0);
  if (!project.empty() && found != project) {
    return absl::NotFoundError(
        absl::StrCat(kind.name, " ", id, " is not of project \"", project, "\""));
  }
  const std::string subject = absl::StrCat(kind.name, " ", id);
  absl::Status told = sql::AddAuditRow(session, by, {found, kind.action, subject, ""}, now);
  if (!told.ok()) return told;
  return found;
}

absl::Status NothingToRevive(Session& session, LetterKind kind, int64_t id) {
  if (kind == LetterKind::kJob) {
    const absl::StatusOr<Rows> rows =
        session.Query("SELECT 1 FROM job WHERE id = $1 AND state = 'failed'", {id});
    if (!rows.ok()) return rows.status();
    if (!rows->empty()) {
      return absl::FailedPreconditionError(
          absl::StrCat("job ", id,
                       ": its profiles were removed because they were old; delete its run, or let "
                       "its tests run again"));
    }
  }
  return absl::NotFoundError(absl::StrCat("there is no ", StatementsOf(kind).name, " ", id));
}

}  // namespace

DeadLetters::DeadLetters(std::shared_ptr<sql::Database> database)
    : database_(std::move(database)) {}

absl::StatusOr<std::vector<DeadLetter>> DeadLetters::List(LetterKind kind,
                                                          const LetterFilter& filter, int64_t after,
                                                          uint32_t limit) const {
  if (absl::Status status = CheckText("project", filter.project); !status.ok()) return status;
  return sql::ReadIn(*database_, [&](Session& session) {
    return ListIn(session, StatementsOf(kind), filter.project, after, limit);
  });
}

absl::StatusOr<uint64_t> DeadLetters::Revive(LetterKind kind, const LetterFilter& filter,
                                             const Actor& by, absl::Time now) const {
  if (absl::Status status = CheckText("project", filter.project); !status.ok()) return status;
  const KindOf& statements = StatementsOf(kind);
  uint64_t revived = 0;
  for (const int64_t id : filter.ids) {
    absl::Status status = database_->Write([&](Session& session) {
      const absl::StatusOr<std::string> project =
          ReviveOne(session, statements, id, filter.project, by, now);
      if (!project.ok()) return project.status();
      return project->empty() ? NothingToRevive(session, kind, id) : absl::OkStatus();
    });
    if (!status.ok()) return status;
    ++revived;
  }
  if (!filter.ids.empty()) return revived;

  // A revived row leaves the list, so the step's last id is where the next step begins.
  for (int64_t after = 0;;) {
    struct Step {
      uint64_t revived = 0;
      int64_t last = 0;
      bool more = false;
    };
    const auto step = sql::WriteIn(*database_, [&](Session& session) -> absl::StatusOr<Step> {
      const absl::StatusOr<std::vector<DeadLetter>> letters =
          ListIn(session, statements, filter.project, after, kRevivedAtOnce);
      if (!letters.ok()) return letters.status();
      Step made;
      for (const DeadLetter& letter : *letters) {
        const absl::StatusOr<std::string> project =
            ReviveOne(session, statements, letter.id, letter.project, by, now);
        if (!project.ok()) return project.status();
        if (!project->empty()) ++made.revived;
        made.last = letter.id;
      }
      made.more = letters->size() == kRevivedAtOnce;
      return made;
    });
    if (!step.ok()) return step.status();
    revived += step->revived;
    if (!step->more) return revived;
    after = step->last;
  }
}

}  // namespace gprofhub::store
