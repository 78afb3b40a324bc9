#include "store/packing/shelf_name.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "store/testing/engines.h"

namespace gprofhub::store {

namespace {

TEST(ObservedShelf, TellsOfEachUseWithWhatBecameOfIt) {
  std::vector<std::string> uses;
  const auto objects = std::make_shared<MemoryObjects>();
  const std::shared_ptr<ObjectStore> shelf = Observed(objects, [&](const StoreCall& call) {
    uses.push_back(
        absl::StrCat(call.part, " ", call.operation, " ", absl::StatusCodeToString(call.code)));
  });
  EXPECT_TRUE(shelf->Put("box", "bytes").ok());
  EXPECT_EQ(*shelf->Read("box", 1, 2), "yt");
  EXPECT_EQ(shelf->List("", "")->objects.size(), 1u);
  EXPECT_TRUE(shelf->Delete("box").ok());
  EXPECT_TRUE(absl::IsNotFound(shelf->Read("box", 0, 1).status()));
  objects->before = [](absl::string_view, absl::string_view) {
    return absl::UnavailableError("nobody answers");
  };
  EXPECT_TRUE(absl::IsUnavailable(shelf->Put("box", "bytes")));
  EXPECT_EQ(uses, (std::vector<std::string>{"shelf put OK", "shelf read OK", "shelf list OK",
                                            "shelf delete OK", "shelf read NOT_FOUND",
                                            "shelf put UNAVAILABLE"}));
}

TEST(ObservedShelf, IsTheShelfItselfIfNobodyListens) {
  const auto objects = std::make_shared<MemoryObjects>();
  EXPECT_EQ(Observed(objects, nullptr), objects);
  EXPECT_EQ(Observed(nullptr, [](const StoreCall&) {}), nullptr);
}

}  // namespace

}  // namespace gprofhub::store
