// Contract tests of all engines, as one test suite. An engine's test file instantiates it with the
// places of its stores:
//
//   INSTANTIATE_TEST_SUITE_P(Sqlite, StoreContractTest, testing::Values(&NewHome));
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "store/open_store.h"
#include "store/sql/engine.h"
#include "store/upkeep.h"

namespace gprofhub::store {

// Location of one store. The destructor deletes everything there.
class StoreHome {
 public:
  virtual ~StoreHome() = default;
  // Opens the engine, as a process does at startup; several may be open.
  virtual absl::StatusOr<sql::Engine> Open() = 0;
  // In OpenStore's format.
  virtual std::string location() const = 0;
  // Executes a statement without foreign key checks, to simulate damage.
  virtual void DamageRows(const std::string& statement) = 0;
};

// Makes an empty home, or fails the test and returns nullptr.
using NewStoreHome = std::unique_ptr<StoreHome> (*)();

class StoreContractTest : public testing::TestWithParam<NewStoreHome> {
 protected:
  void SetUp() override;
  // Opens another store on the same home.
  std::optional<Store> OpenAgain();
  // The store's maintenance.
  const Upkeep& upkeep() const { return *upkeep_; }
  // For tests that corrupt rows, or inspect them.
  sql::Database& database() const { return *engine_->database; }

  std::unique_ptr<StoreHome> home_;
  std::optional<sql::Engine> engine_;
  std::optional<Store> store_;
  std::optional<Upkeep> upkeep_;
};

}  // namespace gprofhub::store
