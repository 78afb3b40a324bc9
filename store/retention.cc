#include "store/retention.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "store/retention_runs.h"
#include "store/sql/database.h"
#include "store/sql/engine.h"
#include "store/validation.h"

namespace gprofhub::store {

Backups::Backups(std::shared_ptr<sql::Database> database) : database_(std::move(database)) {}

absl::StatusOr<absl::Time> Backups::Last() const {
  ASSIGN_OR_RETURN(const int64_t last, sql::ReadIn(*database_, [](sql::Session& session) {
                     return sql::ReadProperty(session, sql::kLastBackup);
                   }));
  return last == 0 ? absl::InfinitePast() : absl::FromUnixMicros(last);
}

absl::Status Backups::RecordGood(absl::Time begun, absl::string_view place, const Actor& by,
                                 absl::Time now) const {
  return database_->Write([&](sql::Session& session) {
    RETURN_IF_ERROR(sql::SetProperty(session, sql::kLastBackup, absl::ToUnixMicros(begun)));
    const std::string detail =
        absl::StrCat("as of ", absl::FormatTime(absl::RFC3339_sec, begun, absl::UTCTimeZone()));
    return sql::AddAuditRow(session, by, {"", "store.backup", place, detail}, now);
  });
}

namespace {

using sql::Row;
using sql::Rows;
using sql::Session;

constexpr absl::string_view kOthers = "*";
constexpr int64_t kMostDays = 36'500;

absl::Status CheckPolicy(const RetentionPolicy& policy) {
  RETURN_IF_ERROR(CheckKey("project", policy.project));
  for (const auto& [name, days] :
       {std::pair("raw_days", policy.raw_days), std::pair("full_days", policy.full_days),
        std::pair("daily_days", policy.daily_days)}) {
    if (days < 0 || days > kMostDays) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, " is ", days, "; it must be from 0 (for ever) to ", kMostDays));
    }
  }
  const bool full = policy.full_days != 0;
  if (full && policy.daily_days != 0 && policy.daily_days < policy.full_days) {
    return absl::InvalidArgumentError(absl::StrCat(
        "daily_days (", policy.daily_days, ") is less than full_days (", policy.full_days,
        "); every run is kept for full_days, then one a day until daily_days"));
  }
  if (!full && policy.daily_days != 0) {
    return absl::InvalidArgumentError(
        "daily_days requires full_days; without it, every run is kept for ever");
  }
  for (const std::string& pattern : policy.keep_branches) {
    RETURN_IF_ERROR(CheckKey("keep_branches", pattern));
  }
  return absl::OkStatus();
}

std::string Description(const RetentionPolicy& policy) {
  return absl::StrCat("raw_days ", policy.raw_days, ", full_days ", policy.full_days,
                      ", daily_days ", policy.daily_days, ", keep_branches ",
                      absl::StrJoin(policy.keep_branches, " "));
}

absl::StatusOr<RetentionPolicy> ToPolicy(const Row& row) {
  RetentionPolicy policy{row.Text(0), row.Number(1), row.Number(2), row.Number(3), {}};
  const nlohmann::json patterns =
      nlohmann::json::parse(row.Text(4), /*cb=*/nullptr, /*allow_exceptions=*/false);
  const auto malformed = absl::DataLossError(
      absl::StrCat("the retention policy of project \"", policy.project, "\" cannot be read"));
  if (!patterns.is_array()) return malformed;
  for (const nlohmann::json& pattern : patterns) {
    if (!pattern.is_array() || pattern.size() != 1 || !pattern[0].is_string()) return malformed;
    policy.keep_branches.push_back(pattern[0].get<std::string>());
  }
  return policy;
}

// Each project with its effective policy; those without one are left out.
absl::StatusOr<std::vector<RetentionPolicy>> PoliciesToApply(
    Session& session, const std::vector<RetentionPolicy>& policies, absl::string_view only) {
  const RetentionPolicy* others = nullptr;
  for (const RetentionPolicy& policy : policies) {
    if (policy.project == kOthers) others = &policy;
  }
  // One step down the index a project: there may be very many runs.
  std::vector<RetentionPolicy> to_apply;
  for (std::string after;;) {
    ASSIGN_OR_RETURN(const Rows rows,
                     session.Query("SELECT min(project) FROM run WHERE project > $1", {after}));
    if (rows.front().Text(0).empty()) return to_apply;
    after = rows.front().Text(0);
    if (!only.empty() && after != only) continue;
    const RetentionPolicy* found = others;
    for (const RetentionPolicy& policy : policies) {
      if (policy.project == after) found = &policy;
    }
    if (found == nullptr) continue;
    to_apply.push_back(*found);
    to_apply.back().project = after;
  }
}

}  // namespace

Retention::Retention(std::shared_ptr<sql::Database> database) : database_(std::move(database)) {}

absl::Status Retention::Set(const RetentionPolicy& policy, const Actor& by, absl::Time now) const {
  RETURN_IF_ERROR(CheckPolicy(policy));
  std::vector<std::vector<std::string>> patterns;
  for (const std::string& pattern : policy.keep_branches) patterns.push_back({pattern});
  return database_->Write([&](Session& session) {
    RETURN_IF_ERROR(session.Execute(
        "INSERT INTO retention (project, raw_days, full_days, daily_days, keep_branches) "
        "VALUES ($1, $2, $3, $4, $5) ON CONFLICT (project) DO UPDATE SET "
        "raw_days = excluded.raw_days, full_days = excluded.full_days, "
        "daily_days = excluded.daily_days, keep_branches = excluded.keep_branches",
        {policy.project, policy.raw_days, policy.full_days, policy.daily_days,
         sql::JsonTable(patterns)}));
    const std::string subject = absl::StrCat("project ", policy.project);
    return sql::AddAuditRow(session, by,
                            {policy.project, "retention.set", subject, Description(policy)}, now);
  });
}

absl::StatusOr<std::vector<RetentionPolicy>> Retention::List() const {
  using Policies = absl::StatusOr<std::vector<RetentionPolicy>>;
  return sql::ReadIn(*database_, [](Session& session) -> Policies {
    ASSIGN_OR_RETURN(
        const Rows rows,
        session.Query(
            "SELECT project, raw_days, full_days, daily_days, keep_branches FROM retention "
            "ORDER BY project",
            {}));
    std::vector<RetentionPolicy> policies;
    for (const Row& row : rows) {
      ASSIGN_OR_RETURN(RetentionPolicy policy, ToPolicy(row));
      policies.push_back(std::move(policy));
    }
    return policies;
  });
}

absl::Status Retention::Remove(absl::string_view project, const Actor& by, absl::Time now) const {
  RETURN_IF_ERROR(CheckKey("project", project));
  return database_->Write([&](Session& session) {
    ASSIGN_OR_RETURN(
        const Rows rows,
        session.Query("DELETE FROM retention WHERE project = $1 RETURNING 1", {project}));
    if (rows.empty()) {
      return absl::NotFoundError(absl::StrCat("project \"", project, "\" has no retention policy"));
    }
    const std::string subject = absl::StrCat("project ", project);
    return sql::AddAuditRow(session, by, {project, "retention.remove", subject, ""}, now);
  });
}

absl::Status Retention::Pin(absl::string_view project, int64_t run_id, absl::string_view reason,
                            const Actor& by, absl::Time now) const {
  RETURN_IF_ERROR(CheckKey("project", project));
  RETURN_IF_ERROR(CheckText("reason", reason));
  return database_->Write([&](Session& session) {
    ASSIGN_OR_RETURN(const Rows rows,
                     session.Query("UPDATE run SET pin_reason = $1, "
                                   "pinned_us = CASE WHEN pinned_us = 0 THEN $2 ELSE pinned_us END "
                                   "WHERE id = $3 AND project = $4 RETURNING id",
                                   {reason, absl::ToUnixMicros(now), run_id, project}));
    if (rows.empty()) {
      return absl::NotFoundError(absl::StrCat("project \"", project, "\" has no run ", run_id));
    }
    return sql::AddAuditRow(session, by, {project, "run.pin", absl::StrCat("run ", run_id), reason},
                            now);
  });
}

absl::Status Retention::Unpin(absl::string_view project, int64_t run_id, const Actor& by,
                              absl::Time now) const {
  RETURN_IF_ERROR(CheckKey("project", project));
  return database_->Write([&](Session& session) {
    ASSIGN_OR_RETURN(const Rows rows,
                     session.Query("UPDATE run SET pinned_us = 0, pin_reason = '' "
                                   "WHERE id = $1 AND project = $2 AND pinned_us <> 0 RETURNING id",
                                   {run_id, project}));
    if (rows.empty()) {
      return absl::NotFoundError(
          absl::StrCat("project \"", project, "\" has no run ", run_id, " that is pinned"));
    }
    return sql::AddAuditRow(session, by, {project, "run.unpin", absl::StrCat("run ", run_id), ""},
                            now);
  });
}

absl::StatusOr<std::vector<PinnedRun>> Retention::ListPinned(absl::string_view project) const {
  RETURN_IF_ERROR(CheckText("project", project));
  ASSIGN_OR_RETURN(const auto rows, sql::ReadIn(*database_, [&](Session& session) {
                     return session.Query(
                         "SELECT project, id, branch, commit_hash, pinned_us, pin_reason FROM run "
                         "WHERE pinned_us <> 0 AND ($1 = '' OR project = $1) ORDER BY project, id",
                         {project});
                   }));
  std::vector<PinnedRun> pinned;
  for (const Row& row : rows) {
    pinned.push_back({row.Text(0), row.Number(1), row.Text(2), row.Text(3),
                      absl::FromUnixMicros(row.Number(4)), row.Text(5)});
  }
  return pinned;
}

absl::StatusOr<absl::Time> Retention::NewestArrival() const {
  return sql::ReadIn(*database_, [](Session& session) -> absl::StatusOr<absl::Time> {
    ASSIGN_OR_RETURN(const Rows rows,
                     session.Query("SELECT received_us FROM run ORDER BY id DESC LIMIT 1", {}));
    return rows.empty() ? absl::InfinitePast() : absl::FromUnixMicros(rows.front().Number(0));
  });
}

absl::StatusOr<Freed> Retention::Apply(absl::string_view project, const RetentionOptions& options,
                                       const Actor& by) const {
  RETURN_IF_ERROR(CheckText("project", project));
  ASSIGN_OR_RETURN(const std::vector<RetentionPolicy> policies, List());
  ASSIGN_OR_RETURN(const auto to_apply, sql::ReadIn(*database_, [&](Session& session) {
                     return PoliciesToApply(session, policies, project);
                   }));
  Freed freed;
  for (const RetentionPolicy& policy : to_apply) {
    RETURN_IF_ERROR(ThinOutRuns(*database_, policy, options, by, freed));
    RETURN_IF_ERROR(RemoveRawProfiles(*database_, policy, options, by, freed));
  }
  return freed;
}

}  // namespace gprofhub::store
