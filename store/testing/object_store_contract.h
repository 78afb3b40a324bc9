// Contract tests of ObjectStore (store/objects/object_store.h). An implementation's test supplies a
// factory of empty ones:
//
//   INSTANTIATE_TEST_SUITE_P(Folder, ObjectStoreContract,
//   testing::Values(TriedObjects{MakeFolder}));
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "store/objects/object_store.h"

namespace gprofhub::store {

struct TriedObjects {
  // Makes an empty store, at another place in each call.
  std::function<std::unique_ptr<ObjectStore>()> make;
  // Names of skipped tests: a third-party server may deviate.
  std::set<std::string> left_out = {};
};

class ObjectStoreContract : public testing::TestWithParam<TriedObjects> {
 protected:
  void SetUp() override;
  // The keys of one page.
  std::vector<std::string> Keys(absl::string_view prefix = "", absl::string_view after = "");

  std::unique_ptr<ObjectStore> objects_;
};

}  // namespace gprofhub::store
