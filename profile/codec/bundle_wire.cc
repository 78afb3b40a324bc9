#include "profile/codec/bundle_wire.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace gprofhub::profile {

absl::Status BadBundle(absl::string_view field, absl::string_view problem) {
  return absl::InvalidArgumentError(
      absl::StrFormat("symbol bundle: %s: %s: send a bundle that gprofhub made", field, problem));
}

absl::StatusOr<WireTable> WireTable::Read(absl::string_view bytes, absl::string_view name) {
  WireTable table;
  std::array<bool, kMostNumber + 1> seen = {};
  WireReader reader(bytes);
  WireField field;
  while (reader.Next(field)) {
    if (field.number > kMostNumber) continue;
    // All of our columns are packed, and come once.
    if (field.type != WireType::kDelimited || seen[field.number]) {
      return BadBundle(name, absl::StrCat("column ", field.number, " is not packed as a whole"));
    }
    seen[field.number] = true;
    const WireType type = field.number == kFixedColumn ? WireType::kFixed32 : WireType::kVarint;
    table.columns_[field.number] = PackedColumn(field.bytes, type);
    if (!table.columns_[field.number].well_formed()) {
      return BadBundle(name, absl::StrCat("column ", field.number, " is cut off"));
    }
  }
  if (reader.failed()) return BadBundle(name, "is not a message");
  return table;
}

}  // namespace gprofhub::profile
