#include "store/archive/observed_archive.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "store/testing/memory_objects.h"

namespace gprofhub::store {
namespace {

TEST(ObservedArchive, TellsOfEachUseWithWhatBecameOfIt) {
  std::vector<std::string> uses;
  const auto objects = std::make_shared<MemoryObjects>();
  const std::shared_ptr<ObjectStore> archive = Observed(objects, [&](const StoreCall& call) {
    uses.push_back(
        absl::StrCat(call.part, " ", call.operation, " ", absl::StatusCodeToString(call.code)));
  });
  EXPECT_TRUE(archive->Put("segment", "bytes").ok());
  EXPECT_EQ(*archive->Read("segment", 1, 2), "yt");
  EXPECT_EQ(archive->List("", "")->objects.size(), 1u);
  EXPECT_TRUE(archive->Delete("segment").ok());
  EXPECT_TRUE(absl::IsNotFound(archive->Read("segment", 0, 1).status()));
  objects->before = [](absl::string_view, absl::string_view) {
    return absl::UnavailableError("nobody answers");
  };
  EXPECT_TRUE(absl::IsUnavailable(archive->Put("segment", "bytes")));
  EXPECT_EQ(uses, (std::vector<std::string>{"archive put OK", "archive read OK", "archive list OK",
                                            "archive delete OK", "archive read NOT_FOUND",
                                            "archive put UNAVAILABLE"}));
}

TEST(ObservedArchive, IsTheArchiveItselfIfNobodyListens) {
  const auto objects = std::make_shared<MemoryObjects>();
  EXPECT_EQ(Observed(objects, nullptr), objects);
  EXPECT_EQ(Observed(nullptr, [](const StoreCall&) {}), nullptr);
}

}  // namespace
}  // namespace gprofhub::store
