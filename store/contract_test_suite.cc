#include "store/contract_test_suite.h"

#include <utility>

namespace gprofhub {

void StoreContractTest::SetUp() {
  home_ = GetParam()();
  ASSERT_NE(home_, nullptr);
  store_ = OpenAgain();
  ASSERT_NE(store_, nullptr);
}

std::unique_ptr<Store> StoreContractTest::OpenAgain() {
  absl::StatusOr<std::unique_ptr<Store>> store = home_->Open();
  if (!store.ok()) {
    ADD_FAILURE() << store.status();
    return nullptr;
  }
  return *std::move(store);
}

}  // namespace gprofhub
