#include "base/utf8.h"

#include "absl/strings/str_format.h"

namespace gprofhub::base {
namespace {

// Properties of a first byte (RFC 3629, section 4).
struct Lead {
  size_t bytes = 0;
  uint32_t bits = 0;  // bits of the code point in the first byte
  // Bounds of the second byte: they exclude overlong forms, surrogates and code points above
  // U+10FFFF. Later bytes are 0x80 to 0xBF.
  uint8_t low = 0x80;
  uint8_t high = 0xBF;
};

Lead LeadOf(uint8_t byte) {
  if (byte < 0x80) return {1, byte};
  if (byte < 0xC2 || byte > 0xF4) return {};
  if (byte < 0xE0) return {2, byte & 0x1Fu};
  Lead lead = byte < 0xF0 ? Lead{3, byte & 0x0Fu} : Lead{4, byte & 0x07u};
  if (byte == 0xE0) lead.low = 0xA0;
  if (byte == 0xED) lead.high = 0x9F;
  if (byte == 0xF0) lead.low = 0x90;
  if (byte == 0xF4) lead.high = 0x8F;
  return lead;
}

}  // namespace

Utf8Character FirstUtf8Character(absl::string_view text) {
  if (text.empty()) return {};
  Lead lead = LeadOf(static_cast<uint8_t>(text[0]));
  if (lead.bytes == 0 || text.size() < lead.bytes) return {};
  uint32_t number = lead.bits;
  for (size_t i = 1; i < lead.bytes; ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    if (byte < lead.low || byte > lead.high) return {};
    number = number << 6 | (byte & 0x3Fu);
    lead.low = 0x80;
    lead.high = 0xBF;
  }
  return {lead.bytes, number};
}

bool IsUtf8(absl::string_view text) {
  while (!text.empty()) {
    const size_t bytes = FirstUtf8Character(text).bytes;
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

std::string ToUtf8(absl::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const size_t length = FirstUtf8Character(bytes).bytes;
    if (length == 0) {
      absl::StrAppendFormat(&text, "<0x%02X>", static_cast<uint8_t>(bytes[0]));
      bytes.remove_prefix(1);
    } else {
      text.append(bytes.data(), length);
      bytes.remove_prefix(length);
    }
  }
  return text;
}

}  // namespace gprofhub::base
