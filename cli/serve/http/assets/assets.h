// The scripts and styles of the pages, as web/ makes them. They are part of the program.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace gprofhub::cli {

struct Asset {
  absl::string_view name;    // "app.js"
  absl::string_view type;    // of its content
  absl::string_view packed;  // with gzip
};

// Hash of all assets' contents: their addresses contain it, so that browsers may cache them for
// ever.
absl::string_view AssetsVersion();

absl::Span<const Asset> AllAssets();
// Null: no asset has this name.
const Asset* FindAsset(absl::string_view name);

struct AssetLicence {
  absl::string_view name, version, licence, text;
};
const std::vector<AssetLicence>& AssetLicences();

}  // namespace gprofhub::cli
