// Results of an analysis process, which a hostile profile may have compromised. The input is
// frames: a kind, a length of two bytes, and that number of bytes. A complete result has each
// bucket once and is the job's.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>

#include "analyzer/worker/analysis_child.h"
#include "base/text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gprofhub::analyzer;
  AnalysisInput input;
  input.run_id = 17;
  input.target = "//db:test";
  ResultReader reader(input);
  while (size >= 3) {
    const size_t length = std::min<size_t>(data[1] | data[2] << 8, size - 3);
    const auto complete =
        reader.Take({data[0], std::string(reinterpret_cast<const char*>(data) + 3, length)});
    if (!complete.ok()) {
      if (!gprofhub::base::IsUtf8(complete.status().message())) std::abort();
      return 0;
    }
    if (*complete) break;
    data += 3 + length;
    size -= 3 + length;
  }
  std::set<uint32_t> buckets;
  for (const auto& segment : reader.TakeResult().segments) {
    if (segment.run_id != 17 || segment.target != "//db:test") std::abort();
    if (!buckets.insert(segment.bucket).second) std::abort();
  }
  (void)DecodeInput(absl::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
