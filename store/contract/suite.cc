#include "store/contract/suite.h"

namespace gprofhub::store {

void StoreContractTest::SetUp() {
  home_ = GetParam()();
  ASSERT_NE(home_, nullptr);
  store_ = OpenAgain();
  ASSERT_TRUE(store_.has_value());
}

std::optional<Store> StoreContractTest::OpenAgain() {
  absl::StatusOr<sql::Engine> engine = home_->Open();
  if (!engine.ok()) {
    ADD_FAILURE() << engine.status();
    return std::nullopt;
  }
  return Store(*engine);
}

}  // namespace gprofhub::store
