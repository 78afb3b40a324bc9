#include "profile/codec/wire.h"

namespace gprofhub::profile {

bool TakeFixed(absl::string_view& bytes, size_t size, uint64_t& value) {
  if (bytes.size() < size) return false;
  value = 0;
  for (size_t i = 0; i < size; ++i) {
    value |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[i])) << (8 * i);
  }
  bytes.remove_prefix(size);
  return true;
}

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
  if (type == WireType::kFixed32) {
    well_formed_ = bytes.size() % 4 == 0;
    rows_ = bytes.size() / 4;
  } else {
    for (const char c : bytes) rows_ += static_cast<uint8_t>(c) < 0x80;
    well_formed_ = bytes.empty() || static_cast<uint8_t>(bytes.back()) < 0x80;
  }
  if (!well_formed_) {
    rest_ = {};
    rows_ = 0;
  }
}

bool PackedColumn::Next(uint64_t& value) {
  return type_ == WireType::kFixed32 ? TakeFixed(rest_, 4, value) : TakeVarint(rest_, value);
}

}  // namespace gprofhub::profile
