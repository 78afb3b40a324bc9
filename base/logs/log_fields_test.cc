#include "base/logs/log_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace gprofhub::base {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(LogFields, HoldForTheirScope) {
  EXPECT_THAT(LogFields::Current(), IsEmpty());
  {
    const LogFields outer{{"request", "a"}, {"run", "7"}};
    {
      const LogFields inner{{"target", "//x"}, {"run", "8"}};
      EXPECT_THAT(LogFields::Current(),
                  ElementsAre(Pair("request", "a"), Pair("run", "8"), Pair("target", "//x")));
    }
    EXPECT_THAT(LogFields::Current(), ElementsAre(Pair("request", "a"), Pair("run", "7")));
  }
  EXPECT_THAT(LogFields::Current(), IsEmpty());
}

TEST(LogFields, WithoutAValueAreLeftOut) {
  const LogFields fields{{"request", ""}, {"run", "7"}};
  EXPECT_THAT(LogFields::Current(), ElementsAre(Pair("run", "7")));
}

TEST(LogFields, AreTheThreadsOwn) {
  const LogFields fields{{"request", "a"}};
  std::thread([] { EXPECT_THAT(LogFields::Current(), IsEmpty()); }).join();
}

}  // namespace
}  // namespace gprofhub::base
