#include "tests/fault/stores.h"

#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/testing/temp_store.h"
#include "tests/postgres/postgres_server.h"

namespace gprofhub::tests {
namespace {

class SqlitePlace final : public StorePlace {
 public:
  std::string location() const override { return "sqlite:" + dir_; }
  FaultControl Faults() const override { return FaultControl::OfFiles(dir_); }
  void AgeReports(int64_t) const override {}

 private:
  const std::string dir_ = store::MakeTempDir();
};

// A new database on the server that all tests of this program share.
class PostgresPlace final : public StorePlace {
 public:
  PostgresPlace() {
    static int databases = 0;
    EXPECT_TRUE(Server().ok()) << Server().status();
    if (!Server().ok()) return;
    name_ = "fault_" + std::to_string(++databases);
    const auto url = (*Server())->CreateDatabase(name_);
    EXPECT_TRUE(url.ok()) << url.status();
    if (url.ok()) location_ = *url;
  }
  std::string location() const override { return location_; }
  FaultControl Faults() const override { return FaultControl::OfDatabaseSockets(); }
  void AgeReports(int64_t seconds) const override {
    const std::string us = std::to_string(seconds) + "000000";
    const absl::Status aged = (*Server())->Execute(
        name_, "UPDATE report_job SET due_us = due_us - " + us +
                   ", lease_until_us = lease_until_us - CASE WHEN state = 'leased' THEN " + us +
                   " ELSE 0 END");
    EXPECT_TRUE(aged.ok()) << aged;
  }

 private:
  static const absl::StatusOr<std::unique_ptr<PostgresServer>>& Server() {
    static const auto server = PostgresServer::Start();
    return server;
  }

  std::string name_;
  std::string location_;
};

}  // namespace

StoreMaker SharedStore() {
  return {"Postgres", [] { return std::make_unique<PostgresPlace>(); }};
}

std::vector<StoreMaker> AllStores() {
  return {{"Sqlite", [] { return std::make_unique<SqlitePlace>(); }}, SharedStore()};
}

}  // namespace gprofhub::tests
