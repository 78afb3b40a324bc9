#include "store/contract/suite.h"

namespace gprofhub::store {

void StoreContractTest::SetUp() {
  home_ = GetParam()();
  ASSERT_NE(home_, nullptr);
  const absl::StatusOr<sql::Engine> engine = home_->Open();
  ASSERT_TRUE(engine.ok()) << engine.status();
  engine_ = *engine;
  store_.emplace(*engine);
  upkeep_.emplace(*engine);
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
