// Which blob a series is packed against (packing.h).
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
  uint64_t spent = 0;  // bytes of what was packed against it for this series
};

// The key of a series: 16 bytes of a hash, in hexadecimal digits.
std::string NameSeries(absl::string_view project, absl::string_view configuration,
                       absl::string_view label, absl::string_view kind);

absl::StatusOr<SeriesBase> FindBase(sql::Session& session, absl::string_view series);

struct BlobUse {
  bool is_base = false;  // of this or another series
  bool is_packed = false;
};

absl::StatusOr<BlobUse> FindUse(sql::Session& session, const BlobName& name);

// The blob, which is whole, is the series' base from now on.
absl::Status StartBase(sql::Session& session, absl::string_view series, const BlobName& name);

// So many bytes more were packed against the series' base.
absl::Status SpendOnBase(sql::Session& session, absl::string_view series, uint64_t bytes);

}  // namespace gprofhub::store
