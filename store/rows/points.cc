#include "store/rows/points.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "store/rows/sealed_points.h"

namespace gprofhub::store::sql {
namespace {

std::string Sql(absl::string_view statement, const Dialect& dialect) {
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
    const absl::StatusOr<Rows> open = session.Query(
        "SELECT run_id, payload FROM open_points WHERE line_id = $1 "
        "AND bucket = $2 AND run_id <= $3 ORDER BY run_id",
        {seal.line, bucket, seal.last_run_id});
    if (!open.ok()) return open.status();
    std::vector<RunPoints> points;
    for (const Row& row : *open) points.push_back({row.Number(0), row.Text(1)});
    if (points.empty()) continue;  // a store whose analyses leave no such bucket
    if (points.size() != runs) {
      return absl::DataLossError(absl::StrCat("bucket ", bucket, " has the points of ",
                                              points.size(), " of ", runs,
                                              " runs: analyse them again"));
    }
    const absl::StatusOr<PackedPoints> packed = pack(points);
    if (!packed.ok()) return packed.status();
    absl::Status status = AddSealedPoints(session, seal, bucket, packed->functions);
    if (status.ok() && bucket == 0) status = AddSealedRuns(session, seal, packed->runs);
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
  const absl::StatusOr<Rows> rows = session.Query(
      absl::StrCat(Sql("SELECT series_line.id, series_line.branch, series_line.label FROM LIST "
                       "JOIN series_line ON series_line.project = $2 "
                       "AND series_line.branch = item ->> 0",
                       dialect),
                   query.target.empty() ? "" : " AND series_line.label = $3",
                   " ORDER BY series_line.id"),
      parameters);
  if (!rows.ok()) return rows.status();
  std::vector<std::pair<int64_t, LinePoints>> lines;
  for (const Row& row : *rows) {
    lines.push_back({row.Number(0), {row.Text(1), row.Text(2), {}, {}}});
  }
  return lines;
}

// $1: the lines, $2: the bucket, $3 and $4: the first and the last run.
constexpr absl::string_view kOpenOfQuery =
    " FROM LIST JOIN open_points ON line_id = CAST(item ->> 0 AS bigint) AND bucket = $2 "
    "AND run_id BETWEEN $3 AND $4";

// How many bytes the points take, with their lines. Neither engine reads a payload for its length.
absl::StatusOr<uint64_t> BytesOfPoints(Session& session, const Dialect& dialect,
                                       const PointQuery& query,
                                       const std::vector<LinePoints>& lines,
                                       absl::Span<const Parameter> parameters,
                                       absl::string_view list) {
  uint64_t bytes = 0;
  for (const LinePoints& line : lines) {
    bytes += sizeof(line) + line.branch.size() + line.target.size();
  }
  const absl::StatusOr<Rows> open = session.Query(
      Sql(absl::StrCat("SELECT count(*), CAST(coalesce(sum(length(payload)), 0) AS bigint)",
                       kOpenOfQuery),
          dialect),
      parameters);
  if (!open.ok()) return open.status();
  const absl::StatusOr<std::pair<uint64_t, uint64_t>> sealed =
      MeasureSealed(session, dialect, query, list);
  if (!sealed.ok()) return sealed.status();
  const uint64_t rows = static_cast<uint64_t>(open->front().Number(0)) + sealed->first;
  return bytes + rows * std::max(sizeof(RunPoints), sizeof(PackedPoints)) +
         static_cast<uint64_t>(open->front().Number(1)) + sealed->second;
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
  const absl::StatusOr<Rows> rows =
      session.Query(absl::StrCat("SELECT id FROM series_line WHERE label = $2 "
                                 "AND project = (SELECT project FROM run WHERE id = $1) "
                                 "AND branch = (SELECT branch FROM run WHERE id = $1)",
                                 dialect.for_update),
                    {run_id, label});
  if (!rows.ok()) return rows.status();
  if (rows->empty()) return std::nullopt;
  return rows->front().Number(0);
}

absl::Status ReplacePoints(Session& session, const Dialect& dialect, int64_t run_id,
                           absl::string_view label, const std::vector<PointSegment>& segments) {
  absl::StatusOr<std::optional<int64_t>> line = LockLine(session, dialect, run_id, label);
  if (!line.ok()) return line.status();
  if (!line->has_value()) {
    if (segments.empty()) return absl::OkStatus();
    if (absl::Status status = AddLine(session, run_id, label); !status.ok()) return status;
    line = LockLine(session, dialect, run_id, label);
    if (!line.ok()) return line.status();
    if (!line->has_value()) return absl::InternalError("a line that was there has gone");
  }
  absl::Status status = DeleteOpenPoints(session, dialect, {**line}, run_id);
  if (!status.ok() || segments.empty()) return status;
  // One statement for all buckets: of a database elsewhere each is a way there and back.
  std::string statement = "INSERT INTO open_points (line_id, run_id, bucket, payload) VALUES ";
  std::vector<Parameter> parameters = {**line, run_id};
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
  absl::StatusOr<std::vector<std::pair<int64_t, LinePoints>>> found =
      LinesOfQuery(session, dialect, query);
  if (!found.ok()) return found.status();
  std::vector<LinePoints> lines;
  std::vector<int64_t> ids;
  absl::flat_hash_map<int64_t, size_t> places;
  for (auto& [id, line] : *found) {
    places[id] = lines.size();
    ids.push_back(id);
    lines.push_back(std::move(line));
  }
  const std::string list = JsonColumn(ids);
  const Parameter parameters[] = {list, int64_t{query.bucket}, query.first_run_id,
                                  query.last_run_id};
  if (take != nullptr) {
    const absl::StatusOr<uint64_t> bytes =
        BytesOfPoints(session, dialect, query, lines, parameters, list);
    if (!bytes.ok()) return bytes.status();
    if (absl::Status taken = take(*bytes); !taken.ok()) return taken;
  }
  // Open ones first: what is sealed between the statements is seen twice then, and not never.
  const absl::StatusOr<Rows> open = session.Query(
      Sql(absl::StrCat("SELECT line_id, run_id, payload", kOpenOfQuery), dialect), parameters);
  if (!open.ok()) return open.status();
  // The database would move the payloads to sort them, and SQLite through a file.
  for (const size_t row : ByNumber(*open)) {
    lines[places[(*open)[row].Number(0)]].open.push_back(
        {(*open)[row].Number(1), (*open)[row].Text(2)});
  }
  absl::Status status = ReadSealed(session, dialect, query, list, ids, absl::MakeSpan(lines));
  if (!status.ok()) return status;
  return lines;
}

absl::StatusOr<bool> HasOpenRuns(Session& session, int64_t run_id, absl::string_view label,
                                 uint32_t at) {
  const absl::StatusOr<Rows> rows = session.Query(
      "SELECT count(*) FROM run JOIN series_line ON series_line.project = run.project "
      "AND series_line.branch = run.branch AND series_line.label = $2 "
      "JOIN open_points ON open_points.line_id = series_line.id AND open_points.bucket = 0 "
      "WHERE run.id = $1",
      {run_id, label});
  if (!rows.ok()) return rows.status();
  return rows->front().Number(0) >= int64_t{at};
}

absl::StatusOr<bool> SealPoints(Session& session, const Dialect& dialect, int64_t run_id,
                                absl::string_view label, uint32_t at, const PackPoints& pack) {
  const absl::StatusOr<std::optional<int64_t>> line = LockLine(session, dialect, run_id, label);
  if (!line.ok()) return line.status();
  if (!line->has_value()) return false;
  const absl::StatusOr<Rows> runs = session.Query(
      "SELECT run_id FROM open_points WHERE line_id = $1 AND bucket = 0 "
      "ORDER BY run_id LIMIT $2",
      {**line, int64_t{at}});
  if (!runs.ok()) return runs.status();
  if (runs->size() < at || at < 2) return false;
  const absl::StatusOr<int64_t> number = NextSeal(session, **line);
  if (!number.ok()) return number.status();
  const size_t oldest = at / 2;
  const Seal seal = {**line, *number, runs->front().Number(0), (*runs)[oldest - 1].Number(0)};
  absl::Status status = AddSeal(session, seal, oldest, pack);
  if (!status.ok()) return status;
  status = session.Execute(Sql("DELETE FROM open_points WHERE line_id = $1 "
                               "AND bucket IN EACH_BUCKET AND run_id <= $2",
                               dialect),
                           {**line, seal.last_run_id});
  if (!status.ok()) return status;
  return true;
}

absl::StatusOr<std::vector<int64_t>> LinesOf(Session& session, const Dialect& dialect,
                                             absl::string_view targets) {
  const absl::StatusOr<Rows> rows =
      session.Query(Sql("SELECT series_line.id FROM LIST "
                        "JOIN target ON target.id = CAST(item ->> 0 AS bigint) "
                        "JOIN run ON run.id = target.run_id "
                        "JOIN series_line ON series_line.project = run.project "
                        "AND series_line.branch = run.branch AND series_line.label = target.label",
                        dialect),
                    {targets});
  if (!rows.ok()) return rows.status();
  std::vector<int64_t> lines;
  for (const Row& row : *rows) lines.push_back(row.Number(0));
  return lines;
}

absl::Status DeleteOpenPoints(Session& session, const Dialect& dialect,
                              const std::vector<int64_t>& lines, int64_t run_id) {
  const std::string list = JsonColumn(lines);
  return session.Execute(
      Sql("DELETE FROM open_points WHERE line_id IN (SELECT CAST(item ->> 0 AS bigint) FROM LIST) "
          "AND bucket IN EACH_BUCKET AND run_id = $2",
          dialect),
      {list, run_id});
}

}  // namespace gprofhub::store::sql
