#include "store/sqlite/group_writer.h"

#include <gtest/gtest.h>

#include <new>
#include <utility>

namespace gprofhub::store::sqlite {
namespace {

TEST(GroupWriter, AWriteThatRunsOutOfMemoryFailsAloneAndLetsTheNextPass) {
  auto connection = Connection::Open(testing::TempDir());
  ASSERT_TRUE(connection.ok()) << connection.status();
  ASSERT_TRUE((*connection)->Script("CREATE TABLE kept (value INTEGER)").ok());
  GroupWriter writer(*std::move(connection));
  const absl::Status failed = writer.Write([](sql::Session& session) -> absl::Status {
    (void)session.Query("INSERT INTO kept VALUES (1)", {});
    throw std::bad_alloc();
  });
  EXPECT_TRUE(absl::IsResourceExhausted(failed)) << failed;
  const absl::Status passed = writer.Write([](sql::Session& session) {
    const auto rows = session.Query("SELECT value FROM kept", {});
    if (!rows.ok()) return rows.status();
    return rows->empty() ? absl::OkStatus() : absl::InternalError("the failed write was kept");
  });
  EXPECT_TRUE(passed.ok()) << passed;
}

}  // namespace
}  // namespace gprofhub::store::sqlite
