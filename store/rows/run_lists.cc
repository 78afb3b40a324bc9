#include "store/rows/run_lists.h"

#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace gprofhub::store::sql {
namespace {

// A commit's prefix is a range: no text in UTF-8 sorts after U+10FFFF.
constexpr absl::string_view kLastCharacter = "\xF4\x8F\xBF\xBF";

}  // namespace

absl::StatusOr<Rows> ListRunRows(Session& session, absl::string_view columns,
                                 const RunFilter& filter) {
  std::string sql = absl::StrCat("SELECT ", columns, " FROM run WHERE project = $1");
  std::vector<Parameter> parameters = {filter.project};
  const auto add = [&sql, &parameters](absl::string_view condition, absl::string_view value) {
    parameters.push_back(value);
    absl::StrAppend(&sql, " AND ", condition, " $", parameters.size());
  };
  if (!filter.branch.empty()) add("branch =", filter.branch);
  if (!filter.pull_request.empty()) add("pull_request =", filter.pull_request);
  if (!filter.configuration.empty()) add("configuration =", filter.configuration);
  const std::string after = absl::StrCat(filter.commit, kLastCharacter);
  if (!filter.commit.empty()) {
    add("commit_hash >=", filter.commit);
    add("commit_hash <", after);
  }
  if (filter.until != absl::InfiniteFuture()) {
    parameters.push_back(absl::ToUnixMicros(filter.until));
    absl::StrAppend(&sql, " AND ordered_us <= $", parameters.size());
  }
  if (filter.mainline_only) sql += " AND pull_request = '' AND from_fork = 0";
  if (filter.counted_only) {
    sql += " AND profile_kind = 'counted'";
  } else {
    sql += filter.windows_only ? " AND is_window = 1" : " AND is_window = 0";
  }
  parameters.push_back(int64_t{filter.limit});
  absl::StrAppend(&sql, " ORDER BY ", filter.by_arrival ? "" : "ordered_us DESC, ",
                  "id DESC LIMIT $", parameters.size());
  return session.Query(sql, parameters);
}

absl::StatusOr<std::vector<RunHead>> ListRunHeads(Session& session, const RunFilter& filter) {
  const absl::StatusOr<Rows> rows =
      ListRunRows(session,
                  "id, commit_hash, branch, configuration, "
                  "CASE WHEN pull_request = '' AND from_fork = 0 THEN 1 ELSE 0 END, ordered_us",
                  filter);
  if (!rows.ok()) return rows.status();
  std::vector<RunHead> runs;
  runs.reserve(rows->size());
  for (const Row& row : *rows) {
    runs.push_back({row.Number(0), row.Text(1), row.Text(2), row.Text(3), row.Number(4) != 0,
                    absl::FromUnixMicros(row.Number(5))});
  }
  return runs;
}

absl::StatusOr<std::vector<RunState>> ListRunStates(Session& session, const RunFilter& filter) {
  const absl::StatusOr<Rows> rows = ListRunRows(session, "id, revision", filter);
  if (!rows.ok()) return rows.status();
  std::vector<RunState> runs;
  runs.reserve(rows->size());
  for (const Row& row : *rows) runs.push_back({row.Number(0), row.Number(1)});
  return runs;
}

}  // namespace gprofhub::store::sql
