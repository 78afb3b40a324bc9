// What every Store must do, as one test suite. An implementation's test file
// instantiates it with the places where its stores live:
//
//   INSTANTIATE_TEST_SUITE_P(Sqlite, StoreContractTest, testing::Values(&NewHome));
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "absl/status/statusor.h"
#include "store/store.h"

namespace gprofhub {

// Where one store lives. Everything there goes with it.
class StoreHome {
 public:
  virtual ~StoreHome() = default;
  // Opens the store, as a process does at its start; several may be open.
  virtual absl::StatusOr<std::unique_ptr<Store>> Open() = 0;
};

// Gives a new and empty home, or fails the test and gives nullptr.
using NewStoreHome = std::unique_ptr<StoreHome> (*)();

class StoreContractTest : public testing::TestWithParam<NewStoreHome> {
 protected:
  void SetUp() override;
  // One more store on the same home.
  std::unique_ptr<Store> OpenAgain();

  std::unique_ptr<StoreHome> home_;
  std::unique_ptr<Store> store_;
};

}  // namespace gprofhub
