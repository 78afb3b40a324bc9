#include "tests/fault/stores.h"

#include <gtest/gtest.h>

#include "store/testing/temp_store.h"
#include "tests/postgres/postgres_server.h"

namespace gprofhub::tests {
namespace {

class SqlitePlace final : public StorePlace {
 public:
  std::string location() const override { return "sqlite:" + dir_; }
  FaultControl Faults() const override { return FaultControl::OfFiles(dir_); }

 private:
  const std::string dir_ = store::MakeTempDir();
};

// A new database on the server that all tests of this program share.
class PostgresPlace final : public StorePlace {
 public:
  PostgresPlace() {
    static const auto server = PostgresServer::Start();
    static int databases = 0;
    EXPECT_TRUE(server.ok()) << server.status();
    if (!server.ok()) return;
    const auto url = (*server)->CreateDatabase("fault_" + std::to_string(++databases));
    EXPECT_TRUE(url.ok()) << url.status();
    if (url.ok()) location_ = *url;
  }
  std::string location() const override { return location_; }
  FaultControl Faults() const override { return FaultControl::OfDatabaseSockets(); }

 private:
  std::string location_;
};

}  // namespace

std::vector<StoreMaker> AllStores() {
  return {{"Sqlite", [] { return std::make_unique<SqlitePlace>(); }},
          {"Postgres", [] { return std::make_unique<PostgresPlace>(); }}};
}

}  // namespace gprofhub::tests
