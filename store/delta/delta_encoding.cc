#include "store/delta/delta_encoding.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "store/delta/content_delta.h"
#include "store/delta/held_blob.h"
#include "store/delta/series_bases.h"
#include "store/rows/backup_lease.h"
#include "store/sql/blob_bytes.h"
#include "store/sql/blob_rows.h"
#include "store/sql/database.h"
#include "store/sql/properties.h"
#include "store/sql/transaction.h"

namespace gprofhub::store {
namespace {

using sql::Row;
using sql::Rows;
using sql::Session;

// Size of a row, its key and its index entry. A smaller saving does not justify a second read.
constexpr size_t kRowBytes = 150;

struct DueBlob {
  std::string series;
  BlobName name;
  uint64_t size = 0;
};

// The next page of targets, in the order of their ids.
struct DuePage {
  uint64_t targets = 0;
  std::vector<DueBlob> blobs;
  int64_t after = 0;  // id of the last target
};

// Programs of one test are distinguished by their size rank.
std::string BlobsOfTarget() {
  return absl::StrCat("SELECT DISTINCT kind, name, size FROM (", sql::kNamedByTarget,
                      ") AS named JOIN blob USING (name) WHERE ", sql::kIsWhole,
                      " ORDER BY kind, size DESC, name");
}

absl::StatusOr<DuePage> FindDue(Session& session, int64_t after, const DeltaOptions& options) {
  const absl::StatusOr<Rows> targets = session.Query(
      "SELECT target.id, run.received_us, run.project, run.configuration, target.label FROM target "
      "JOIN run ON run.id = target.run_id WHERE target.id > $1 ORDER BY target.id LIMIT $2",
      {after, int64_t{options.targets_at_once}});
  if (!targets.ok()) return targets.status();
  DuePage page = {0, {}, after};
  const int64_t before = absl::ToUnixMicros(options.now() - options.older_than);
  for (const Row& target : *targets) {
    if (target.Number(1) > before) break;
    page.after = target.Number(0);
    ++page.targets;
    const absl::StatusOr<Rows> blobs = session.Query(BlobsOfTarget(), {page.after});
    if (!blobs.ok()) return blobs.status();
    int bundles = 0;
    for (const Row& blob : *blobs) {
      std::string kind = blob.Text(0);
      if (kind == "bundle") absl::StrAppend(&kind, bundles++);
      page.blobs.push_back({NameSeries(target.View(2), target.View(3), target.View(4), kind),
                            blob.Text(1), static_cast<uint64_t>(blob.Number(2))});
    }
  }
  return page;
}

// The decision about one blob.
struct Decision {
  std::string series;
  BlobName name;
  uint64_t size = 0;
  BlobName old_base;               // the series' base until now
  BlobName base;                   // of the delta
  std::optional<BlobDelta> delta;  // else it stays whole
  bool is_base = false;            // it is the series' base from now on
};

// The content of a blob; nullopt if it is damaged or too large.
absl::StatusOr<std::optional<Content>> ReadContent(sql::Database& database, sql::BlobBytes& bytes,
                                                   const BlobName& name) {
  const absl::StatusOr<HeldBlob> held = ReadSoundBlob(database, bytes, name);
  if (absl::IsDataLoss(held.status()) || absl::IsNotFound(held.status())) return std::nullopt;
  if (!held.ok()) return held.status();
  absl::StatusOr<Content> content = ContentOf(held->bytes);
  if (!content.ok()) return std::nullopt;
  return *std::move(content);
}

// Decides about the blobs of a page in order. Decisions are not written yet, so new bases are known
// only here.
class Decider {
 public:
  Decider(sql::Database& database, sql::BlobBytes& bytes) : database_(database), bytes_(bytes) {}

  // nullopt: the blob stays as it is.
  absl::StatusOr<std::optional<Decision>> Decide(const DueBlob& due) {
    absl::StatusOr<SeriesBase*> base = BaseOf(due.series);
    if (!base.ok()) return base.status();
    if (due.name == (*base)->name || due.size <= kRowBytes) return std::nullopt;
    const absl::StatusOr<std::optional<Content>> content = ReadContent(database_, bytes_, due.name);
    if (!content.ok()) return content.status();
    if (!content->has_value()) return std::nullopt;
    Decision decision = {due.series, due.name, due.size, (*base)->name, {}, std::nullopt, false};
    if (absl::Status status = Encode(**content, **base, decision); !status.ok()) {
      return status;
    }
    if (decision.is_base) {
      **base = {0, due.name, decision.base, 0, 0};
    } else {
      (*base)->Add(decision.delta->bytes.size());
    }
    return decision;
  }

 private:
  absl::StatusOr<SeriesBase*> BaseOf(const std::string& series) {
    const auto known = bases_.find(series);
    if (known != bases_.end()) return &known->second;
    absl::StatusOr<SeriesBase> base =
        sql::ReadIn(database_, [&](Session& session) { return FindBase(session, series); });
    if (!base.ok()) return base.status();
    return &bases_.emplace(series, *std::move(base)).first->second;
  }

  // Encodes it against the base, or as the next base against the root, or leaves it whole as the
  // next root.
  absl::Status Encode(const Content& content, const SeriesBase& base, Decision& decision) {
    decision.is_base = true;
    if (base.name.empty()) return absl::OkStatus();
    if (absl::Status status = EncodeAgainst(content, base.name, decision); !status.ok()) {
      return status;
    }
    if (!decision.delta.has_value()) return absl::OkStatus();
    const uint64_t bytes = decision.delta->bytes.size();
    decision.is_base =
        base.least > 0 && base.excess + base.ExcessOf(bytes) >= base.least + 2 * kRowBytes;
    if (!decision.is_base) return absl::OkStatus();
    if (!base.root.empty()) {
      if (absl::Status status = EncodeAgainst(content, base.root, decision); !status.ok()) {
        return status;
      }
    }
    const bool is_near =
        decision.delta.has_value() && decision.delta->bytes.size() < decision.size / 4;
    if (!is_near) decision.delta.reset();
    if (!is_near) decision.base.clear();
    return absl::OkStatus();
  }

  // Leaves it whole if nothing is saved.
  absl::Status EncodeAgainst(const Content& content, const BlobName& base, Decision& decision) {
    decision.delta.reset();
    decision.base.clear();
    absl::StatusOr<const std::optional<Content>*> read = ReadBase(base);
    if (!read.ok()) return read.status();
    if (!(*read)->has_value()) return absl::OkStatus();
    BlobDelta delta = {decision.name, content.is_of_frame,
                       EncodeDelta(content.bytes, (*read)->value().bytes)};
    if (delta.bytes.size() + kRowBytes >= decision.size) return absl::OkStatus();
    decision.base = base;
    decision.delta = std::move(delta);
    return absl::OkStatus();
  }

  absl::StatusOr<const std::optional<Content>*> ReadBase(const BlobName& name) {
    if (read_base_ != name) {
      absl::StatusOr<std::optional<Content>> read = ReadContent(database_, bytes_, name);
      if (!read.ok()) return read.status();
      read_base_ = name;
      base_content_ = *std::move(read);
    }
    return &base_content_;
  }

  sql::Database& database_;
  sql::BlobBytes& bytes_;
  std::map<std::string, SeriesBase> bases_;
  // The base read last: the profiles of one test share it.
  BlobName read_base_;
  std::optional<Content> base_content_;
};

// Carries out a decision, if it holds still.
absl::Status Apply(Session& session, const Decision& decision, DeltaResult& result) {
  const absl::StatusOr<BlobUse> use = FindUse(session, decision.name);
  if (!use.ok()) return use.status();
  if (!use->is_whole) return absl::OkStatus();
  if (!decision.delta.has_value()) return StartBase(session, decision.series, decision.name);
  absl::StatusOr<SeriesBase> base = FindBase(session, decision.series);
  if (!base.ok()) return base.status();
  if (use->is_base || base->name != decision.old_base) return absl::OkStatus();
  const absl::StatusOr<int64_t> id = FindBaseId(session, decision.base);
  if (!id.ok()) return id.status();
  // The base of the delta must be this base, or its root.
  if (decision.base != (decision.is_base && !base->root.empty() ? base->root : base->name)) {
    return absl::OkStatus();
  }
  absl::Status status = AddBlobDelta(session, *id, *decision.delta);
  if (status.ok()) status = session.RemoveBlobBytes(decision.name);
  if (!status.ok()) return status;
  ++result.blobs;
  result.bytes_before += decision.size;
  result.bytes_after += decision.delta->bytes.size();
  if (decision.is_base) return StartBase(session, decision.series, decision.name);
  base->Add(decision.delta->bytes.size());
  return KeepBase(session, decision.series, *base);
}

// Applies a page's decisions and keeps the last target. Locks the rows of the blobs first: none is
// removed meanwhile, and none becomes both a base and a delta of another transaction.
absl::StatusOr<DeltaResult> ApplyPage(Session& session, const sql::Dialect& dialect,
                                      const DuePage& page, const std::vector<Decision>& decisions,
                                      absl::Time now) {
  if (absl::Status status = CheckNoBackup(session, now); !status.ok()) return status;
  std::vector<BlobName> names;
  for (const Decision& decision : decisions) {
    names.push_back(decision.name);
    if (decision.delta.has_value()) names.push_back(decision.base);
    if (!decision.old_base.empty()) names.push_back(decision.old_base);
  }
  const absl::StatusOr<std::vector<BlobName>> locked = sql::LockBlobs(session, dialect, names);
  if (!locked.ok()) return locked.status();
  const absl::flat_hash_set<BlobName> there(locked->begin(), locked->end());
  DeltaResult result;
  result.targets = page.targets;
  for (const Decision& decision : decisions) {
    if (!there.contains(decision.name)) continue;
    if (absl::Status status = Apply(session, decision, result); !status.ok()) return status;
  }
  absl::Status status = sql::SetProperty(session, sql::kDeltaTarget, page.after);
  if (!status.ok()) return status;
  return result;
}

}  // namespace

DeltaEncoding::DeltaEncoding(std::shared_ptr<sql::Database> database,
                             std::shared_ptr<sql::BlobBytes> bytes)
    : database_(std::move(database)), bytes_(std::move(bytes)) {}

absl::StatusOr<DeltaResult> DeltaEncoding::Encode(const DeltaOptions& options) const {
  DeltaResult all;
  absl::StatusOr<int64_t> after = sql::ReadIn(
      *database_, [](Session& session) { return sql::ReadProperty(session, sql::kDeltaTarget); });
  if (!after.ok()) return after.status();
  while (true) {
    const absl::StatusOr<DuePage> page = sql::ReadIn(
        *database_, [&](Session& session) { return FindDue(session, *after, options); });
    if (!page.ok()) return page.status();
    if (page->targets == 0) return all;
    Decider decider(*database_, *bytes_);
    std::vector<Decision> decisions;
    std::vector<BlobName> names;
    for (const DueBlob& due : page->blobs) {
      absl::StatusOr<std::optional<Decision>> decision = decider.Decide(due);
      if (!decision.ok()) return decision.status();
      if (!decision->has_value()) continue;
      if ((*decision)->delta.has_value()) names.push_back(due.name);
      decisions.push_back(**std::move(decision));
    }
    const absl::StatusOr<DeltaResult> result = sql::WriteIn(*database_, [&](Session& session) {
      return ApplyPage(session, database_->dialect(), *page, decisions, options.now());
    });
    if (!result.ok()) return result.status();
    // What lies apart from the database goes after the transaction: a reader that looks in between
    // finds one or the other.
    const absl::StatusOr<sql::RemovedBytes> removed =
        bytes_->RemoveUnnamed(names, absl::InfiniteFuture());
    if (!removed.ok()) return removed.status();
    all.targets += result->targets;
    all.blobs += result->blobs;
    all.bytes_before += result->bytes_before;
    all.bytes_after += result->bytes_after;
    after = page->after;
    if (absl::Status paused = options.pause(all); !paused.ok()) return paused;
  }
}

}  // namespace gprofhub::store
