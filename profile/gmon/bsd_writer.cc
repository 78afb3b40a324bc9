#include "profile/gmon/bsd_writer.h"

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "profile/gmon/bsd_format.h"
#include "profile/gmon/byte_encoder.h"
#include "profile/gmon/format.h"

namespace gprofhub::profile {
namespace {

constexpr size_t kSpareSize = 12;

absl::Status HasNoPlace(absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("the BSD format has no place for ", what, ": write the GNU format, without -O"));
}

absl::Status Check(const RawProfile& profile, const GmonWriteOptions& options) {
  if (options.address_size != 4 && options.address_size != 8) {
    return absl::InvalidArgumentError(
        absl::StrFormat("address size %d: must be 4 or 8", options.address_size));
  }
  const uint64_t max = options.address_size == 8 ? UINT64_MAX : UINT32_MAX;
  if (profile.histograms.size() > 1) return HasNoPlace("a second histogram");
  if (!profile.blocks.empty()) return HasNoPlace("basic blocks");
  for (const Histogram& histogram : profile.histograms) {
    if (histogram.low_pc > max || histogram.high_pc > max) return HasNoPlace("such addresses");
    if (histogram.bins.size() > (UINT32_MAX - 40) / GMON_BIN_SIZE)
      return HasNoPlace("so many bins");
    for (const uint64_t bin : histogram.bins) {
      if (bin > GMON_BIN_MAX) return HasNoPlace(absl::StrFormat("a bin of %d samples", bin));
    }
  }
  for (const RawArc& arc : profile.arcs) {
    if (arc.from_pc > max || arc.self_pc > max) return HasNoPlace("such addresses");
    if (arc.count > max) return HasNoPlace(absl::StrFormat("%d calls of one arc", arc.count));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> WriteBsd(const RawProfile& profile, const GmonWriteOptions& options,
                                     bool with_version) {
  if (absl::Status status = Check(profile, options); !status.ok()) return status;
  const Histogram none;
  const Histogram& histogram = profile.histograms.empty() ? none : profile.histograms.front();
  const size_t header =
      2 * static_cast<size_t>(options.address_size) + 4 + (with_version ? 8 + kSpareSize : 0);
  ByteEncoder out(options.address_size, options.big_endian);
  out.Word(histogram.low_pc);
  out.Word(histogram.high_pc);
  out.Number(header + GMON_BIN_SIZE * histogram.bins.size(), 4);
  if (with_version) {
    out.Number(k44BsdVersion, 4);
    out.Number(histogram.rate, 4);
    out.Text("", kSpareSize);
  }
  for (const uint64_t bin : histogram.bins) out.Number(bin, GMON_BIN_SIZE);
  for (const RawArc& arc : profile.arcs) {
    out.Word(arc.from_pc);
    out.Word(arc.self_pc);
    out.Word(arc.count);
  }
  return out.Take();
}

}  // namespace gprofhub::profile
