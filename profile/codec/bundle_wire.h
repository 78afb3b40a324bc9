// A symbol bundle as it stands on the wire (proto/symbols.proto): its tables' columns in place.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "profile/codec/wire.h"

namespace gprofhub::profile {

// "symbol bundle: <field>: <problem>: send a bundle that gprofhub made".
absl::Status BadBundle(absl::string_view field, absl::string_view problem);

// The strings of a bundle, in its content: eight bytes for each.
class WireStrings {
 public:
  // `content` outlives the strings, and has less than 4 GiB.
  explicit WireStrings(absl::string_view content) : content_(content) {}

  // A string that is part of the content.
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

// FunctionColumns, LineColumns or InlinedColumns: a column by its field number, empty where it is
// not there.
class WireTable {
 public:
  // INVALID_ARGUMENT for what is no such table; `name` is for messages.
  static absl::StatusOr<WireTable> Read(absl::string_view bytes, absl::string_view name);

  PackedColumn& operator[](int number) { return columns_[static_cast<size_t>(number)]; }

 private:
  static constexpr size_t kMostNumber = 20;
  static constexpr uint32_t kFixedColumn = 20;  // FunctionColumns.code, InlinedColumns.name

  std::array<PackedColumn, kMostNumber + 1> columns_;
};

}  // namespace gprofhub::profile
