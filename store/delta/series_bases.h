// The base of a series (delta_encoding.h).
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store {

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

}  // namespace gprofhub::store
