#include "store/rows/points.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/status_macros.h"

namespace gprofhub::store::sql {

namespace {

// Of a database elsewhere each statement is a way there and back.
constexpr size_t kFunctionsAtOnce = 100;

std::string Sql(absl::string_view statement, const Dialect& dialect) {
  return absl::StrReplaceAll(statement, {{"LIST", dialect.list}});
}

// $1: the lines and buckets, $2 and $3: the first and the last run.
constexpr absl::string_view kOpenOfQuery =
    " FROM LIST JOIN open_points ON line_id = CAST(item ->> 0 AS bigint) "
    "AND bucket = CAST(item ->> 1 AS bigint) AND run_id BETWEEN $2 AND $3";
// $1: the lines, $2 and $3: the first and the last run.
constexpr absl::string_view kRunsOfQuery =
    " FROM LIST JOIN sealed_runs ON line_id = CAST(item ->> 0 AS bigint) "
    "AND last_run_id >= $2 AND first_run_id <= $3";
// $1: the lines and buckets, $2: the first run, $3: one function, if there is a third.
constexpr absl::string_view kBucketOfQuery =
    " FROM LIST JOIN sealed_points ON line_id = CAST(item ->> 0 AS bigint) "
    "AND bucket = CAST(item ->> 1 AS bigint) AND last_run_id >= $2";
constexpr absl::string_view kFunctionOfQuery =
    " FROM LIST JOIN sealed_points ON line_id = CAST(item ->> 0 AS bigint) "
    "AND bucket = CAST(item ->> 1 AS bigint) AND function_hash = $3 AND last_run_id >= $2";

// The statements that ask for `columns` of the points of the query's functions, each or all.
std::vector<Statement> ForFunctions(const Dialect& dialect, const PointQuery& query,
                                    absl::string_view buckets, absl::string_view columns) {
  std::vector<Statement> statements;
  const std::vector<Parameter> parameters = {buckets, query.first_run_id};
  if (query.functions.empty()) {
    statements.push_back(
        {Sql(absl::StrCat("SELECT ", columns, kBucketOfQuery), dialect), parameters});
  }
  for (const int64_t function : query.functions) {
    statements.push_back(
        {Sql(absl::StrCat("SELECT ", columns, kFunctionOfQuery), dialect), parameters});
    statements.back().parameters.emplace_back(function);
  }
  return statements;
}

// The query's statements, each with `columns` of one table. The first is about open points, the
// second about the runs of seals, the others about sealed points. The lists are JSON, and outlive
// the statements.
struct Columns {
  absl::string_view of_open, of_runs, of_functions;
};
struct Lists {
  std::string lines, buckets;
};
std::vector<Statement> StatementsOf(const Dialect& dialect, const PointQuery& query,
                                    const Lists& lists, const Columns& columns) {
  std::vector<Statement> statements = {
      {Sql(absl::StrCat("SELECT ", columns.of_open, kOpenOfQuery), dialect),
       {lists.buckets, query.first_run_id, query.last_run_id}},
      {Sql(absl::StrCat("SELECT ", columns.of_runs, kRunsOfQuery), dialect),
       {lists.lines, query.first_run_id, query.last_run_id}}};
  for (Statement& statement : ForFunctions(dialect, query, lists.buckets, columns.of_functions)) {
    statements.push_back(std::move(statement));
  }
  return statements;
}

// The lines, and each bucket of theirs.
Lists ListsOf(absl::Span<const int64_t> lines, const PointQuery& query) {
  std::vector<std::vector<std::string>> buckets;
  for (const int64_t line : lines) {
    for (uint32_t bucket = query.bucket; bucket <= query.bucket + query.more_buckets; ++bucket) {
      buckets.push_back({absl::StrCat(line), absl::StrCat(bucket)});
    }
  }
  return {JsonColumn(lines), JsonTable(buckets)};
}

// Number and size in bytes of the query's rows. Neither engine reads a payload for its length.
absl::StatusOr<std::pair<uint64_t, uint64_t>> Measure(Session& session, const Dialect& dialect,
                                                      const PointQuery& query, const Lists& lists) {
  constexpr absl::string_view kMeasure =
      "count(*), CAST(coalesce(sum(length(payload)), 0) AS bigint)";
  ASSIGN_OR_RETURN(
      const std::vector<Rows> found,
      session.QueryAll(StatementsOf(dialect, query, lists, {kMeasure, kMeasure, kMeasure})));
  std::pair<uint64_t, uint64_t> sum;
  for (const Rows& rows : found) {
    sum.first += static_cast<uint64_t>(rows.front().Number(0));
    sum.second += static_cast<uint64_t>(rows.front().Number(1));
  }
  return sum;
}

// Adds the rows of seals' runs and of sealed points to the lines of these ids.
void AddSealedRows(const Rows& runs, absl::Span<const Rows> functions,
                   const absl::flat_hash_map<int64_t, size_t>& places,
                   std::vector<LinePoints>& lines) {
  std::vector<std::tuple<size_t, int64_t, size_t>> newest_first;  // place, -seal, row
  newest_first.reserve(runs.size());
  for (size_t row = 0; row < runs.size(); ++row) {
    newest_first.emplace_back(places.at(runs[row].Number(0)), -runs[row].Number(1), row);
  }
  std::sort(newest_first.begin(), newest_first.end());
  absl::flat_hash_map<std::pair<int64_t, int64_t>, std::pair<size_t, size_t>> of_seal;
  for (const auto& [place, seal, row] : newest_first) {
    std::vector<PackedPoints>& of_line = lines[place].sealed;
    of_seal[{runs[row].Number(0), -seal}] = {place, of_line.size()};
    of_line.push_back({runs[row].Text(2), {}});
  }
  for (const Rows& rows : functions) {
    for (const Row& row : rows) {
      const auto found = of_seal.find({row.Number(0), row.Number(1)});
      if (found == of_seal.end()) continue;  // of runs after the last requested one
      const auto [place, of_line] = found->second;
      lines[place].sealed[of_line].functions.push_back({row.Number(2), row.Text(3)});
    }
  }
  const auto by_hash = [](const FunctionPoints& a, const FunctionPoints& b) {
    return a.function_hash < b.function_hash;
  };
  for (LinePoints& line : lines) {
    for (PackedPoints& points : line.sealed) {
      std::sort(points.functions.begin(), points.functions.end(), by_hash);
    }
  }
}

}  // namespace

absl::StatusOr<int64_t> NextSeal(Session& session, int64_t line) {
  ASSIGN_OR_RETURN(
      const Rows newest,
      session.Query("SELECT coalesce(max(seal), 0) FROM sealed_runs WHERE line_id = $1", {line}));
  return newest.front().Number(0) + 1;
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
    RETURN_IF_ERROR(session.Execute(statement, parameters));
  }
  return absl::OkStatus();
}

absl::Status DeleteEmptySeals(Session& session, const Dialect& dialect,
                              const std::vector<int64_t>& lines, int64_t run_id) {
  const std::string list = JsonColumn(lines);
  ASSIGN_OR_RETURN(
      const Rows empty,
      session.Query(
          Sql("SELECT line_id, last_run_id, seal FROM LIST "
              "JOIN sealed_runs ON line_id = CAST(item ->> 0 AS bigint) "
              "AND last_run_id >= $2 AND first_run_id <= $2 WHERE NOT EXISTS ("
              "SELECT 1 FROM series_line JOIN run ON run.project = series_line.project "
              "AND run.branch = series_line.branch "
              "AND run.id BETWEEN sealed_runs.first_run_id AND sealed_runs.last_run_id "
              "JOIN target ON target.run_id = run.id AND target.label = series_line.label "
              "WHERE series_line.id = sealed_runs.line_id)",
              dialect),
          {list, run_id}));
  for (const Row& row : empty) {
    const Parameter seal[] = {row.Number(0), row.Number(1), row.Number(2)};
    RETURN_IF_ERROR(
        session.Execute(absl::StrCat("DELETE FROM sealed_points WHERE line_id = $1 AND bucket IN ",
                                     kEachBucket, " AND last_run_id = $2 AND seal = $3"),
                        seal));
    RETURN_IF_ERROR(session.Execute(
        "DELETE FROM sealed_runs WHERE line_id = $1 AND last_run_id = $2 AND seal = $3", seal));
  }
  return absl::OkStatus();
}

namespace {

std::string PointsSql(absl::string_view statement, const Dialect& dialect) {
  return absl::StrReplaceAll(statement, {{"LIST", dialect.list}, {"EACH_BUCKET", kEachBucket}});
}

absl::Status AddLine(Session& session, int64_t run_id, absl::string_view label) {
  return session.Execute(
      "INSERT INTO series_line (project, branch, label) "
      "SELECT project, branch, CAST($2 AS text) FROM run WHERE id = $1 "
      "ON CONFLICT (project, branch, label) DO NOTHING",
      {run_id, label});
}

// Packs each bucket's points of the line's first `runs` runs.
absl::Status AddSeal(Session& session, const Seal& seal, size_t runs, const PackPoints& pack) {
  for (int64_t bucket = 0; bucket < kBuckets; ++bucket) {
    ASSIGN_OR_RETURN(const Rows open,
                     session.Query("SELECT run_id, payload FROM open_points WHERE line_id = $1 "
                                   "AND bucket = $2 AND run_id <= $3 ORDER BY run_id",
                                   {seal.line, bucket, seal.last_run_id}));
    std::vector<RunPoints> points;
    for (const Row& row : open) points.push_back({row.Number(0), row.Text(1)});
    if (points.empty()) continue;  // a store whose analyses leave no such bucket
    if (points.size() != runs) {
      return absl::DataLossError(absl::StrCat("bucket ", bucket, " has the points of ",
                                              points.size(), " of ", runs,
                                              " runs; analyse them again"));
    }
    ASSIGN_OR_RETURN(const PackedPoints packed, pack(points));
    absl::Status status = AddSealedPoints(session, seal, bucket, packed.functions);
    if (status.ok() && bucket == 0) status = AddSealedRuns(session, seal, packed.runs);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// The lines of a query, by their ids.
absl::StatusOr<std::vector<std::pair<int64_t, LinePoints>>> LinesOfQuery(Session& session,
                                                                         const Dialect& dialect,
                                                                         const PointQuery& query) {
  const std::string list = JsonColumn(query.branches);
  std::vector<Parameter> parameters = {list, query.project};
  if (!query.target.empty()) parameters.push_back(query.target);
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query(
          absl::StrCat(
              PointsSql("SELECT series_line.id, series_line.branch, series_line.label FROM LIST "
                        "JOIN series_line ON series_line.project = $2 "
                        "AND series_line.branch = item ->> 0",
                        dialect),
              query.target.empty() ? "" : " AND series_line.label = $3",
              " ORDER BY series_line.id"),
          parameters));
  std::vector<std::pair<int64_t, LinePoints>> lines;
  for (const Row& row : rows) {
    lines.push_back({row.Number(0), {row.Text(1), row.Text(2), {}, {}}});
  }
  return lines;
}

// Which row is which, in the order of the first two columns.
std::vector<size_t> ByNumber(const Rows& rows) {
  std::vector<std::pair<int64_t, int64_t>> keys;
  keys.reserve(rows.size());
  for (const Row& row : rows) keys.emplace_back(row.Number(0), row.Number(1));
  std::vector<size_t> order(rows.size());
  std::iota(order.begin(), order.end(), size_t{0});
  // Primary keys are most often read in their order.
  if (!std::is_sorted(keys.begin(), keys.end())) {
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return keys[a] < keys[b]; });
  }
  return order;
}

}  // namespace

absl::StatusOr<std::optional<int64_t>> LockLine(Session& session, const Dialect& dialect,
                                                int64_t run_id, absl::string_view label) {
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query(absl::StrCat("SELECT id FROM series_line WHERE label = $2 "
                                 "AND project = (SELECT project FROM run WHERE id = $1) "
                                 "AND branch = (SELECT branch FROM run WHERE id = $1)",
                                 dialect.for_update),
                    {run_id, label}));
  if (rows.empty()) return std::nullopt;
  return rows.front().Number(0);
}

absl::Status ReplacePoints(Session& session, const Dialect& dialect, int64_t run_id,
                           absl::string_view label, const std::vector<PointSegment>& segments) {
  ASSIGN_OR_RETURN(std::optional<int64_t> line, LockLine(session, dialect, run_id, label));
  if (!line.has_value()) {
    if (segments.empty()) return absl::OkStatus();
    RETURN_IF_ERROR(AddLine(session, run_id, label));
    ASSIGN_OR_RETURN(line, LockLine(session, dialect, run_id, label));
    if (!line.has_value()) return absl::InternalError("a series has disappeared");
  }
  absl::Status status = DeleteOpenPoints(session, dialect, {*line}, run_id);
  if (!status.ok() || segments.empty()) return status;
  // One statement for all buckets: of a database elsewhere each is a way there and back.
  std::string statement = "INSERT INTO open_points (line_id, run_id, bucket, payload) VALUES ";
  std::vector<Parameter> parameters = {*line, run_id};
  for (const PointSegment& segment : segments) {
    absl::StrAppend(&statement, parameters.size() == 2 ? "" : ", ", "($1, $2, $",
                    parameters.size() + 1, ", $", parameters.size() + 2, ")");
    parameters.push_back(int64_t{segment.bucket});
    parameters.push_back(Bytes{segment.payload});
  }
  return session.Execute(statement, parameters);
}

absl::StatusOr<std::vector<LinePoints>> ReadPoints(
    Session& session, const Dialect& dialect, const PointQuery& query,
    const std::function<absl::Status(uint64_t bytes)>& take) {
  ASSIGN_OR_RETURN(auto found, LinesOfQuery(session, dialect, query));
  std::vector<LinePoints> lines;
  std::vector<int64_t> ids;
  absl::flat_hash_map<int64_t, size_t> places;
  for (auto& [id, line] : found) {
    places[id] = lines.size();
    ids.push_back(id);
    lines.push_back(std::move(line));
  }
  const Lists lists = ListsOf(ids, query);
  if (take != nullptr) {
    ASSIGN_OR_RETURN(const auto measured, Measure(session, dialect, query, lists));
    uint64_t bytes =
        measured.second + measured.first * std::max(sizeof(RunPoints), sizeof(PackedPoints));
    for (const LinePoints& line : lines) {
      bytes += sizeof(line) + line.branch.size() + line.target.size();
    }
    RETURN_IF_ERROR(take(bytes));
  }
  // Open ones first: what is sealed between the statements is seen twice then, and not never.
  ASSIGN_OR_RETURN(
      const std::vector<Rows> rows,
      session.QueryAll(StatementsOf(dialect, query, lists,
                                    {"line_id, run_id, payload", "line_id, seal, payload",
                                     "line_id, seal, function_hash, payload"})));
  // The database would move the payloads to sort them, and SQLite through a file.
  const Rows& open = rows.front();
  for (const size_t row : ByNumber(open)) {
    lines[places[open[row].Number(0)]].open.push_back({open[row].Number(1), open[row].Text(2)});
  }
  AddSealedRows(rows[1], absl::MakeSpan(rows).subspan(2), places, lines);
  return lines;
}

absl::StatusOr<bool> HasOpenRuns(Session& session, int64_t run_id, absl::string_view label,
                                 uint32_t at) {
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query(
          "SELECT count(*) FROM run JOIN series_line ON series_line.project = run.project "
          "AND series_line.branch = run.branch AND series_line.label = $2 "
          "JOIN open_points ON open_points.line_id = series_line.id AND open_points.bucket = 0 "
          "WHERE run.id = $1",
          {run_id, label}));
  return rows.front().Number(0) >= int64_t{at};
}

absl::StatusOr<bool> SealPoints(Session& session, const Dialect& dialect, int64_t run_id,
                                absl::string_view label, uint32_t at, const PackPoints& pack) {
  ASSIGN_OR_RETURN(const std::optional<int64_t> line, LockLine(session, dialect, run_id, label));
  if (!line.has_value()) return false;
  ASSIGN_OR_RETURN(const Rows runs,
                   session.Query("SELECT run_id FROM open_points WHERE line_id = $1 AND bucket = 0 "
                                 "ORDER BY run_id LIMIT $2",
                                 {*line, int64_t{at}}));
  if (runs.size() < at || at < 2) return false;
  ASSIGN_OR_RETURN(const int64_t number, NextSeal(session, *line));
  const size_t oldest = at / 2;
  const Seal seal = {*line, number, runs.front().Number(0), runs[oldest - 1].Number(0)};
  RETURN_IF_ERROR(AddSeal(session, seal, oldest, pack));
  RETURN_IF_ERROR(session.Execute(PointsSql("DELETE FROM open_points WHERE line_id = $1 "
                                            "AND bucket IN EACH_BUCKET AND run_id <= $2",
                                            dialect),
                                  {*line, seal.last_run_id}));
  return true;
}

absl::StatusOr<std::vector<int64_t>> LinesOf(Session& session, const Dialect& dialect,
                                             absl::string_view targets) {
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query(
          PointsSql("SELECT series_line.id FROM LIST "
                    "JOIN target ON target.id = CAST(item ->> 0 AS bigint) "
                    "JOIN run ON run.id = target.run_id "
                    "JOIN series_line ON series_line.project = run.project "
                    "AND series_line.branch = run.branch AND series_line.label = target.label",
                    dialect),
          {targets}));
  std::vector<int64_t> lines;
  for (const Row& row : rows) lines.push_back(row.Number(0));
  return lines;
}

absl::Status DeleteOpenPoints(Session& session, const Dialect& dialect,
                              const std::vector<int64_t>& lines, int64_t run_id) {
  const std::string list = JsonColumn(lines);
  return session.Execute(
      PointsSql(
          "DELETE FROM open_points WHERE line_id IN (SELECT CAST(item ->> 0 AS bigint) FROM LIST) "
          "AND bucket IN EACH_BUCKET AND run_id = $2",
          dialect),
      {list, run_id});
}

namespace {

// The small seals that are merged. Of all the line's seals, the older ones are merged already, and
// the others have greater numbers.
struct Merged {
  std::vector<int64_t> numbers;  // ascending
  std::vector<std::string> runs;
  int64_t least_last_run_id = INT64_MAX;
  Seal seal;  // what becomes of them

  // For kRange.
  std::vector<Parameter> Range() const {
    return {seal.line, least_last_run_id, seal.last_run_id, numbers.front(), numbers.back()};
  }
};

// The rows of the seals that are merged; of sealed_points, with a bucket.
constexpr absl::string_view kRange =
    "line_id = $1 AND last_run_id BETWEEN $2 AND $3 AND seal BETWEEN $4 AND $5";

absl::StatusOr<std::optional<Merged>> OldestHalf(Session& session, int64_t line, uint32_t at) {
  ASSIGN_OR_RETURN(const Rows small,
                   session.Query("SELECT seal, first_run_id, last_run_id, payload FROM sealed_runs "
                                 "WHERE line_id = $1 AND is_merged = 0 ORDER BY seal",
                                 {line}));
  if (small.size() < at || at < 2) return std::nullopt;
  Merged merged;
  merged.seal = {line, 0, INT64_MAX, 0, /*is_merged=*/true};
  for (size_t i = 0; i < at / 2; ++i) {
    const Row row = small[i];
    merged.numbers.push_back(row.Number(0));
    merged.runs.push_back(row.Text(3));
    merged.seal.number = row.Number(0);
    merged.seal.first_run_id = std::min(merged.seal.first_run_id, row.Number(1));
    merged.seal.last_run_id = std::max(merged.seal.last_run_id, row.Number(2));
    merged.least_last_run_id = std::min(merged.least_last_run_id, row.Number(2));
  }
  return merged;
}

// The points of a bucket in the seals, the oldest first.
absl::StatusOr<std::vector<PackedPoints>> BucketOf(Session& session, const Merged& merged,
                                                   int64_t bucket) {
  std::vector<Parameter> parameters = merged.Range();
  parameters.push_back(bucket);
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query(
          absl::StrCat(
              "SELECT seal, function_hash, payload FROM sealed_points WHERE bucket = $6 AND ",
              kRange),
          parameters));
  std::vector<PackedPoints> points;
  absl::flat_hash_map<int64_t, size_t> places;
  for (size_t i = 0; i < merged.numbers.size(); ++i) {
    places[merged.numbers[i]] = i;
    points.push_back({merged.runs[i], {}});
  }
  for (const Row& row : rows) {
    const auto place = places.find(row.Number(0));
    if (place == places.end()) continue;
    points[place->second].functions.push_back({row.Number(1), row.Text(2)});
  }
  return points;
}

absl::Status Replace(Session& session, const Merged& merged, int64_t bucket,
                     const PackedPoints& packed) {
  std::vector<Parameter> parameters = merged.Range();
  parameters.push_back(bucket);
  RETURN_IF_ERROR(session.Execute(
      absl::StrCat("DELETE FROM sealed_points WHERE bucket = $6 AND ", kRange), parameters));
  return AddSealedPoints(session, merged.seal, bucket, packed.functions);
}

}  // namespace

absl::StatusOr<bool> HasSmallSeals(Session& session, int64_t run_id, absl::string_view label,
                                   uint32_t at) {
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query(
          "SELECT count(*) FROM run JOIN series_line ON series_line.project = run.project "
          "AND series_line.branch = run.branch AND series_line.label = $2 "
          "JOIN sealed_runs ON sealed_runs.line_id = series_line.id AND sealed_runs.is_merged = 0 "
          "WHERE run.id = $1",
          {run_id, label}));
  return rows.front().Number(0) >= int64_t{at};
}

absl::StatusOr<bool> MergeSeals(Session& session, const Dialect& dialect, int64_t run_id,
                                absl::string_view label, uint32_t at, const MergePoints& merge) {
  ASSIGN_OR_RETURN(const std::optional<int64_t> line, LockLine(session, dialect, run_id, label));
  if (!line.has_value()) return false;
  ASSIGN_OR_RETURN(const std::optional<Merged> found, OldestHalf(session, *line, at));
  if (!found.has_value()) return false;
  const Merged& merged = *found;
  std::string runs;
  for (int64_t bucket = 0; bucket < kBuckets; ++bucket) {
    ASSIGN_OR_RETURN(const std::vector<PackedPoints> points, BucketOf(session, merged, bucket));
    ASSIGN_OR_RETURN(const PackedPoints packed, merge(points));
    runs = packed.runs;
    RETURN_IF_ERROR(Replace(session, merged, bucket, packed));
  }
  RETURN_IF_ERROR(
      session.Execute(absl::StrCat("DELETE FROM sealed_runs WHERE ", kRange), merged.Range()));
  RETURN_IF_ERROR(AddSealedRuns(session, merged.seal, runs));
  return true;
}

}  // namespace gprofhub::store::sql
