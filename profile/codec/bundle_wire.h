// A symbol bundle in its wire form (proto/symbols.proto), with its strings in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace gprofhub::profile {

// "symbol bundle: <field>: <problem>: send a bundle that gprofhub made".
absl::Status BadBundle(absl::string_view field, absl::string_view problem);

// Index of the strings of a bundle, in its content: eight bytes for each.
class WireStrings {
 public:
  // `content` must outlive the strings, and be smaller than 4 GiB.
  explicit WireStrings(absl::string_view content) : content_(content) {}

  // A view of the content.
  void Add(absl::string_view string) {
    places_.push_back({static_cast<uint32_t>(string.data() - content_.data()),
                       static_cast<uint32_t>(string.size())});
  }
  size_t size() const { return places_.size(); }
  // `index` < size().
  absl::string_view operator[](size_t index) const {
    return content_.substr(places_[index].begin, places_[index].size);
  }

 private:
  struct Place {
    uint32_t begin;
    uint32_t size;
  };
  const absl::string_view content_;
  std::vector<Place> places_;
};

}  // namespace gprofhub::profile
