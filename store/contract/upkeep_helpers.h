// Shortcuts for the tests of store/.
#pragma once

#include <string>
#include <vector>

#include "store/contract/helpers.h"
#include "store/sql/database.h"
#include "store/upkeep.h"

namespace gprofhub::store {

inline const Actor kOperator = {"operator", "host", 0};

// The single number that a statement returns; -1 and a test failure otherwise.
inline int64_t NumberOf(sql::Database& database, const std::string& statement) {
  int64_t number = -1;
  const absl::Status status = database.Read([&](sql::Session& session) {
    const absl::StatusOr<sql::Rows> rows = session.Query(statement, {});
    if (rows.ok() && !rows->empty()) number = rows->front().Number(0);
    return rows.status();
  });
  EXPECT_TRUE(status.ok()) << status;
  return number;
}

inline void Do(sql::Database& database, const std::string& statement) {
  const absl::Status status =
      database.Write([&](sql::Session& session) { return session.Execute(statement, {}); });
  EXPECT_TRUE(status.ok()) << status;
}

// Number of audit log rows with this action.
inline int CountAudit(const Store& store, const std::string& action) {
  const absl::StatusOr<std::vector<AuditRecord>> records = store.audit.List({});
  EXPECT_TRUE(records.ok()) << records.status();
  int count = 0;
  for (const AuditRecord& record : *records) count += record.action == action ? 1 : 0;
  return count;
}

// Claims the only job and analyses it.
inline void Analyze(const Store& store, const std::string& text = "computed") {
  const Job job = Claim(store);
  EXPECT_OK(store.jobs.Complete(job, MakeResult(job, text), kNow));
}

// The kinds of an inspection's findings, sorted.
inline std::vector<std::string> Kinds(const Upkeep& upkeep, bool damages_only = false) {
  std::vector<std::string> kinds;
  InspectionOptions options;
  options.now = absl::InfiniteFuture();
  options.on_finding = [&](const InspectionFinding& finding) {
    EXPECT_FALSE(finding.subject.empty());
    EXPECT_FALSE(finding.advice.empty());
    if (finding.is_damage || !damages_only) kinds.push_back(finding.kind);
  };
  const absl::StatusOr<InspectionSummary> summary = upkeep.inspection.Run(options);
  EXPECT_TRUE(summary.ok()) << summary.status();
  std::sort(kinds.begin(), kinds.end());
  return kinds;
}

}  // namespace gprofhub::store
