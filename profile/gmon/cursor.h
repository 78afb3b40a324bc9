// Reads a gmon file whose bytes were checked, in one pass.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "profile/gmon/check.h"
#include "profile/raw_profile.h"

namespace gprofhub::profile {

// GmonCursor cursor(bytes, layout);
// for (auto arcs = cursor.NextArcs(); !arcs.empty(); arcs = cursor.NextArcs()) …
// RawProfile rest = cursor.TakeRest();
class GmonCursor {
 public:
  // `layout` is that of `bytes`, which must have been checked; both must outlive this. The contents
  // of `memory`, another profile's histograms, are dropped, and their memory is reused.
  GmonCursor(absl::string_view bytes, const GmonLayout& layout, std::vector<Histogram> memory = {});

  // The next arcs in the file, a batch that fits the L1 cache. Valid until the next call. Empty at
  // the end.
  absl::Span<const RawArc> NextArcs();

  // Everything before this byte has been read, and is not read again.
  size_t offset() const { return static_cast<size_t>(at_ - bytes_.data()); }

  // Everything but the arcs. Call once, after the end is reached.
  RawProfile TakeRest();

 private:
  template <typename Numbers>
  void ReadGnuRecords();
  template <typename Numbers>
  void ReadGnuArcs();
  template <typename Numbers>
  void ReadGnuHistogram();
  template <typename Numbers>
  void ReadGnuBlocks();
  template <typename Numbers>
  void ReadBsdRecords();
  Histogram& HistogramFrom(uint64_t low_pc);

  const absl::string_view bytes_;
  const GmonLayout& layout_;
  const char* at_;
  RawProfile rest_;
  std::array<RawArc, 256> arcs_;
  size_t filled_ = 0;  // of arcs_
};

}  // namespace gprofhub::profile
