#include "reporter/policy/owners.h"

#include <gmock/gmock.h>

namespace gprofhub::reporter {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

v1::Finding At(const std::string& file, const std::string& function = "_Z5parsei") {
  v1::Finding finding;
  finding.set_function(function);
  finding.set_function_display("parse(int)");
  finding.mutable_site()->set_file(file);
  return finding;
}

TEST(OwnersOf, ThePolicyGoesBeforeCodeOwners) {
  const CodeOwners file = ParseCodeOwners("* @all\n/db/ @db\n");
  Policy policy;
  EXPECT_THAT(OwnersOf(policy, file, At("db/x.cc")), ElementsAre("@db"));
  EXPECT_THAT(OwnersOf(policy, file, At("./db/x.cc")), ElementsAre("@db"));
  EXPECT_THAT(OwnersOf(policy, file, At("")), IsEmpty());
  policy.owners = {{{"/db/json/"}, {"parse*"}, {"@json"}}, {{}, {"_Z4next*"}, {"@next"}}};
  EXPECT_THAT(OwnersOf(policy, file, At("db/json/x.cc")), ElementsAre("@json"));
  EXPECT_THAT(OwnersOf(policy, file, At("db/x.cc")), ElementsAre("@db"))
      << "file and function must fit";
  EXPECT_THAT(OwnersOf(policy, file, At("", "_Z4nextv")), ElementsAre("@next"));
}

}  // namespace
}  // namespace gprofhub::reporter
