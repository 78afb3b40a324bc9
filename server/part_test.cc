#include "server/part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace gprofhub::server {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Records the calls of a part.
class RecordedPart : public ServerPart {
 public:
  RecordedPart(std::string name, std::vector<std::string>& calls, absl::Status start = {})
      : name_(std::move(name)), calls_(calls), start_(std::move(start)) {}

  absl::Status Start() override {
    calls_.push_back(absl::StrCat("start ", name_));
    return start_;
  }
  void Ready() override { calls_.push_back(absl::StrCat("ready ", name_)); }
  void Drain() override { calls_.push_back(absl::StrCat("drain ", name_)); }
  void Stop() override { calls_.push_back(absl::StrCat("stop ", name_)); }

 private:
  const std::string name_;
  std::vector<std::string>& calls_;
  const absl::Status start_;
};

TEST(ServerPartsTest, StartsInOrderAndStopsInReverse) {
  std::vector<std::string> calls;
  RecordedPart one("1", calls);
  RecordedPart two("2", calls);
  ServerParts parts({&one, &two});
  EXPECT_THAT(calls, IsEmpty());
  ASSERT_TRUE(parts.Start().ok());
  EXPECT_THAT(calls, ElementsAre("start 1", "start 2", "ready 1", "ready 2"));
  calls.clear();
  parts.Stop();
  EXPECT_THAT(calls, ElementsAre("drain 1", "drain 2", "stop 2", "stop 1"));
  calls.clear();
  parts.Stop();
  EXPECT_THAT(calls, IsEmpty()) << "each part stops once";
}

TEST(ServerPartsTest, FailedStartStopsWhatRuns) {
  std::vector<std::string> calls;
  RecordedPart one("1", calls);
  RecordedPart two("2", calls, absl::UnavailableError("port in use"));
  RecordedPart three("3", calls);
  ServerParts parts({&one, &two, &three});
  EXPECT_EQ(parts.Start(), absl::UnavailableError("port in use"));
  EXPECT_THAT(calls, ElementsAre("start 1", "start 2", "drain 1", "drain 2", "stop 2", "stop 1"));
}

TEST(ServerPartsTest, DestructionStops) {
  std::vector<std::string> calls;
  RecordedPart one("1", calls);
  {
    ServerParts parts({&one});
    ASSERT_TRUE(parts.Start().ok());
    calls.clear();
  }
  EXPECT_THAT(calls, ElementsAre("drain 1", "stop 1"));
}

}  // namespace

}  // namespace gprofhub::server
