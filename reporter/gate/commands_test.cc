#include "reporter/gate/commands.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace gprofhub::reporter {
namespace {

TEST(ParseAckCommandsTest, TakesANameAndAReason) {
  const auto commands = ParseAckCommands(
      "Thanks!\r\n/gprofhub ack jsonAppendChar the cache is worth it\r\n"
      "  /gprofhub not-a-regression `ns::f(int, char)`   the test grew  \n");
  ASSERT_EQ(commands.size(), 2u);
  EXPECT_EQ(commands[0].function, "jsonAppendChar");
  EXPECT_EQ(commands[0].reason, "the cache is worth it");
  EXPECT_FALSE(commands[0].not_a_regression);
  EXPECT_EQ(commands[1].function, "ns::f(int, char)");
  EXPECT_EQ(commands[1].reason, "the test grew");
  EXPECT_TRUE(commands[1].not_a_regression);
}

TEST(ParseAckCommandsTest, PassesOverWhatIsNone) {
  for (const std::string& body :
       {std::string(), std::string("/gprofhub"), std::string("/gprofhub ack"),
        std::string("/gprofhub ack f"), std::string("/gprofhub ack `f reason"),
        std::string("/gprofhub ack `` reason"), std::string("> /gprofhub ack f reason"),
        std::string("see /gprofhub ack f reason"), std::string("/gprofhubs ack f reason"),
        std::string("/gprofhub nack f reason"),
        absl::StrCat("/gprofhub ack f ", std::string(2000, 'x')),
        absl::StrCat("/gprofhub ack ", std::string(2000, 'x'), " reason")}) {
    EXPECT_TRUE(ParseAckCommands(body).empty()) << body.substr(0, 100);
  }
}

TEST(AsksForRerunTest, TakesALineOfItsOwn) {
  for (const char* body :
       {"/gprofhub rerun", "Odd.\r\n  /gprofhub \t rerun  \r\nThanks!", "/gprofhub rerun please"}) {
    EXPECT_TRUE(AsksForRerun(body)) << body;
  }
  for (const char* body : {"", "/gprofhub", "/gprofhub reruns", "> /gprofhub rerun",
                           "see /gprofhub rerun", "/gprofhub ack rerun because", "rerun"}) {
    EXPECT_FALSE(AsksForRerun(body)) << body;
  }
}

}  // namespace
}  // namespace gprofhub::reporter
