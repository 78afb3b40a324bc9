#include "reporter/escape.h"

#include <cstdint>
#include <vector>

#include "absl/strings/str_format.h"

namespace gprofhub {
namespace {

constexpr uint32_t kInvalid = 0xFFFFFFFF;

// Takes one character off the front of `text`. A byte that does not begin a
// well-formed, shortest-form sequence gives kInvalid and is taken alone.
uint32_t TakeCharacter(absl::string_view& text, absl::string_view& bytes) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  size_t length = 1;
  uint32_t value = byte(0);
  if (value >= 0x80) {
    uint32_t smallest = 0;
    if (value >= 0xC0 && value < 0xE0) {
      length = 2, smallest = 0x80, value &= 0x1F;
    } else if (value >= 0xE0 && value < 0xF0) {
      length = 3, smallest = 0x800, value &= 0x0F;
    } else if (value >= 0xF0 && value < 0xF8) {
      length = 4, smallest = 0x10000, value &= 0x07;
    } else {
      value = kInvalid;
    }
    if (value != kInvalid && length > text.size()) value = kInvalid;
    for (size_t i = 1; value != kInvalid && i < length; ++i) {
      value = (byte(i) & 0xC0) == 0x80 ? value << 6 | (byte(i) & 0x3F) : kInvalid;
    }
    if (value < smallest || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) {
      value = kInvalid;
    }
    if (value == kInvalid) length = 1;
  }
  bytes = text.substr(0, length);
  text.remove_prefix(length);
  return value;
}

// Controls, and what is invisible or turns the direction of writing.
bool Prints(uint32_t c) {
  if (c < 0x20 || (c >= 0x7F && c < 0xA0)) return false;
  if (c == 0xAD || c == 0x034F || c == 0x061C || c == 0x115F || c == 0x1160) return false;
  if (c >= 0x17B4 && c <= 0x17B5) return false;
  if (c >= 0x180B && c <= 0x180F) return false;
  if (c >= 0x200B && c <= 0x200F) return false;
  if (c >= 0x2028 && c <= 0x202E) return false;
  if (c >= 0x2060 && c <= 0x206F) return false;
  if (c == 0x3164 || c == 0xFEFF || c == 0xFFA0) return false;
  if (c >= 0xFE00 && c <= 0xFE0F) return false;
  if (c >= 0xFFF0 && c <= 0xFFFB) return false;
  if (c >= 0xE0000 && c <= 0xE0FFF) return false;
  return true;
}

// Calls visit(character's printable form) for every character.
template <typename Visit>
void ForEachPrintable(absl::string_view text, absl::string_view also_escaped, Visit visit) {
  while (!text.empty()) {
    absl::string_view bytes;
    const uint32_t c = TakeCharacter(text, bytes);
    if (c == kInvalid) {
      visit(absl::StrFormat("<0x%02X>", static_cast<uint8_t>(bytes[0])));
    } else if (!Prints(c) ||
               (c < 0x80 && also_escaped.find(static_cast<char>(c)) != absl::string_view::npos)) {
      visit(absl::StrFormat("<U+%04X>", c));
    } else {
      visit(std::string(bytes));
    }
  }
}

}  // namespace

std::string Printable(absl::string_view text) {
  std::string out;
  ForEachPrintable(text, "", [&](const std::string& piece) { out += piece; });
  return out;
}

std::string Shortened(absl::string_view text, size_t max_characters) {
  std::vector<absl::string_view> characters;
  while (!text.empty()) {
    absl::string_view bytes;
    TakeCharacter(text, bytes);
    characters.push_back(bytes);
  }
  std::string out;
  const bool cut = characters.size() > max_characters;
  const size_t kept = cut ? max_characters - 1 : characters.size();
  const size_t front = cut ? kept / 2 : kept;
  for (size_t i = 0; i < front; ++i) out.append(characters[i].data(), characters[i].size());
  if (!cut) return out;
  out += "…";
  for (size_t i = characters.size() - (kept - front); i < characters.size(); ++i) {
    out.append(characters[i].data(), characters[i].size());
  }
  return out;
}

std::string MarkdownCode(absl::string_view text, bool in_table, size_t max_characters) {
  if (text.empty()) return "";
  std::string plain;
  ForEachPrintable(text, "`\\", [&](const std::string& piece) { plain += piece; });
  plain = Shortened(plain, max_characters);
  std::string out = "`";
  // A code span that begins and ends with a blank loses both; one of blanks
  // alone keeps them.
  if (plain.front() == ' ' || plain.back() == ' ') plain = " " + plain + " ";
  for (const char c : plain) {
    if (c == '|' && in_table) out += '\\';
    out += c;
  }
  return out + "`";
}

}  // namespace gprofhub
