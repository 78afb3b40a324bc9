// Summaries of days, and after a byte with the number of days, a function's. Decoded values survive
// encoding and decoding.

#include "profile/codec/summaries.h"

#include <cstdint>
#include <cstdlib>

namespace {

using namespace gprofhub::profile;

void CheckDays(absl::string_view bytes) {
  const auto days = DecodeSummaryDays(bytes);
  if (!days.ok()) return;
  const auto again = DecodeSummaryDays(EncodeSummaryDays(*days));
  if (!again.ok() || again->size() != days->size()) std::abort();
}

void CheckPoints(absl::string_view bytes) {
  if (bytes.empty()) return;
  const size_t days = static_cast<unsigned char>(bytes.front()) % (kMostSummaryDays + 1);
  const auto points = DecodeDayPoints(bytes.substr(1), days);
  if (!points.ok()) return;
  for (const DayPoint& point : *points) {
    if (!(point.calls.least <= point.calls.median && point.calls.median <= point.calls.most)) {
      std::abort();
    }
  }
  const auto again = DecodeDayPoints(EncodeDayPoints(*points), days);
  if (!again.ok() || again->size() != points->size()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  CheckDays(bytes);
  CheckPoints(bytes);
  return 0;
}
