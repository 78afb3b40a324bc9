// Points as programs before schema version 25 packed them. The split parts are readable, except for
// the points themselves.

#include "profile/codec/sealed_bucket.h"

#include <cstdlib>

#include "profile/codec/series_chunk.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gprofhub::profile;
  const auto bucket =
      SplitSealedBucket(absl::string_view(reinterpret_cast<const char*>(data), size));
  if (!bucket.ok()) return 0;
  const auto runs = DecodeChunkRuns(bucket->runs);
  if (!runs.ok()) std::abort();
  for (const FunctionColumns& function : bucket->functions) {
    (void)DecodeFunctionColumns(function.function_hash, function.bytes, runs->size());
  }
  return 0;
}
