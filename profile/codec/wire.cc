#include "profile/codec/wire.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::profile {

bool TakeLongVarint(absl::string_view& bytes, uint64_t& value) {
  value = 0;
  for (size_t i = 0; i < bytes.size() && i < 10; ++i) {
    const auto byte = static_cast<uint8_t>(bytes[i]);
    if (i == 9 && byte > 1) return false;
    value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      bytes.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

void AppendVarint(uint64_t value, std::string& bytes) {
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  bytes += static_cast<char>(value);
}

bool WireReader::Next(WireField& field) {
  if (failed_ || rest_.empty()) return false;
  failed_ = true;
  uint64_t tag = 0;
  if (!TakeVarint(rest_, tag) || tag > UINT32_MAX || tag < 8) return false;
  field.number = static_cast<uint32_t>(tag >> 3);
  field.type = static_cast<WireType>(tag & 7);
  switch (field.type) {
    case WireType::kVarint:
      if (!TakeVarint(rest_, field.value)) return false;
      break;
    case WireType::kFixed64:
      if (!TakeFixed(rest_, 8, field.value)) return false;
      break;
    case WireType::kFixed32:
      if (!TakeFixed(rest_, 4, field.value)) return false;
      break;
    case WireType::kDelimited: {
      uint64_t size = 0;
      if (!TakeVarint(rest_, size) || size > rest_.size()) return false;
      field.bytes = rest_.substr(0, size);
      rest_.remove_prefix(size);
      break;
    }
    default:
      return false;
  }
  failed_ = false;
  return true;
}

PackedColumn::PackedColumn(absl::string_view bytes, WireType type) : rest_(bytes), type_(type) {
  if (type != WireType::kVarint) {
    const size_t size = type == WireType::kFixed32 ? 4 : 8;
    well_formed_ = bytes.size() % size == 0;
    rows_ = bytes.size() / size;
  } else {
    for (const char c : bytes) rows_ += static_cast<uint8_t>(c) < 0x80;
    well_formed_ = bytes.empty() || static_cast<uint8_t>(bytes.back()) < 0x80;
  }
  if (!well_formed_) {
    rest_ = {};
    rows_ = 0;
  }
}

absl::StatusOr<WireTable> WireTable::Read(absl::string_view bytes, uint32_t doubles) {
  constexpr uint32_t kFixed32Column = 20;
  WireTable table;
  uint32_t seen = 0;
  WireReader reader(bytes);
  WireField field;
  while (reader.Next(field)) {
    if (field.number > kMostNumber) continue;
    const uint32_t bit = uint32_t{1} << field.number;
    // All of our columns are packed, and occur once.
    if (field.type != WireType::kDelimited || (seen & bit) != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("column ", field.number, " is not packed as a whole"));
    }
    seen |= bit;
    const WireType type = field.number == kFixed32Column ? WireType::kFixed32
                          : (doubles & bit) != 0         ? WireType::kFixed64
                                                         : WireType::kVarint;
    table.columns_[field.number] = PackedColumn(field.bytes, type);
    if (!table.columns_[field.number].well_formed()) {
      return absl::InvalidArgumentError(absl::StrCat("column ", field.number, " is cut off"));
    }
  }
  if (reader.failed()) return absl::InvalidArgumentError("is not a message");
  return table;
}

absl::StatusOr<WireTable> WireTable::ReadOnce(const WireField& field, uint64_t& seen,
                                              uint32_t doubles) {
  const uint64_t bit = uint64_t{1} << field.number;
  if (field.type != WireType::kDelimited || (seen & bit) != 0) {
    return absl::InvalidArgumentError("is no table, or comes twice");
  }
  seen |= bit;
  return Read(field.bytes, doubles);
}

}  // namespace gprofhub::profile
