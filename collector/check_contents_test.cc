#include "collector/check_contents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/codec/recording.h"
#include "profile/testing/recording_file.h"
#include "profile/testing/sample_profile.h"

namespace gprofhub::collector {
namespace {

using ::testing::HasSubstr;

TEST(CheckBundle, GivesTheSymbolsWithoutTheirLines) {
  const profile::SymbolTable sample = profile::SampleSymbols(1);
  const auto symbols = CheckBundle("bundle", profile::SampleBundle(1), {});
  ASSERT_TRUE(symbols.ok()) << symbols.status();
  EXPECT_EQ(symbols->functions.size(), sample.functions.size());
  EXPECT_TRUE(symbols->lines.empty());
}

TEST(CheckBundle, RefusesWhatIsNoBundle) {
  EXPECT_THAT(std::string(CheckBundle("bundle", "bytes", {}).status().message()),
              HasSubstr("bundle: "));
}

TEST(CheckCountedProfile, TakesAGmonFileOfTheImage) {
  const profile::SymbolTable image = profile::SampleSymbols(1);
  EXPECT_TRUE(CheckCountedProfile("profile", profile::SampleGmon(7), "gmon.7", image, {}).ok());
  const absl::Status status = CheckCountedProfile("profile", "bytes", "gmon.7", image, {});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("profile: as a profile of "));
}

TEST(CheckCountedProfile, RefusesARecordingThatHasNothingOfTheImage) {
  const absl::Status status =
      CheckCountedProfile("profile", profile::PackRecording(profile::OrderlyRecording()),
                          "a.7.gprofhub", profile::SampleSymbols(1), {});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr(profile::SampleSymbols(1).build_id));
}

TEST(CheckSampledProfile, RefusesBytesThatAreNoStacks) {
  EXPECT_THAT(
      std::string(CheckSampledProfile("profile", "bytes", "p.stacks", profile::SampleSymbols(1), {})
                      .message()),
      HasSubstr("profile: p.stacks"));
}

}  // namespace
}  // namespace gprofhub::collector
