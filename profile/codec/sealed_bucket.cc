// A sealed bucket is the runs of a chunk (series_chunk.cc), then
//   functions (varint: their number), then for each, ascending by hash: the hash less the one
//   before (varint), how many bytes its columns take (varint). Then the columns, in the same order.

#include "profile/codec/sealed_bucket.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "profile/codec/packed_ints.h"
#include "profile/codec/wire.h"

namespace gprofhub::profile {
namespace {

constexpr int kColumnsOfRuns = 3;

absl::Status Damaged(absl::string_view field) {
  return absl::DataLossError(absl::StrCat("sealed bucket: ", field,
                                          ": the stored points are damaged; restore the last good "
                                          "backup"));
}

// Takes the chunk's runs off the front.
absl::StatusOr<std::string> TakeRuns(absl::string_view& bytes) {
  const absl::string_view all = bytes;
  if (bytes.empty()) return Damaged("version");
  bytes.remove_prefix(1);
  uint64_t count = 0;
  if (!TakeVarint(bytes, count) || count > kMostRunsOfChunk) return Damaged("runs");
  std::vector<uint64_t> column;
  for (int i = 0; i < kColumnsOfRuns; ++i) {
    if (!TakePacked(bytes, count, column)) return Damaged("runs");
  }
  std::string runs(all.substr(0, all.size() - bytes.size()));
  if (absl::Status status = DecodeChunkRuns(runs).status(); !status.ok()) return status;
  return runs;
}

}  // namespace

absl::StatusOr<SeriesChunk> SplitSealedBucket(absl::string_view bytes) {
  absl::StatusOr<std::string> runs = TakeRuns(bytes);
  if (!runs.ok()) return runs.status();
  SeriesChunk bucket = {*std::move(runs), {}};
  uint64_t functions = 0;
  // Each has two numbers in the table at least.
  if (!TakeVarint(bytes, functions) || functions > bytes.size() / 2) return Damaged("functions");
  std::vector<uint64_t> sizes;
  uint64_t hash = 0;
  for (uint64_t i = 0; i < functions; ++i) {
    uint64_t step = 0;
    if (!TakeVarint(bytes, step) || !TakeVarint(bytes, sizes.emplace_back())) {
      return Damaged("functions");
    }
    if ((step == 0 && i > 0) || step > kLargestFunctionHash - hash) return Damaged("functions");
    hash += step;
    bucket.functions.push_back({hash, {}});
  }
  for (uint64_t i = 0; i < functions; ++i) {
    if (sizes[i] > bytes.size()) return Damaged("columns");
    bucket.functions[i].bytes = std::string(bytes.substr(0, sizes[i]));
    bytes.remove_prefix(sizes[i]);
  }
  if (!bytes.empty()) return Damaged("bytes follow the last column");
  return bucket;
}

}  // namespace gprofhub::profile
