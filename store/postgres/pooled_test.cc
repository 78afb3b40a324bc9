// The store behind a real PgBouncer in transaction mode, with three connections for all clients.
// Session settings must be made inside the transaction: the next one may use another connection.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "store/contract/suite.h"
#include "store/postgres/open_postgres.h"
#include "tests/postgres/pg_bouncer.h"
#include "tests/postgres/postgres_server.h"

namespace gprofhub::store::postgres {

namespace {

using ::testing::HasSubstr;

constexpr int kConnections = 3;

// A server and the pooler before it.
struct Servers {
  std::unique_ptr<tests::PostgresServer> postgres;
  std::unique_ptr<tests::PgBouncer> pooler;
};

absl::StatusOr<Servers> StartServers() {
  Servers servers;
  ASSIGN_OR_RETURN(std::unique_ptr<tests::PostgresServer> postgres, tests::PostgresServer::Start());
  servers.postgres = std::move(postgres);
  ASSIGN_OR_RETURN(std::unique_ptr<tests::PgBouncer> pooler,
                   tests::PgBouncer::Start(*servers.postgres, kConnections));
  servers.pooler = std::move(pooler);
  return servers;
}

// One pair for all tests; nullptr, and a failure, if it does not start.
Servers* Both() {
  static absl::StatusOr<Servers> servers = StartServers();
  EXPECT_TRUE(servers.ok()) << servers.status();
  return servers.ok() ? &*servers : nullptr;
}

class PooledHome final : public StoreHome {
 public:
  PooledHome(std::string name, std::string url) : name_(std::move(name)), url_(std::move(url)) {}
  absl::StatusOr<sql::Engine> Open() override { return OpenPostgres(url_); }
  std::string location() const override { return url_; }
  void DamageRows(const std::string& statement) override {
    const absl::Status status =
        Both()->postgres->Execute(name_, "SET session_replication_role = replica; " + statement);
    EXPECT_TRUE(status.ok()) << status;
  }

 private:
  const std::string name_;
  const std::string url_;
};

std::unique_ptr<StoreHome> NewPooledHome() {
  static std::atomic<int> count{0};
  Servers* servers = Both();
  if (servers == nullptr) return nullptr;
  const std::string name = absl::StrCat("test_", ++count);
  const absl::StatusOr<std::string> url = servers->postgres->CreateDatabase(name);
  EXPECT_TRUE(url.ok()) << url.status();
  if (!url.ok()) return nullptr;
  return std::make_unique<PooledHome>(name, servers->pooler->Through(*url));
}

INSTANTIATE_TEST_SUITE_P(Pooled, StoreContractTest, testing::Values(&NewPooledHome));

TEST(PooledStoreTest, AServerThatAcknowledgesBeforeItSyncsIsRefused) {
  Servers* servers = Both();
  ASSERT_NE(servers, nullptr);
  const absl::StatusOr<std::string> url = servers->postgres->CreateDatabase("asynchronous");
  ASSERT_TRUE(url.ok()) << url.status();
  ASSERT_TRUE(
      servers->postgres
          ->Execute("asynchronous", "ALTER DATABASE asynchronous SET synchronous_commit = off")
          .ok());
  // Without a pooler it is turned on for each connection.
  EXPECT_TRUE(OpenPostgres(*url).ok());
  const absl::Status refused = OpenPostgres(servers->pooler->Through(*url)).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("SET synchronous_commit = on"));
}

}  // namespace

}  // namespace gprofhub::store::postgres
