#include "reporter/findings/text.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "base/text.h"
#include "profile/names.h"

namespace gprofhub::reporter {

std::string MarkdownCode(absl::string_view text, bool in_table, size_t max_characters) {
  if (text.empty()) return "";
  std::string plain = base::Shortened(base::PrintableWithout(text, "`\\"), max_characters);
  std::string out = "`";
  // Markdown strips one blank from both ends of a code span, unless it consists of blanks only.
  if (plain.front() == ' ' || plain.back() == ' ') plain = " " + plain + " ";
  for (const char c : plain) {
    if (c == '|' && in_table) out += '\\';
    out += c;
  }
  return out + "`";
}

namespace {

// Two of them and their numbers fit a line. Longer signatures are unreadable.
constexpr size_t kNameCharacters = 50;
// Limit for a name that contains escaped characters.
constexpr size_t kShownCharacters = 60;
// Between the sides of a label.
constexpr absl::string_view kArrow = " → ";

}  // namespace

std::string FunctionName(absl::string_view display) {
  const auto one = [](absl::string_view name) {
    return base::Shortened(base::Printable(profile::ShortName(name, kNameCharacters)),
                           kShownCharacters);
  };
  const std::pair<absl::string_view, absl::string_view> sides =
      absl::StrSplit(display, absl::MaxSplits(kArrow, 1));
  return sides.second.empty() ? one(display)
                              : absl::StrCat(one(sides.first), kArrow, one(sides.second));
}

std::string FunctionCode(absl::string_view display, bool in_table) {
  const std::pair<absl::string_view, absl::string_view> sides =
      absl::StrSplit(display, absl::MaxSplits(kArrow, 1));
  if (sides.second.empty()) {
    return MarkdownCode(profile::ShortName(display, kNameCharacters), in_table, kShownCharacters);
  }
  return absl::StrCat(FunctionCode(sides.first, in_table), kArrow,
                      MarkdownCode(sides.second, in_table, kShownCharacters));
}

namespace {

// Where the clauses of `text` end, outside of brackets.
std::vector<size_t> ClauseEnds(absl::string_view text) {
  std::vector<size_t> ends;
  int depth = 0;
  for (size_t i = 0; i + 2 < text.size(); ++i) {
    const char c = text[i];
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (depth > 0 || text[i + 1] != ' ') continue;
    const bool is_sentence =
        c == '.' && absl::ascii_isupper(static_cast<unsigned char>(text[i + 2]));
    if (is_sentence || c == ';') ends.push_back(i);
  }
  return ends;
}

}  // namespace

std::string FirstClauses(absl::string_view text, size_t max_characters) {
  if (TextColumns(text) <= max_characters) return std::string(text);
  size_t end = 0;
  for (const size_t at : ClauseEnds(text)) {
    if (TextColumns(text.substr(0, at)) <= max_characters) end = at;
  }
  return end > 0 ? std::string(text.substr(0, end)) : base::Shortened(text, max_characters);
}

std::string HumanCount(double count) {
  if (!std::isfinite(count)) return absl::StrFormat("%g", count);
  if (count != std::floor(count)) {
    return count < 1000 ? absl::StrFormat("%.3g", count) : HumanCount(std::round(count));
  }
  std::string digits = absl::StrFormat("%.0f", count);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) {
    if (digits[at - 1] == '-') break;
    digits.insert(at, ",");
  }
  return digits;
}

std::string HumanTime(double value, absl::string_view dimension) {
  if (dimension != "seconds")
    return absl::StrCat(HumanCount(value), " ", base::Printable(dimension));
  if (value < 0) return absl::StrCat(kMinus, HumanTime(-value, dimension));
  if (value >= 100) return absl::StrCat(HumanCount(std::round(value)), " s");
  if (value >= 1) return absl::StrFormat("%.3g s", value);
  if (value >= 1e-3) return absl::StrFormat("%.3g ms", value * 1e3);
  if (value >= 1e-6) return absl::StrFormat("%.3g µs", value * 1e6);
  return "0 s";
}

std::string HumanChange(double seconds) {
  return absl::StrCat(seconds < 0 ? "" : "+", HumanTime(seconds, "seconds"));
}

std::string HumanEffect(double percent) {
  if (percent >= 900) return absl::StrFormat("×%.1f", percent / 100 + 1);
  const double size = std::fabs(percent);
  const absl::string_view sign = percent < 0 ? kMinus : "+";
  if (size < 0.05) return absl::StrCat(percent < 0 ? "above " : "below ", sign, "0.1%");
  return absl::StrFormat("%s%.*f%%", sign, size < 9.95 ? 1 : 0, size);
}

namespace {

// Fewer calls per call are described by their reciprocal.
constexpr double kSeldom = 0.1;

std::string CallsBetween(double each) { return HumanCount(std::round(1 / each)); }

}  // namespace

std::string RateInColumn(double each) {
  if (each > 0 && each < kSeldom) return absl::StrCat("1/", CallsBetween(each));
  return absl::StrCat(each >= 1000 ? HumanCount(std::round(each)) : absl::StrFormat("%.3g", each),
                      "×");
}

std::string HumanRate(double each) {
  if (each > 0 && each < kSeldom) return absl::StrCat("once in ", CallsBetween(each));
  std::string rate = RateInColumn(each);
  return rate == "1×" ? "once" : rate == "2×" ? "twice" : rate;
}

std::string HumanShare(double share) {
  if (share < 0.001) return "<0.1%";
  return absl::StrFormat("%.*f%%", share < 0.0995 ? 1 : 0, share * 100);
}

size_t TextColumns(absl::string_view text) {
  size_t columns = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    columns += (byte & 0xC0) != 0x80;
    columns += byte >= 0xF0;  // first of four bytes
  }
  return columns;
}

namespace {

// Markdown's "[words](address)" without the address. Code is unchanged.
std::string WithoutAddresses(absl::string_view line) {
  std::string shown;
  bool in_code = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '`') in_code = !in_code;
    shown += line[i];
    if (in_code || !absl::StartsWith(line.substr(i), "](")) continue;
    i = std::min(line.size(), line.find(')', i));
  }
  return shown;
}

size_t LinesOf(absl::string_view line, size_t columns) {
  size_t lines = 1, used = 0;
  for (absl::string_view word : absl::StrSplit(line, ' ')) {
    size_t wide = TextColumns(word);
    if (used > 0 && used + 1 + wide > columns) {
      ++lines;
      used = 0;
    }
    if (used > 0) ++used;  // the blank before the word
    used += wide;
    while (used > columns) {
      ++lines;
      used -= columns;
    }
  }
  return lines;
}

}  // namespace

std::string RightAligned(absl::string_view text, size_t columns) {
  return absl::StrCat(std::string(columns - std::min(columns, TextColumns(text)), ' '), text);
}

std::string LeftAligned(absl::string_view text, size_t columns) {
  return absl::StrCat(text, std::string(columns - std::min(columns, TextColumns(text)), ' '));
}

size_t TerminalLines(absl::string_view text, size_t columns) {
  columns = std::max<size_t>(columns, 1);
  size_t lines = 0;
  if (absl::EndsWith(text, "\n")) text.remove_suffix(1);
  for (absl::string_view line : absl::StrSplit(text, '\n')) lines += LinesOf(line, columns);
  return lines;
}

size_t ScreenLines(absl::string_view text, size_t columns) {
  size_t lines = 0;
  if (absl::EndsWith(text, "\n")) text.remove_suffix(1);
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    const bool hidden = absl::StartsWith(line, "<!--") && absl::EndsWith(line, "-->");
    if (!hidden) lines += TerminalLines(WithoutAddresses(line), columns);
  }
  return lines;
}

namespace {

bool IsTime(profile::CountUnit unit) {
  return unit == profile::CountUnit::kMicroseconds || unit == profile::CountUnit::kNanoseconds;
}

}  // namespace

absl::string_view ColumnOfCounts(profile::CountUnit unit) {
  return IsTime(unit) ? "time" : profile::UnitName(unit);
}

std::string CountInColumn(double count, profile::CountUnit unit) {
  return IsTime(unit) ? CountInUnit(count, unit) : HumanCount(count);
}

std::string CountInUnit(double count, profile::CountUnit unit) {
  if (unit == profile::CountUnit::kMicroseconds) return HumanTime(count / 1e6, "seconds");
  if (unit == profile::CountUnit::kNanoseconds) return HumanTime(count / 1e9, "seconds");
  absl::string_view name = profile::UnitName(unit);
  if (count == 1) name.remove_suffix(1);
  return absl::StrCat(HumanCount(count), " ", name);
}

}  // namespace gprofhub::reporter
