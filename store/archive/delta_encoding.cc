#include "store/archive/delta_encoding.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/hash.h"
#include "base/status_macros.h"
#include "store/archive/held_blob.h"
#include "store/records/records.h"
#include "store/rows/summaries.h"
#include "store/sql/database.h"
#include "store/sql/engine.h"

namespace gprofhub::store {

namespace {

// The base of a series (delta_encoding.h).

struct SeriesBase {
  int64_t id = 0;  // 0: the series has none
  BlobName name;
  BlobName root;  // that the base is encoded against; empty: it is whole
  // Of what was encoded against it for this series, in bytes: the shortest, 0 if there is none; and
  // what all had more than that.
  uint64_t least = 0;
  uint64_t excess = 0;

  // Excess of a delta of this size.
  uint64_t ExcessOf(uint64_t bytes) const {
    return least == 0 || bytes < least ? 0 : bytes - least;
  }
  void Add(uint64_t bytes) {
    excess += ExcessOf(bytes);
    if (least == 0 || bytes < least) least = bytes;
  }
};

// The key of a series: 16 bytes of a hash, in hexadecimal digits.
std::string NameSeries(absl::string_view project, absl::string_view configuration,
                       absl::string_view label, absl::string_view kind);

absl::StatusOr<SeriesBase> FindBase(sql::Session& session, absl::string_view series);

struct BlobUse {
  bool is_base = false;  // of this or another series
  bool is_whole = true;  // neither a delta nor archived
};

absl::StatusOr<BlobUse> FindUse(sql::Session& session, const BlobName& name);

// The row id of a blob in blob_base; 0 if it is not a base.
absl::StatusOr<int64_t> FindBaseId(sql::Session& session, const BlobName& name);

// Makes the blob the series' base.
absl::Status StartBase(sql::Session& session, absl::string_view series, const BlobName& name);

// Keeps what was encoded against the series' base.
absl::Status KeepBase(sql::Session& session, absl::string_view series, const SeriesBase& base);

std::string NameSeries(absl::string_view project, absl::string_view configuration,
                       absl::string_view label, absl::string_view kind) {
  constexpr size_t kDigits = 32;
  std::string key;
  for (const absl::string_view part : {project, configuration, label, kind}) {
    absl::StrAppend(&key, part.size(), ":", part);  // length prefixes make the key unambiguous
  }
  return base::Sha256Hex(key).substr(0, kDigits);
}

absl::StatusOr<SeriesBase> FindBase(sql::Session& session, absl::string_view series) {
  ASSIGN_OR_RETURN(
      const sql::Rows rows,
      session.Query("SELECT blob_base.id, blob_base.name, blob_series.least, blob_series.excess, "
                    "coalesce(root.name, '') FROM blob_series "
                    "JOIN blob_base ON blob_base.id = blob_series.base_id "
                    "LEFT JOIN blob_delta ON blob_delta.name = blob_base.name "
                    "LEFT JOIN blob_base AS root ON root.id = blob_delta.base_id "
                    "WHERE blob_series.series = $1",
                    {series}));
  if (rows.empty()) return SeriesBase();
  const sql::Row row = rows.front();
  return SeriesBase{row.Number(0), row.Text(1), row.Text(4), static_cast<uint64_t>(row.Number(2)),
                    static_cast<uint64_t>(row.Number(3))};
}

absl::StatusOr<int64_t> FindBaseId(sql::Session& session, const BlobName& name) {
  ASSIGN_OR_RETURN(const sql::Rows rows,
                   session.Query("SELECT id FROM blob_base WHERE name = $1", {name}));
  return rows.empty() ? 0 : rows.front().Number(0);
}

absl::StatusOr<BlobUse> FindUse(sql::Session& session, const BlobName& name) {
  ASSIGN_OR_RETURN(const sql::Rows rows,
                   session.Query("SELECT (SELECT count(*) FROM blob_base WHERE name = $1), "
                                 "(SELECT count(*) FROM blob_delta WHERE name = $1) + "
                                 "(SELECT count(*) FROM archived_blob WHERE name = $1)",
                                 {name}));
  return BlobUse{rows.front().Number(0) != 0, rows.front().Number(1) == 0};
}

absl::Status StartBase(sql::Session& session, absl::string_view series, const BlobName& name) {
  RETURN_IF_ERROR(session.Execute(
      "INSERT INTO blob_base (name) VALUES ($1) ON CONFLICT (name) DO NOTHING", {name}));
  return session.Execute(
      "INSERT INTO blob_series (series, base_id, least, excess) "
      "SELECT CAST($1 AS text), id, 0, 0 FROM blob_base WHERE name = $2 "
      "ON CONFLICT (series) DO UPDATE SET base_id = excluded.base_id, least = 0, excess = 0",
      {series, name});
}

absl::Status KeepBase(sql::Session& session, absl::string_view series, const SeriesBase& base) {
  return session.Execute(
      "UPDATE blob_series SET least = $2, excess = $3 WHERE series = $1",
      {series, static_cast<int64_t>(base.least), static_cast<int64_t>(base.excess)});
}

using sql::Row;
using sql::Rows;
using sql::Session;

// Size of a row, its key and its index entry. A smaller saving does not justify a second read.
constexpr size_t kRowBytes = 150;

struct UndecidedBlob {
  std::string series;
  BlobName name;
  uint64_t size = 0;
};

// The next page of targets, in the order of their ids.
struct UndecidedPage {
  uint64_t targets = 0;
  std::vector<UndecidedBlob> blobs;
  int64_t after = 0;  // id of the last target
};

// Programs of one test are distinguished by their size rank.
std::string WholeBlobsOfTarget() {
  return absl::StrCat("SELECT DISTINCT kind, name, size FROM (", sql::kNamedByTarget,
                      ") AS named JOIN blob USING (name) WHERE ", sql::kIsWhole,
                      " ORDER BY kind, size DESC, name");
}

absl::StatusOr<UndecidedPage> FindDue(Session& session, int64_t after,
                                      const DeltaOptions& options) {
  ASSIGN_OR_RETURN(
      const Rows targets,
      session.Query(
          "SELECT target.id, run.received_us, run.project, run.configuration, target.label FROM "
          "target "
          "JOIN run ON run.id = target.run_id WHERE target.id > $1 ORDER BY target.id LIMIT $2",
          {after, int64_t{options.targets_at_once}}));
  UndecidedPage page = {0, {}, after};
  const int64_t before = absl::ToUnixMicros(options.now() - options.older_than);
  for (const Row& target : targets) {
    if (target.Number(1) > before) break;
    page.after = target.Number(0);
    ++page.targets;
    ASSIGN_OR_RETURN(const Rows blobs, session.Query(WholeBlobsOfTarget(), {page.after}));
    int bundles = 0;
    for (const Row& blob : blobs) {
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
  absl::StatusOr<std::optional<Decision>> Decide(const UndecidedBlob& due) {
    ASSIGN_OR_RETURN(SeriesBase * base, BaseOf(due.series));
    if (due.name == base->name || due.size <= kRowBytes) return std::nullopt;
    ASSIGN_OR_RETURN(const std::optional<Content> content,
                     ReadContent(database_, bytes_, due.name));
    if (!content.has_value()) return std::nullopt;
    Decision decision = {due.series, due.name, due.size, base->name, {}, std::nullopt, false};
    RETURN_IF_ERROR(Encode(*content, *base, decision));
    if (decision.is_base) {
      *base = {0, due.name, decision.base, 0, 0};
    } else {
      base->Add(decision.delta->bytes.size());
    }
    return decision;
  }

 private:
  absl::StatusOr<SeriesBase*> BaseOf(const std::string& series) {
    const auto known = bases_.find(series);
    if (known != bases_.end()) return &known->second;
    ASSIGN_OR_RETURN(SeriesBase base, sql::ReadIn(database_, [&](Session& session) {
                       return FindBase(session, series);
                     }));
    return &bases_.emplace(series, std::move(base)).first->second;
  }

  // Encodes it against the base, or as the next base against the root, or leaves it whole as the
  // next root.
  absl::Status Encode(const Content& content, const SeriesBase& base, Decision& decision) {
    decision.is_base = true;
    if (base.name.empty()) return absl::OkStatus();
    RETURN_IF_ERROR(EncodeAgainst(content, base.name, decision));
    if (!decision.delta.has_value()) return absl::OkStatus();
    const uint64_t bytes = decision.delta->bytes.size();
    decision.is_base =
        base.least > 0 && base.excess + base.ExcessOf(bytes) >= base.least + 2 * kRowBytes;
    if (!decision.is_base) return absl::OkStatus();
    if (!base.root.empty()) {
      RETURN_IF_ERROR(EncodeAgainst(content, base.root, decision));
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
    ASSIGN_OR_RETURN(const std::optional<Content>* read, ReadBase(base));
    if (!read->has_value()) return absl::OkStatus();
    BlobDelta delta = {decision.name, content.is_of_frame,
                       EncodeDelta(content.bytes, read->value().bytes)};
    if (delta.bytes.size() + kRowBytes >= decision.size) return absl::OkStatus();
    decision.base = base;
    decision.delta = std::move(delta);
    return absl::OkStatus();
  }

  absl::StatusOr<const std::optional<Content>*> ReadBase(const BlobName& name) {
    if (read_base_ != name) {
      ASSIGN_OR_RETURN(std::optional<Content> read, ReadContent(database_, bytes_, name));
      read_base_ = name;
      base_content_ = std::move(read);
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
  ASSIGN_OR_RETURN(const BlobUse use, FindUse(session, decision.name));
  if (!use.is_whole) return absl::OkStatus();
  if (!decision.delta.has_value()) return StartBase(session, decision.series, decision.name);
  ASSIGN_OR_RETURN(SeriesBase base, FindBase(session, decision.series));
  if (use.is_base || base.name != decision.old_base) return absl::OkStatus();
  ASSIGN_OR_RETURN(const int64_t id, FindBaseId(session, decision.base));
  // The base of the delta must be this base, or its root.
  if (decision.base != (decision.is_base && !base.root.empty() ? base.root : base.name)) {
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(AddBlobDelta(session, id, *decision.delta));
  RETURN_IF_ERROR(session.RemoveBlobBytes(decision.name));
  ++result.blobs;
  result.bytes_before += decision.size;
  result.bytes_after += decision.delta->bytes.size();
  if (decision.is_base) return StartBase(session, decision.series, decision.name);
  base.Add(decision.delta->bytes.size());
  return KeepBase(session, decision.series, base);
}

// Applies a page's decisions and keeps the last target. Locks the rows of the blobs first: none is
// removed meanwhile, and none becomes both a base and a delta of another transaction.
absl::StatusOr<DeltaResult> ApplyPage(Session& session, const sql::Dialect& dialect,
                                      const UndecidedPage& page,
                                      const std::vector<Decision>& decisions, absl::Time now) {
  RETURN_IF_ERROR(CheckNoBackup(session, now));
  std::vector<BlobName> names;
  for (const Decision& decision : decisions) {
    names.push_back(decision.name);
    if (decision.delta.has_value()) names.push_back(decision.base);
    if (!decision.old_base.empty()) names.push_back(decision.old_base);
  }
  ASSIGN_OR_RETURN(const std::vector<BlobName> locked, sql::LockBlobs(session, dialect, names));
  const absl::flat_hash_set<BlobName> there(locked.begin(), locked.end());
  DeltaResult result;
  result.targets = page.targets;
  for (const Decision& decision : decisions) {
    if (!there.contains(decision.name)) continue;
    RETURN_IF_ERROR(Apply(session, decision, result));
  }
  RETURN_IF_ERROR(sql::SetProperty(session, sql::kDeltaTarget, page.after));
  return result;
}

}  // namespace

DeltaEncoding::DeltaEncoding(std::shared_ptr<sql::Database> database,
                             std::shared_ptr<sql::BlobBytes> bytes)
    : database_(std::move(database)), bytes_(std::move(bytes)) {}

absl::StatusOr<DeltaResult> DeltaEncoding::Encode(const DeltaOptions& options) const {
  DeltaResult all;
  ASSIGN_OR_RETURN(int64_t after, sql::ReadIn(*database_, [](Session& session) {
                     return sql::ReadProperty(session, sql::kDeltaTarget);
                   }));
  while (true) {
    ASSIGN_OR_RETURN(const UndecidedPage page, sql::ReadIn(*database_, [&](Session& session) {
                       return FindDue(session, after, options);
                     }));
    if (page.targets == 0) return all;
    Decider decider(*database_, *bytes_);
    std::vector<Decision> decisions;
    std::vector<BlobName> names;
    for (const UndecidedBlob& due : page.blobs) {
      ASSIGN_OR_RETURN(std::optional<Decision> decision, decider.Decide(due));
      if (!decision.has_value()) continue;
      if (decision->delta.has_value()) names.push_back(due.name);
      decisions.push_back(*std::move(decision));
    }
    ASSIGN_OR_RETURN(const DeltaResult result, sql::WriteIn(*database_, [&](Session& session) {
                       return ApplyPage(session, database_->dialect(), page, decisions,
                                        options.now());
                     }));
    // What lies apart from the database goes after the transaction: a reader that looks in between
    // finds one or the other.
    RETURN_IF_ERROR(bytes_->RemoveUnnamed(names, absl::InfiniteFuture()).status());
    all.targets += result.targets;
    all.blobs += result.blobs;
    all.bytes_before += result.bytes_before;
    all.bytes_after += result.bytes_after;
    after = page.after;
    RETURN_IF_ERROR(options.pause(all));
  }
}

}  // namespace gprofhub::store
