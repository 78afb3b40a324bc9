#include "base/text.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"

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

namespace {

// Removes one character from the front of `text`, or one byte that is not part of a valid character
// (which returns no number).
struct Taken {
  absl::string_view bytes;
  std::optional<uint32_t> number;
};

Taken TakeCharacter(absl::string_view& text) {
  const Utf8Character first = FirstUtf8Character(text);
  Taken taken{text.substr(0, std::max<size_t>(1, first.bytes)), std::nullopt};
  if (first.bytes > 0) taken.number = first.number;
  text.remove_prefix(taken.bytes.size());
  return taken;
}

// Control characters, invisible characters, and those that change the direction of writing.
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
  // Code points that are not characters. XML cannot represent some of them.
  if ((c & 0xFFFE) == 0xFFFE || (c >= 0xFDD0 && c <= 0xFDEF)) return false;
  return true;
}

// Appends the printable form of `text`; of ASCII, characters in `kept` are not escaped, and those
// in `also_escaped` are.
void AppendPrintable(absl::string_view text, absl::string_view kept, absl::string_view also_escaped,
                     std::string& out) {
  const auto among = [](absl::string_view set, uint32_t c) {
    return c < 0x80 && set.find(static_cast<char>(c)) != absl::string_view::npos;
  };
  while (!text.empty()) {
    const Taken taken = TakeCharacter(text);
    if (!taken.number.has_value()) {
      out += ToUtf8(taken.bytes);
    } else if (among(kept, *taken.number) ||
               (Prints(*taken.number) && !among(also_escaped, *taken.number))) {
      out.append(taken.bytes.data(), taken.bytes.size());
    } else {
      absl::StrAppendFormat(&out, "<U+%04X>", *taken.number);
    }
  }
}

}  // namespace

std::string Printable(absl::string_view text) {
  std::string out;
  AppendPrintable(text, "", "", out);
  return out;
}

std::string PrintableWithout(absl::string_view text, absl::string_view escaped) {
  std::string out;
  AppendPrintable(text, "", escaped, out);
  return out;
}

std::string PrintableLines(absl::string_view text) {
  std::string out;
  out.reserve(text.size());
  AppendPrintable(text, "\n\t\f", "", out);
  return out;
}

absl::string_view WithoutTrailingSlashes(absl::string_view url) {
  while (absl::ConsumeSuffix(&url, "/")) {
  }
  return url;
}

namespace {

using Characters = std::vector<absl::string_view>;

bool IsOfWord(absl::string_view character) {
  return character.size() > 1 || absl::ascii_isalnum(static_cast<unsigned char>(character[0]));
}

// Whether "parserTable" has a border here.
bool IsHump(absl::string_view before, absl::string_view after) {
  return absl::ascii_islower(static_cast<unsigned char>(before[0])) &&
         absl::ascii_isupper(static_cast<unsigned char>(after[0]));
}

// Where to cut so that at most `kept` characters remain on the side that `at` counts from: before
// a word, or else between its parts, or else exactly there. `at` returns the character at a
// distance from that end. At least half of `kept` remain.
template <typename At>
size_t CutPlace(size_t kept, bool from_end, const At& at) {
  for (const bool at_blank : {true, false}) {
    for (size_t place = kept; place > kept / 2; --place) {
      const absl::string_view last = at(place - 1), next = at(place);
      const bool is_hump = from_end ? IsHump(next, last) : IsHump(last, next);
      if (at_blank ? last == " " : is_hump || !IsOfWord(last) || !IsOfWord(next)) return place;
    }
  }
  return kept;
}

// Whether the texts have at most this number of characters together.
bool Fit(absl::string_view a, absl::string_view b, size_t max_characters) {
  for (absl::string_view text : {a, b}) {
    for (; !text.empty(); --max_characters) {
      if (max_characters == 0) return false;
      TakeCharacter(text);
    }
  }
  return true;
}

constexpr char kBetweenComponents[] = "/:";

// Where the name at the end of a path begins, with the separator before it and a line number after
// it; npos: it is not a path with directories.
size_t NameOfPath(absl::string_view path) {
  if (path.find('/') == absl::string_view::npos) return absl::string_view::npos;
  if (path.find_first_of(" <(") != absl::string_view::npos) return absl::string_view::npos;
  size_t at = path.find_last_of(kBetweenComponents);
  if (path.find_first_not_of("0123456789", at + 1) == absl::string_view::npos && at > 0) {
    at = path.find_last_of(kBetweenComponents, at - 1);
  }
  return at;
}

// A path without some of its directories; empty: it is not a path, or its name is too long.
std::string ShortenedPath(absl::string_view path, size_t max_characters) {
  size_t front = 0, back = NameOfPath(path);
  if (back == absl::string_view::npos) return "";
  const auto fits = [&](size_t end, size_t begin) {
    return max_characters > 0 && Fit(path.substr(0, end), path.substr(begin), max_characters - 1);
  };
  if (!fits(front, back)) return "";
  for (bool grew = true; grew;) {
    grew = false;
    size_t end = path.find_first_not_of(kBetweenComponents, front);
    end = path.find_first_of(kBetweenComponents, end);
    end = std::min(path.find_first_not_of(kBetweenComponents, end), path.size());
    if (end < back && fits(end, back)) {
      front = end;
      grew = true;
    }
    const size_t begin =
        back == 0 ? absl::string_view::npos : path.find_last_of(kBetweenComponents, back - 1);
    if (begin != absl::string_view::npos && begin > front && fits(front, begin)) {
      back = begin;
      grew = true;
    }
  }
  return absl::StrCat(path.substr(0, front), "…", path.substr(back));
}

}  // namespace

std::string Shortened(absl::string_view text, size_t max_characters) {
  const absl::string_view whole = text;
  Characters characters;
  while (!text.empty()) characters.push_back(TakeCharacter(text).bytes);
  const size_t size = characters.size();
  if (size <= max_characters) return std::string(whole);
  if (std::string path = ShortenedPath(whole, max_characters); !path.empty()) return path;
  const size_t kept = max_characters - std::min<size_t>(max_characters, 1);
  const size_t front = CutPlace(kept / 2, false, [&](size_t i) { return characters[i]; });
  const size_t back =
      CutPlace(kept - kept / 2, true, [&](size_t i) { return characters[size - 1 - i]; });
  return absl::StrCat(absl::StrJoin(absl::MakeSpan(characters).first(front), ""), "…",
                      absl::StrJoin(absl::MakeSpan(characters).last(back), ""));
}

namespace {

constexpr size_t kMostSuggested = 64;  // bytes of a text; the search is quadratic in them

// The number of bytes to insert, remove, replace or swap with their neighbour.
size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before = std::exchange(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string Closest(absl::string_view text, const std::vector<std::string>& known) {
  if (text.empty() || text.size() > kMostSuggested) return "";
  const std::string given = absl::AsciiStrToLower(text);
  std::string closest;
  size_t least = std::max<size_t>(1, given.size() / 3) + 1;
  for (const std::string& name : known) {
    if (name.empty() || name.size() > kMostSuggested) continue;
    const std::string other = absl::AsciiStrToLower(name);
    const bool begins = given.size() > 2 && absl::StartsWith(other, given);
    const size_t distance = begins ? 1 : EditDistance(given, other);
    if (distance >= least || distance >= given.size()) continue;
    least = distance;
    closest = name;
  }
  return closest;
}

}  // namespace gprofhub::base
