#include "store/rows/sealed_points.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace gprofhub::store::sql {
namespace {

// Of a database elsewhere each statement is a way there and back.
constexpr size_t kFunctionsAtOnce = 100;

std::string Sql(absl::string_view statement, const Dialect& dialect) {
  return absl::StrReplaceAll(statement, {{"LIST", dialect.list}});
}

// $1: the lines, $2 and $3: the first and the last run.
constexpr absl::string_view kRunsOfQuery =
    " FROM LIST JOIN sealed_runs ON line_id = CAST(item ->> 0 AS bigint) "
    "AND last_run_id >= $2 AND first_run_id <= $3";
// $1: the lines, $2: the first run, $3: the bucket, $4: one function of it, if there is a fourth.
constexpr absl::string_view kBucketOfQuery =
    " FROM LIST JOIN sealed_points ON line_id = CAST(item ->> 0 AS bigint) AND bucket = $3 "
    "AND last_run_id >= $2";
constexpr absl::string_view kFunctionOfQuery =
    " FROM LIST JOIN sealed_points ON line_id = CAST(item ->> 0 AS bigint) AND bucket = $3 "
    "AND function_hash = $4 AND last_run_id >= $2";

// Asks for `columns` of the functions' rows, in one question for each function or in one for all.
template <typename Take>
absl::Status AskForFunctions(Session& session, const Dialect& dialect, const PointQuery& query,
                             absl::string_view lines, absl::string_view columns, const Take& take) {
  std::vector<Parameter> parameters = {lines, query.first_run_id, int64_t{query.bucket}};
  const auto ask = [&](absl::string_view from) -> absl::Status {
    const absl::StatusOr<Rows> rows =
        session.Query(Sql(absl::StrCat("SELECT ", columns, from), dialect), parameters);
    if (!rows.ok()) return rows.status();
    for (const Row& row : *rows) take(row);
    return absl::OkStatus();
  };
  if (query.functions.empty()) return ask(kBucketOfQuery);
  for (const int64_t function : query.functions) {
    parameters.resize(3);
    parameters.push_back(function);
    if (absl::Status status = ask(kFunctionOfQuery); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<int64_t> NextSeal(Session& session, int64_t line) {
  const absl::StatusOr<Rows> newest =
      session.Query("SELECT coalesce(max(seal), 0) FROM sealed_runs WHERE line_id = $1", {line});
  if (!newest.ok()) return newest.status();
  return newest->front().Number(0) + 1;
}

absl::Status AddSealedRuns(Session& session, const Seal& seal, absl::string_view runs) {
  return session.Execute(
      "INSERT INTO sealed_runs (line_id, seal, first_run_id, last_run_id, is_merged, payload) "
      "VALUES ($1, $2, $3, $4, $5, $6)",
      {seal.line, seal.number, seal.first_run_id, seal.last_run_id, int64_t{seal.is_merged},
       Bytes{runs}});
}

absl::Status AddSealedPoints(Session& session, const Seal& seal, int64_t bucket,
                             absl::Span<const FunctionPoints> functions) {
  while (!functions.empty()) {
    const auto some = functions.first(std::min(kFunctionsAtOnce, functions.size()));
    functions.remove_prefix(some.size());
    std::string statement =
        "INSERT INTO sealed_points (line_id, bucket, last_run_id, seal, function_hash, payload) "
        "VALUES ";
    std::vector<Parameter> parameters = {seal.line, bucket, seal.last_run_id, seal.number};
    for (const FunctionPoints& function : some) {
      absl::StrAppend(&statement, parameters.size() == 4 ? "" : ", ", "($1, $2, $3, $4, $",
                      parameters.size() + 1, ", $", parameters.size() + 2, ")");
      parameters.push_back(function.function_hash);
      parameters.push_back(Bytes{function.payload});
    }
    if (absl::Status status = session.Execute(statement, parameters); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::pair<uint64_t, uint64_t>> MeasureSealed(Session& session,
                                                            const Dialect& dialect,
                                                            const PointQuery& query,
                                                            absl::string_view lines) {
  constexpr absl::string_view kMeasure =
      "count(*), CAST(coalesce(sum(length(payload)), 0) AS bigint)";
  const absl::StatusOr<Rows> runs =
      session.Query(Sql(absl::StrCat("SELECT ", kMeasure, kRunsOfQuery), dialect),
                    {lines, query.first_run_id, query.last_run_id});
  if (!runs.ok()) return runs.status();
  auto count = static_cast<uint64_t>(runs->front().Number(0));
  auto bytes = static_cast<uint64_t>(runs->front().Number(1));
  absl::Status status =
      AskForFunctions(session, dialect, query, lines, kMeasure, [&](const Row& row) {
        count += static_cast<uint64_t>(row.Number(0));
        bytes += static_cast<uint64_t>(row.Number(1));
      });
  if (!status.ok()) return status;
  return std::pair(count, bytes);
}

absl::Status ReadSealed(Session& session, const Dialect& dialect, const PointQuery& query,
                        absl::string_view lines, absl::Span<const int64_t> ids,
                        absl::Span<LinePoints> sealed) {
  const absl::StatusOr<Rows> runs =
      session.Query(Sql(absl::StrCat("SELECT line_id, seal, payload", kRunsOfQuery), dialect),
                    {lines, query.first_run_id, query.last_run_id});
  if (!runs.ok()) return runs.status();
  absl::flat_hash_map<int64_t, size_t> places;
  for (size_t i = 0; i < ids.size(); ++i) places[ids[i]] = i;
  std::vector<std::tuple<size_t, int64_t, size_t>> newest_first;  // place, -seal, row
  newest_first.reserve(runs->size());
  for (size_t row = 0; row < runs->size(); ++row) {
    newest_first.emplace_back(places[(*runs)[row].Number(0)], -(*runs)[row].Number(1), row);
  }
  std::sort(newest_first.begin(), newest_first.end());
  absl::flat_hash_map<std::pair<int64_t, int64_t>, std::pair<size_t, size_t>> of_seal;
  for (const auto& [place, seal, row] : newest_first) {
    std::vector<PackedPoints>& of_line = sealed[place].sealed;
    of_seal[{ids[place], -seal}] = {place, of_line.size()};
    of_line.push_back({(*runs)[row].Text(2), {}});
  }
  absl::Status status = AskForFunctions(
      session, dialect, query, lines, "line_id, seal, function_hash, payload", [&](const Row& row) {
        const auto found = of_seal.find({row.Number(0), row.Number(1)});
        if (found == of_seal.end()) return;  // of runs after the last requested one
        const auto [place, of_line] = found->second;
        sealed[place].sealed[of_line].functions.push_back({row.Number(2), row.Text(3)});
      });
  if (!status.ok()) return status;
  const auto by_hash = [](const FunctionPoints& a, const FunctionPoints& b) {
    return a.function_hash < b.function_hash;
  };
  for (LinePoints& line : sealed) {
    for (PackedPoints& points : line.sealed) {
      std::sort(points.functions.begin(), points.functions.end(), by_hash);
    }
  }
  return absl::OkStatus();
}

absl::Status DeleteEmptySeals(Session& session, const Dialect& dialect,
                              const std::vector<int64_t>& lines, int64_t run_id) {
  const std::string list = JsonColumn(lines);
  const absl::StatusOr<Rows> empty = session.Query(
      Sql("SELECT line_id, last_run_id, seal FROM LIST "
          "JOIN sealed_runs ON line_id = CAST(item ->> 0 AS bigint) "
          "AND last_run_id >= $2 AND first_run_id <= $2 WHERE NOT EXISTS ("
          "SELECT 1 FROM series_line JOIN run ON run.project = series_line.project "
          "AND run.branch = series_line.branch "
          "AND run.id BETWEEN sealed_runs.first_run_id AND sealed_runs.last_run_id "
          "JOIN target ON target.run_id = run.id AND target.label = series_line.label "
          "WHERE series_line.id = sealed_runs.line_id)",
          dialect),
      {list, run_id});
  if (!empty.ok()) return empty.status();
  for (const Row& row : *empty) {
    const Parameter seal[] = {row.Number(0), row.Number(1), row.Number(2)};
    absl::Status status =
        session.Execute(absl::StrCat("DELETE FROM sealed_points WHERE line_id = $1 AND bucket IN ",
                                     kEachBucket, " AND last_run_id = $2 AND seal = $3"),
                        seal);
    if (status.ok()) {
      status = session.Execute(
          "DELETE FROM sealed_runs WHERE line_id = $1 AND last_run_id = $2 AND seal = $3", seal);
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace gprofhub::store::sql
