#include "tests/postgres/postgres_server.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace gprofhub::tests {
namespace {

TEST(PostgresServerTest, KeepsWhatWasCommittedWhenStartedAgainAndLeavesNothingAtTheEnd) {
  absl::StatusOr<std::unique_ptr<PostgresServer>> server = PostgresServer::Start();
  ASSERT_TRUE(server.ok()) << server.status();
  const absl::StatusOr<std::string> url = (*server)->CreateDatabase("one");
  ASSERT_TRUE(url.ok()) << url.status();
  EXPECT_TRUE((*server)->Execute("one", "CREATE TABLE kept ()").ok());
  EXPECT_FALSE((*server)->Execute("one", "SELECT * FROM missing").ok());
  EXPECT_TRUE((*server)->Stop().ok());
  EXPECT_FALSE((*server)->Execute("one", "TABLE kept").ok());
  ASSERT_TRUE((*server)->StartAgain().ok());
  EXPECT_TRUE((*server)->Execute("one", "TABLE kept").ok());

  const std::string directory = url->substr(url->find("host=") + 5);
  EXPECT_TRUE(std::filesystem::exists(directory));
  server->reset();
  EXPECT_FALSE(std::filesystem::exists(directory));
}

}  // namespace
}  // namespace gprofhub::tests
