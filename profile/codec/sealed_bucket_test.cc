#include "profile/codec/sealed_bucket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"

namespace gprofhub::profile {
namespace {

using ::testing::SizeIs;

// What a program of schema version 24 wrote of three runs: function 4 was called 40 and 41 times in
// runs 1 and 3, function 5 had 51 and 52 calls, samples of 1 and 3, and of 1 and 1 in what it
// calls, in runs 2 and 3.
std::string OldBucket() {
  return absl::HexStringToBytes(
      "0103"                    // version, runs
      "000103"                  // ids
      "00808080808080d0cf4003"  // rates
      "000103"                  // repetitions
      "0204100114"              // functions: of each hash and size
      "01000001050028012901000002000002"
      "000001010200330134010180080b010200800802");
}

TEST(SealedBucket, IsTakenApartIntoRunsAndFunctions) {
  const auto bucket = SplitSealedBucket(OldBucket());
  ASSERT_TRUE(bucket.ok()) << bucket.status();
  const auto runs = DecodeChunkRuns(bucket->runs);
  ASSERT_TRUE(runs.ok()) << runs.status();
  ASSERT_THAT(*runs, SizeIs(3));
  EXPECT_EQ((*runs)[2].run_id, 3);
  EXPECT_EQ((*runs)[2].sample_rate, 2000);
  ASSERT_THAT(bucket->functions, SizeIs(2));
  const FunctionColumns& second = bucket->functions[1];
  EXPECT_EQ(second.function_hash, 5u);
  const auto points = DecodeFunctionColumns(second.function_hash, second.bytes, runs->size());
  ASSERT_TRUE(points.ok()) << points.status();
  ASSERT_THAT(*points, SizeIs(2));
  EXPECT_EQ((*points)[1].run, 2u);
  EXPECT_EQ((*points)[1].point.calls, 52u);
  EXPECT_EQ((*points)[1].point.total_samples, 4);
}

TEST(SealedBucket, EveryPrefixIsAnError) {
  const std::string bytes = OldBucket();
  for (size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_EQ(SplitSealedBucket(bytes.substr(0, size)).status().code(), absl::StatusCode::kDataLoss)
        << size;
  }
  EXPECT_FALSE(SplitSealedBucket(bytes + "x").ok());
}

TEST(SealedBucket, MoreFunctionsThanBytesAreRefusedBeforeRoomIsMadeForThem) {
  EXPECT_FALSE(SplitSealedBucket("\x01" + std::string(4, '\0') + "\xff\xff\xff\xff\x0f").ok());
}

}  // namespace
}  // namespace gprofhub::profile
