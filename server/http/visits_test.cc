#include "server/http/visits.h"

#include <gtest/gtest.h>

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "collector/access/authorizer.h"
#include "server/http/page_request.h"

namespace gprofhub::server {
namespace {

TEST(Visits, ATokenIsLookedUpOnceForEachRequest) {
  int lookups = 0;
  collector::Access access;
  access.authenticate = [&](const collector::CallOrigin&) -> absl::StatusOr<collector::Caller> {
    ++lookups;
    return absl::UnauthenticatedError("unknown");
  };
  const auto visits = Visits::Make(access, {});
  ASSERT_TRUE(visits.ok()) << visits.status();
  PageRequest request;
  request.authorization = "Bearer wrong";
  EXPECT_EQ((*visits)->PersonOf(request), "");
  EXPECT_TRUE(absl::IsUnauthenticated((*visits)->Identify(request).status()));
  EXPECT_EQ(lookups, 1);
}

}  // namespace
}  // namespace gprofhub::server
