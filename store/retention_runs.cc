// Whether a run stays depends on the run and on later runs of its series alone. So runs are
// examined one after the other, from the oldest on, without state between steps or processes: a
// restart gives the same result.
#include "store/retention_runs.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/glob.h"
#include "base/status_macros.h"
#include "store/rows/kept_changes.h"
#include "store/sql/database.h"

namespace gprofhub::store {

namespace {

using sql::Row;
using sql::Rows;
using sql::Session;

constexpr int64_t kDay = 24LL * 60 * 60 * 1'000'000;  // microseconds
constexpr int64_t kWeek = 7 * kDay;
// 1970-01-05 was a Monday.
constexpr int64_t kMonday = 4 * kDay;

struct OldRun {
  int64_t id = 0;
  int64_t ordered = 0;  // microseconds
  std::string branch;
  std::string configuration;
  std::string machine;
  std::string profile_kind;
  std::string pull_request;
  std::string commit;
  bool is_main_line = false;
  bool is_busy = false;  // an analysis of it is to be made
  bool is_base = false;
  bool is_pinned = false;
};

// Runs of the project before `before`, after the given one in their order. `condition` chooses
// among them.
absl::StatusOr<std::vector<OldRun>> RunsAfter(Session& session, absl::string_view project,
                                              int64_t before, int64_t after_time, int64_t after_id,
                                              absl::string_view condition, int64_t limit) {
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query(
          absl::StrCat(
              "SELECT id, ordered_us, branch, configuration, machine, profile_kind, pull_request, "
              "commit_hash, from_fork, CASE WHEN EXISTS (SELECT 1 FROM job "
              "JOIN target ON target.id = job.target_id WHERE target.run_id = run.id "
              "AND job.state IN ('pending', 'leased')) "
              "THEN 1 ELSE 0 END, CASE WHEN EXISTS (SELECT 1 FROM run AS pull "
              "WHERE pull.project = run.project AND pull.base_commit = run.commit_hash "
              "AND pull.base_commit <> '' AND pull.pull_request <> '') THEN 1 ELSE 0 END, "
              "pinned_us FROM run WHERE project = $1 AND ordered_us < $2 AND (ordered_us, id) > "
              "($3, "
              "$4) ",
              condition, " ORDER BY ordered_us, id LIMIT $5"),
          {project, before, after_time, after_id, limit}));
  std::vector<OldRun> runs;
  for (const Row& row : rows) {
    OldRun& run = runs.emplace_back();
    run.id = row.Number(0);
    run.ordered = row.Number(1);
    run.branch = row.Text(2);
    run.configuration = row.Text(3);
    run.machine = row.Text(4);
    run.profile_kind = row.Text(5);
    run.pull_request = row.Text(6);
    run.commit = row.Text(7);
    run.is_main_line = run.pull_request.empty() && row.Number(8) == 0;
    run.is_busy = row.Number(9) != 0;
    run.is_base = row.Number(10) != 0;
    run.is_pinned = row.Number(11) != 0;
  }
  return runs;
}

// Where the run's day or week ends: the beginning of the next one.
int64_t EndOfSpan(int64_t time, int64_t span, int64_t begin) {
  int64_t into = (time - begin) % span;
  if (into < 0) into += span;
  return time - into + span;
}

// Whether a later run of its series, in its span, takes the run's place.
absl::StatusOr<bool> HasLater(Session& session, absl::string_view project, const OldRun& run,
                              int64_t end) {
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query("SELECT 1 FROM run WHERE project = $1 AND ordered_us < $2 AND (ordered_us, id) "
                    "> ($3, $4) "
                    "AND branch = $5 AND configuration = $6 AND machine = $7 AND profile_kind = $8 "
                    "AND pull_request = '' AND from_fork = 0 LIMIT 1",
                    {project, end, run.ordered, run.id, run.branch, run.configuration, run.machine,
                     run.profile_kind}));
  return !rows.empty();
}

// Whether a finding that first appeared in the run was acknowledged.
absl::StatusOr<bool> IsAcknowledged(Session& session, absl::string_view project,
                                    const OldRun& run) {
  ASSIGN_OR_RETURN(const Rows gated, session.Query("SELECT pull_request, target, function_name, "
                                                   "function_display FROM gated WHERE run_id = $1",
                                                   {run.id}));
  if (gated.empty()) return false;
  ASSIGN_OR_RETURN(const Rows said,
                   session.Query("SELECT pull_request, target, function_name FROM acknowledgement "
                                 "WHERE project = $1 AND taken_back_us = 0",
                                 {project}));
  for (const Row& finding : gated) {
    for (const Row& word : said) {
      const bool same_pull_request = word.Text(0).empty() || word.Text(0) == finding.Text(0);
      const bool same_target =
          word.Text(1).empty() || base::GlobMatches(word.Text(1), finding.Text(1));
      const bool same_function = base::GlobMatches(word.Text(2), finding.Text(2)) ||
                                 base::GlobMatches(word.Text(2), finding.Text(3));
      if (same_pull_request && same_target && same_function) return true;
    }
  }
  return false;
}

// Whether the run stays whole regardless of its age.
absl::StatusOr<bool> Stays(Session& session, const RetentionPolicy& policy, const OldRun& run) {
  if (run.is_busy || run.is_base || run.is_pinned) return true;
  for (const std::string& pattern : policy.keep_branches) {
    if (base::GlobMatches(pattern, run.branch)) return true;
  }
  return IsAcknowledged(session, policy.project, run);
}

// Whether its age alone lets the run go.
absl::StatusOr<bool> IsSpare(Session& session, const RetentionPolicy& policy, const OldRun& run,
                             int64_t now) {
  if (!run.is_main_line) return true;
  const bool daily = policy.daily_days == 0 || run.ordered >= now - policy.daily_days * kDay;
  const int64_t end =
      daily ? EndOfSpan(run.ordered, kDay, 0) : EndOfSpan(run.ordered, kWeek, kMonday);
  return HasLater(session, policy.project, run, end);
}

// Locks the run. False if it was deleted or pinned meanwhile.
absl::StatusOr<bool> LockRun(Session& session, const sql::Dialect& dialect, int64_t run_id) {
  ASSIGN_OR_RETURN(const Rows rows,
                   session.Query(absl::StrCat("SELECT id FROM run WHERE id = $1 AND pinned_us = 0",
                                              dialect.for_update),
                                 {run_id}));
  return !rows.empty();
}

struct Deleted {
  uint64_t targets = 0;
  uint64_t profiles = 0;
  bool whole = false;    // the run itself went
  bool no_more = false;  // there is nothing to be deleted any more
};

// Deletes some of the run's targets, and the run with the last of them.
absl::StatusOr<Deleted> DeleteSome(Session& session, const sql::Dialect& dialect,
                                   const RetentionPolicy& policy, const OldRun& run,
                                   int64_t at_once, const Actor& by, absl::Time now) {
  Deleted deleted;
  ASSIGN_OR_RETURN(const bool there, LockRun(session, dialect, run.id));
  if (!there) {
    deleted.no_more = true;
    return deleted;
  }
  ASSIGN_OR_RETURN(const std::vector<int64_t> targets,
                   sql::LockTargets(session, dialect, run.id, at_once));
  ASSIGN_OR_RETURN(
      const Rows profiles,
      session.Query(
          absl::StrCat("SELECT count(*) FROM profile JOIN execution ON execution.id = execution_id "
                       "WHERE target_id IN (SELECT id FROM target WHERE run_id = $1 ORDER BY id "
                       "LIMIT $2)"),
          {run.id, at_once}));
  RETURN_IF_ERROR(sql::DeleteTargets(session, dialect, run.id, targets));
  deleted.targets = targets.size();
  deleted.profiles = static_cast<uint64_t>(profiles.front().Number(0));
  if (static_cast<int64_t>(targets.size()) == at_once) {
    ASSIGN_OR_RETURN(const Rows more,
                     session.Query("SELECT 1 FROM target WHERE run_id = $1 LIMIT 1", {run.id}));
    if (!more.empty()) return deleted;
  }
  RETURN_IF_ERROR(sql::DeleteRunRow(session, run.id));
  const std::string subject = absl::StrCat("run ", run.id);
  const std::string detail = absl::StrCat("retention: commit ", run.commit, ", branch ", run.branch,
                                          run.is_main_line ? "" : ", of a pull request or a fork");
  RETURN_IF_ERROR(
      sql::AddAuditRow(session, by, {policy.project, "run.delete", subject, detail}, now));
  deleted.whole = true;
  return deleted;
}

absl::Status DeleteRun(sql::Database& database, const RetentionPolicy& policy, const OldRun& run,
                       const RetentionOptions& options, const Actor& by, Freed& freed) {
  while (true) {
    ASSIGN_OR_RETURN(const Deleted deleted, sql::WriteIn(database, [&](Session& session) {
                       return DeleteSome(session, database.dialect(), policy, run,
                                         int64_t{options.targets_at_once}, by, options.now());
                     }));
    freed.targets += deleted.targets;
    freed.profiles += deleted.profiles;
    if (deleted.whole) ++freed.runs;
    if (deleted.whole || deleted.no_more) return absl::OkStatus();
    RETURN_IF_ERROR(options.pause());
  }
}

// Counts the data that would be deleted with the run.
absl::Status Count(Session& session, const OldRun& run, Freed& freed) {
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query(
          "SELECT (SELECT count(*) FROM target WHERE run_id = $1), (SELECT count(*) FROM profile "
          "JOIN execution ON execution.id = execution_id JOIN target ON target.id = target_id "
          "WHERE target.run_id = $1)",
          {run.id}));
  ++freed.runs;
  freed.targets += static_cast<uint64_t>(rows.front().Number(0));
  freed.profiles += static_cast<uint64_t>(rows.front().Number(1));
  return absl::OkStatus();
}

// The runs of the page to delete. Counts in `freed` those that stay, and with dry_run the ones that
// would be deleted.
absl::StatusOr<std::vector<OldRun>> Choose(Session& session, const RetentionPolicy& policy,
                                           const std::vector<OldRun>& page, int64_t now,
                                           bool dry_run, Freed& freed) {
  std::vector<OldRun> going;
  for (const OldRun& run : page) {
    ASSIGN_OR_RETURN(const bool is_spare, IsSpare(session, policy, run, now));
    if (!is_spare) continue;
    ASSIGN_OR_RETURN(const bool stays, Stays(session, policy, run));
    if (stays) {
      ++freed.kept;
    } else if (!dry_run) {
      going.push_back(run);
    } else {
      RETURN_IF_ERROR(Count(session, run, freed));
    }
  }
  return going;
}

// Deletes the profiles of some targets of the run; true if none has any left.
absl::StatusOr<bool> RemoveSome(Session& session, const sql::Dialect& dialect,
                                const RetentionPolicy& policy, const OldRun& run, int64_t at_once,
                                const Actor& by, absl::Time now, uint64_t& removed) {
  removed = 0;
  ASSIGN_OR_RETURN(const bool there, LockRun(session, dialect, run.id));
  if (!there) return true;
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query(
          "SELECT execution.id FROM execution WHERE target_id IN (SELECT target.id FROM target "
          "WHERE target.run_id = $1 AND EXISTS (SELECT 1 FROM execution AS own "
          "JOIN profile ON profile.execution_id = own.id WHERE own.target_id = target.id) "
          "ORDER BY target.id LIMIT $2) ORDER BY execution.id",
          {run.id, at_once}));
  if (rows.empty()) {
    RETURN_IF_ERROR(session.Execute("UPDATE run SET raw_removed = 1 WHERE id = $1", {run.id}));
    return true;
  }
  std::vector<int64_t> executions;
  for (const Row& row : rows) executions.push_back(row.Number(0));
  ASSIGN_OR_RETURN(const int64_t profiles,
                   sql::DeleteProfiles(session, dialect, executions, /*removed=*/true));
  removed = static_cast<uint64_t>(profiles);
  const std::string subject = absl::StrCat("run ", run.id);
  const std::string detail = absl::StrCat("retention: ", profiles, " profiles");
  RETURN_IF_ERROR(
      sql::AddAuditRow(session, by, {policy.project, "profile.delete", subject, detail}, now));
  return false;
}

absl::Status RemoveProfilesOf(sql::Database& database, const RetentionPolicy& policy,
                              const OldRun& run, const RetentionOptions& options, const Actor& by,
                              Freed& freed) {
  while (true) {
    uint64_t removed = 0;
    ASSIGN_OR_RETURN(const bool done, sql::WriteIn(database, [&](Session& session) {
                       return RemoveSome(session, database.dialect(), policy, run,
                                         int64_t{options.targets_at_once}, by, options.now(),
                                         removed);
                     }));
    freed.profiles += removed;
    if (done) return absl::OkStatus();
    RETURN_IF_ERROR(options.pause());
  }
}

// Calls `each` with pages of runs that are older than `days` days. `each` may delete them.
template <typename Each>
absl::Status ForOldRuns(sql::Database& database, const RetentionPolicy& policy, int64_t days,
                        absl::string_view condition, const RetentionOptions& options,
                        const Each& each) {
  if (days == 0) return absl::OkStatus();
  const int64_t now = absl::ToUnixMicros(options.now());
  int64_t after_time = INT64_MIN;
  int64_t after_id = 0;
  while (true) {
    ASSIGN_OR_RETURN(const std::vector<OldRun> page, sql::ReadIn(database, [&](Session& session) {
                       return RunsAfter(session, policy.project, now - days * kDay, after_time,
                                        after_id, condition, int64_t{options.runs_at_once});
                     }));
    if (page.empty()) return absl::OkStatus();
    RETURN_IF_ERROR(each(page, now));
    after_time = page.back().ordered;
    after_id = page.back().id;
    RETURN_IF_ERROR(options.pause());
  }
}

}  // namespace

absl::Status ThinOutRuns(sql::Database& database, const RetentionPolicy& policy,
                         const RetentionOptions& options, const Actor& by, Freed& freed) {
  const auto each = [&](const std::vector<OldRun>& page, int64_t now) {
    Freed of_page;
    ASSIGN_OR_RETURN(const auto going, sql::ReadIn(database, [&](Session& session) {
                       of_page = Freed();
                       return Choose(session, policy, page, now, options.dry_run, of_page);
                     }));
    freed.runs += of_page.runs;
    freed.targets += of_page.targets;
    freed.profiles += of_page.profiles;
    freed.kept += of_page.kept;
    for (const OldRun& run : going) {
      RETURN_IF_ERROR(DeleteRun(database, policy, run, options, by, freed));
      RETURN_IF_ERROR(options.pause());
    }
    return absl::OkStatus();
  };
  return ForOldRuns(database, policy, policy.full_days, "", options, each);
}

absl::Status RemoveRawProfiles(sql::Database& database, const RetentionPolicy& policy,
                               const RetentionOptions& options, const Actor& by, Freed& freed) {
  const auto each = [&](const std::vector<OldRun>& page, int64_t now) {
    for (const OldRun& run : page) {
      ASSIGN_OR_RETURN(const bool stays, sql::ReadIn(database, [&](Session& session) {
                         return Stays(session, policy, run);
                       }));
      if (stays) continue;
      if (!options.dry_run) {
        RETURN_IF_ERROR(RemoveProfilesOf(database, policy, run, options, by, freed));
        continue;
      }
      // Those that would go as a whole were counted with the run.
      Freed of_run;
      RETURN_IF_ERROR(database.Read([&](Session& session) {
        of_run = Freed();
        const bool thinned = policy.full_days != 0 && run.ordered < now - policy.full_days * kDay;
        if (thinned) {
          ASSIGN_OR_RETURN(const bool is_spare, IsSpare(session, policy, run, now));
          if (is_spare) return absl::OkStatus();
        }
        return Count(session, run, of_run);
      }));
      freed.profiles += of_run.profiles;
    }
    return absl::OkStatus();
  };
  return ForOldRuns(database, policy, policy.raw_days, "AND raw_removed = 0", options, each);
}

}  // namespace gprofhub::store
