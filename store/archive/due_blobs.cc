#include "store/archive/due_blobs.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "store/sql/blob_rows.h"
#include "store/sql/transaction.h"

namespace gprofhub::store {
namespace {

using sql::Row;
using sql::Rows;
using sql::Session;

// What is smaller stays: the row of an archived blob, its keys and its place in the indexes take a
// third of that.
constexpr int64_t kLeastBytes = 1024;
// Limit on cached names with their newest targets: about 15 MB.
constexpr size_t kMostNames = 100'000;

std::string BlobsOfTarget() {
  return absl::StrCat("SELECT DISTINCT name, size FROM (", sql::kNamedByTarget,
                      ") AS named JOIN blob USING (name) WHERE size >= $2 AND ", sql::kIsWhole,
                      " ORDER BY name");
}

std::string NewestTargets(const sql::Dialect& dialect) {
  return absl::StrCat(
      "SELECT item ->> 0, (SELECT max(target_id) FROM ("
      "SELECT max(execution.target_id) AS target_id FROM image "
      "JOIN execution ON execution.id = image.execution_id WHERE image.bundle = item ->> 0 "
      "UNION ALL SELECT max(execution.target_id) FROM profile "
      "JOIN execution ON execution.id = profile.execution_id WHERE profile.gmon = item ->> 0 "
      "UNION ALL SELECT max(target.id) FROM target WHERE target.computed = item ->> 0) AS named) "
      "FROM ",
      dialect.list);
}

}  // namespace

absl::Status DueBlobs::LearnNewest(Session& session, const std::vector<DueBlob>& blobs) {
  if (newest_.size() > kMostNames) newest_.clear();
  std::vector<BlobName> unknown;
  for (const DueBlob& blob : blobs) {
    if (!newest_.contains(blob.name)) unknown.push_back(blob.name);
  }
  if (unknown.empty()) return absl::OkStatus();
  const absl::StatusOr<Rows> rows =
      session.Query(NewestTargets(database_.dialect()), {sql::JsonColumn(unknown)});
  if (!rows.ok()) return rows.status();
  for (const Row& row : *rows) newest_[row.Text(0)] = row.Number(1);
  return absl::OkStatus();
}

absl::StatusOr<DuePage> DueBlobs::FindIn(Session& session, int64_t target_id) {
  DuePage page = {0, target_id, {}};
  const absl::StatusOr<Rows> targets = session.Query(
      "SELECT target.id, run.received_us FROM target JOIN run ON run.id = target.run_id "
      "WHERE target.id > $1 ORDER BY target.id LIMIT $2",
      {target_id, int64_t{targets_at_once_}});
  if (!targets.ok()) return targets.status();
  std::vector<DueBlob> all;
  for (const Row& target : *targets) {
    if (target.Number(1) > absl::ToUnixMicros(before_)) break;
    page.last = target.Number(0);
    ++page.targets;
    const absl::StatusOr<Rows> blobs = session.Query(BlobsOfTarget(), {page.last, kLeastBytes});
    if (!blobs.ok()) return blobs.status();
    for (const Row& blob : *blobs) {
      all.push_back({blob.Text(0), static_cast<uint64_t>(blob.Number(1)), page.last});
    }
  }
  if (absl::Status status = LearnNewest(session, all); !status.ok()) return status;
  for (DueBlob& blob : all) {
    if (newest_[blob.name] == blob.target_id) page.blobs.push_back(std::move(blob));
  }
  return page;
}

absl::StatusOr<DuePage> DueBlobs::After(int64_t target_id) {
  absl::StatusOr<DuePage> page =
      sql::ReadIn(database_, [&](Session& session) { return FindIn(session, target_id); });
  if (!page.ok()) return page;
  // A blob that was returned is not queried again.
  for (const DueBlob& blob : page->blobs) newest_.erase(blob.name);
  return page;
}

}  // namespace gprofhub::store
