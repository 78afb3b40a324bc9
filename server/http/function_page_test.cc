#include "server/http/function_page.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"

namespace gprofhub::server {

namespace {

// Assets that load on demand only: graphviz, which is a module of its own.
bool IsOnDemand(const Asset& asset) { return absl::StartsWith(asset.name, "graphviz-"); }

TEST(AssetsTest, ScriptsOfAllPagesAreSmall) {
  size_t scripts = 0, on_demand = 0;
  for (const Asset& asset : AllAssets()) {
    if (!absl::StartsWith(asset.type, "text/javascript")) continue;
    (IsOnDemand(asset) ? on_demand : scripts) += asset.packed.size();
  }
  EXPECT_GT(scripts, 10'000u);
  EXPECT_LE(scripts, 150'000u);
  EXPECT_GT(on_demand, 500'000u) << "it is named as this test knows it";
}

TEST(AssetsTest, EachIsFoundByItsName) {
  for (const Asset& asset : AllAssets()) EXPECT_EQ(FindAsset(asset.name), &asset);
  EXPECT_EQ(FindAsset("none.js"), nullptr);
}

TEST(AssetsTest, EachWorkOfOthersHasItsLicence) {
  EXPECT_GE(AssetLicences().size(), 2u);
  for (const AssetLicence& licence : AssetLicences()) {
    EXPECT_FALSE(licence.licence.empty()) << licence.name;
    EXPECT_GT(licence.text.size(), 100u) << licence.name;
  }
}

}  // namespace

}  // namespace gprofhub::server
