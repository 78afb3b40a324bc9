// What the store must do over every engine, as one test suite. An engine's test
// file instantiates it with the places where its stores live:
//
//   INSTANTIATE_TEST_SUITE_P(Sqlite, StoreContractTest, testing::Values(&NewHome));
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "store/sql/engine.h"
#include "store/store.h"

namespace gprofhub::store {

// Where one store lives. Everything there goes with it.
class StoreHome {
 public:
  virtual ~StoreHome() = default;
  // Opens the engine, as a process does at its start; several may be open.
  virtual absl::StatusOr<sql::Engine> Open() = 0;
};

// Gives a new and empty home, or fails the test and gives nullptr.
using NewStoreHome = std::unique_ptr<StoreHome> (*)();

class StoreContractTest : public testing::TestWithParam<NewStoreHome> {
 protected:
  void SetUp() override;
  // One more store on the same home.
  std::optional<Store> OpenAgain();

  std::unique_ptr<StoreHome> home_;
  std::optional<Store> store_;
};

}  // namespace gprofhub::store
