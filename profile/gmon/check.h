// Checks a profile's bytes: counts everything, and stores only the shapes of the histograms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/container/btree_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "profile/gmon/fields.h"
#include "profile/raw_profile.h"

namespace gprofhub::profile {

// A histogram without its samples. Several records may add to it.
struct HistogramShape {
  uint64_t high_pc;
  uint32_t bins;
};

// Layout of a file, assuming one encoding; or the reason why it cannot have that encoding.
struct GmonLayout {
  GmonEncoding encoding;
  absl::Status status;
  size_t offset = 0;  // position of the error, or the end
  uint64_t arcs = 0;
  uint64_t blocks = 0;
  // By low_pc, the ranges being disjoint.
  absl::btree_map<uint64_t, HistogramShape> histograms;
  Histogram unit;  // rate, dimension and abbreviation of all histograms
  // BSD only: where the bins and the arcs begin.
  std::optional<size_t> bsd_bins;
  size_t bsd_arcs = 0;

  bool Empty() const { return histograms.empty() && arcs == 0 && blocks == 0; }
};

// `file_name` is for messages.
GmonLayout CheckGnuLayout(absl::string_view bytes, absl::string_view file_name,
                          GmonEncoding encoding);

// low_pc (word), high_pc (word), ncnt (4: bytes of header and bins); 4.4BSD continues with version
// (4), rate (4), spare (12). Then the bins, then arcs whose count is a word, too.
GmonLayout CheckBsdLayout(absl::string_view bytes, absl::string_view file_name,
                          GmonEncoding encoding, bool with_version);

}  // namespace gprofhub::profile
