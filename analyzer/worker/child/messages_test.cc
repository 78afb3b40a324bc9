#include "analyzer/worker/child/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/sha256.h"
#include "profile/codec/series.h"

namespace gprofhub::analyzer {
namespace {

using ::testing::HasSubstr;

AnalysisInput Input() {
  AnalysisInput input;
  input.run_id = 17;
  input.target = "//db:caf\xC3\xA9_test";
  input.profile_kind = store::ProfileKind::kSampled;
  input.data.without_profiles = 3;
  store::TargetData::Profile profile;
  profile.execution.run_number = 2;
  profile.execution.shard = 4;
  profile.execution.attempt = 5;
  profile.profile = {"gmon.17", "b1d1", "data"};
  profile.bundle = "bundle";
  input.data.profiles.push_back(profile);
  return input;
}

TEST(MessagesTest, AJobArrivesAsItWasSent) {
  const absl::StatusOr<AnalysisInput> input = DecodeInput(EncodeInput(Input()));
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(input->run_id, 17);
  EXPECT_EQ(input->target, "//db:caf\xC3\xA9_test");
  EXPECT_EQ(input->profile_kind, store::ProfileKind::kSampled);
  EXPECT_EQ(input->data.without_profiles, 3u);
  ASSERT_EQ(input->data.profiles.size(), 1u);
  const store::TargetData::Profile& profile = input->data.profiles[0];
  EXPECT_EQ(profile.execution.run_number, 2u);
  EXPECT_EQ(profile.execution.shard, 4u);
  EXPECT_EQ(profile.execution.attempt, 5u);
  EXPECT_EQ(profile.profile.process, "gmon.17");
  EXPECT_EQ(profile.profile.build_id, "b1d1");
  EXPECT_EQ(profile.profile.data, "data");
  EXPECT_EQ(profile.bundle, "bundle");
}

TEST(MessagesTest, EachKindOfProfilesArrives) {
  for (const store::ProfileKind kind :
       {store::ProfileKind::kCounted, store::ProfileKind::kSampled, store::ProfileKind::kWindow}) {
    AnalysisInput input;
    input.profile_kind = kind;
    const auto received = DecodeInput(EncodeInput(input));
    ASSERT_TRUE(received.ok()) << received.status();
    EXPECT_EQ(received->profile_kind, kind);
  }
  std::string bytes = EncodeInput(AnalysisInput());
  bytes.replace(bytes.find("counted"), 7, "guessed");
  EXPECT_EQ(DecodeInput(bytes).status().code(), absl::StatusCode::kInternal);
}

TEST(MessagesTest, AnErrorArrivesAsItWasSent) {
  const absl::Status error = DecodeError(EncodeError(absl::DataLossError("byte 20")));
  EXPECT_EQ(error, absl::DataLossError("byte 20"));
}

TEST(MessagesTest, AnErrorOfAHostileChildIsAnErrorAndText) {
  for (const std::string& bytes : {std::string(), std::string("abc"), std::string(4, '\0'),
                                   std::string("\x7F\0\0\0why", 7), std::string(4, '\xFF')}) {
    EXPECT_TRUE(absl::IsInternal(DecodeError(bytes)));
  }
  const absl::Status odd = DecodeError(std::string("\x0F\0\0\0\xFFname", 9));
  EXPECT_TRUE(absl::IsDataLoss(odd));
  EXPECT_EQ(odd.message(), "<0xFF>name");
  const std::string longest = EncodeError(absl::InternalError(std::string(100'000, 'x')));
  EXPECT_EQ(DecodeError(longest).message().size(), 10'000u);
}

// Takes a valid frame. Returns whether the result is complete.
bool Take(ResultReader& reader, Frame frame) {
  const absl::StatusOr<bool> complete = reader.Take(std::move(frame));
  EXPECT_TRUE(complete.ok()) << complete.status();
  return complete.ok() && *complete;
}

TEST(ResultReaderTest, PutsAResultTogether) {
  const AnalysisInput input = Input();
  ResultReader reader(input);
  EXPECT_FALSE(Take(reader, {kComputed, "bytes"}));
  EXPECT_FALSE(Take(reader, {kSegment, EncodeSegment({0, "", 3, "points"})}));
  EXPECT_TRUE(Take(reader, {kDone, ""}));
  const store::AnalysisResult result = reader.TakeResult();
  EXPECT_EQ(result.computed.bytes, "bytes");
  EXPECT_EQ(result.computed.name, base::Sha256Hex("bytes"));
  ASSERT_EQ(result.segments.size(), 1u);
  EXPECT_EQ(result.segments[0].run_id, 17);
  EXPECT_EQ(result.segments[0].target, input.target);
  EXPECT_EQ(result.segments[0].bucket, 3u);
  EXPECT_EQ(result.segments[0].payload, "points");
}

TEST(ResultReaderTest, RefusesWhatMakesNoSense) {
  const AnalysisInput input = Input();
  const std::vector<std::vector<Frame>> conversations = {
      {{kDone, ""}},
      {{kComputed, "a"}, {kComputed, "b"}},
      {{kSegment, "abc"}},
      {{kSegment, EncodeSegment({0, "", profile::kSeriesBuckets, ""})}},
      {{kSegment, EncodeSegment({0, "", 1, ""})}, {kSegment, EncodeSegment({0, "", 1, ""})}},
      {{kReady, ""}},
      {{kJob, ""}},
      {{999, ""}},
  };
  for (const std::vector<Frame>& conversation : conversations) {
    ResultReader reader(input);
    absl::StatusOr<bool> last = false;
    for (const Frame& frame : conversation) last = reader.Take(frame);
    EXPECT_TRUE(absl::IsInternal(last.status())) << last.status();
    EXPECT_THAT(std::string(last.status().message()), HasSubstr("makes no sense"));
  }
}

TEST(ResultReaderTest, ALongResultIsOutOfRange) {
  const AnalysisInput input = Input();
  ResultReader reader(input);
  EXPECT_EQ(reader.MostBytes(), kMostResultBytes);
  ASSERT_FALSE(Take(reader, {kComputed, std::string(kMostResultBytes - 10, 'x')}));
  EXPECT_LT(reader.MostBytes(), 100'000u);
  EXPECT_TRUE(absl::IsOutOfRange(
      reader.Take({kSegment, EncodeSegment({0, "", 1, "longer than that"})}).status()));
}

}  // namespace
}  // namespace gprofhub::analyzer
