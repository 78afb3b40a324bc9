#include "store/sqlite/group_writer.h"

#include <gtest/gtest.h>

#include <new>
#include <thread>
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

TEST(GroupWriter, WhoComesWhileAGroupIsAtWorkIsCommittedWithIt) {
  auto connection = Connection::Open(testing::TempDir());
  ASSERT_TRUE(connection.ok()) << connection.status();
  ASSERT_TRUE((*connection)->Script("CREATE TABLE shared (value INTEGER)").ok());
  GroupWriter writer(*std::move(connection));
  auto other = Connection::Open(testing::TempDir());
  ASSERT_TRUE(other.ok()) << other.status();
  size_t committed = 2, seen = 0;
  std::thread late;
  const absl::Status first = writer.Write([&](sql::Session& session) {
    late = std::thread([&] {
      const absl::Status second = writer.Write([&](sql::Session& same) {
        const auto before = (*other)->Query("SELECT value FROM shared", {});
        if (!before.ok()) return before.status();
        committed = before->size();
        const auto rows = same.Query("SELECT value FROM shared", {});
        if (!rows.ok()) return rows.status();
        seen = rows->size();
        return absl::OkStatus();
      });
      EXPECT_TRUE(second.ok()) << second;
    });
    while (writer.waiting() == 0) std::this_thread::yield();
    return session.Execute("INSERT INTO shared VALUES (1)", {});
  });
  EXPECT_TRUE(first.ok()) << first;
  late.join();
  EXPECT_EQ(seen, 1u);
  EXPECT_EQ(committed, 0u) << "the first was committed alone";
}

}  // namespace
}  // namespace gprofhub::store::sqlite
