#include "cli/local/owners.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "cli/output/write_file.h"
#include "cli/testing/command_line.h"

namespace gprofhub::cli {
namespace {

TEST(OwnersHere, AreThoseOfThePolicyAndOfTheFirstCodeOwners) {
  std::filesystem::current_path(EmptyTestFolder());
  v1::Finding finding;
  finding.mutable_site()->set_file("db/x.cc");
  reporter::Policy policy;
  EXPECT_THAT(OwnersHere(policy)(finding), testing::IsEmpty());
  ASSERT_TRUE(WriteFile("CODEOWNERS", "* @root\n").ok());
  EXPECT_THAT(OwnersHere(policy)(finding), testing::ElementsAre("@root"));
  std::filesystem::create_directory(".github");
  ASSERT_TRUE(WriteFile(".github/CODEOWNERS", "/db/ @db\n").ok());
  EXPECT_THAT(OwnersHere(policy)(finding), testing::ElementsAre("@db"));
  policy.owners = {{{"*.cc"}, {}, {"@cc"}}};
  EXPECT_THAT(OwnersHere(policy)(finding), testing::ElementsAre("@cc"));
}

}  // namespace
}  // namespace gprofhub::cli
