#include "page/source_diff.h"

#include <algorithm>
#include <dtl/dtl.hpp>
#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "page/call_graph.h"

namespace gprofhub::page {

namespace {

constexpr size_t kAround = 3;
// Limit of changed lines per side, without the common prefix and suffix. The search takes at most
// the square of this number of steps.
constexpr size_t kMostChanged = 10'000;

using Lines = std::vector<absl::string_view>;

Lines LinesOf(absl::string_view text) {
  Lines lines = absl::StrSplit(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

class Diff {
 public:
  Diff(const Lines& before, const Lines& after) : before_(before), after_(after) {}

  std::vector<DiffLine> All(size_t same_begin, size_t same_end) {
    while (next_before_ < same_begin) Keep();
    // Equal lines get equal numbers, which compare faster.
    absl::flat_hash_map<absl::string_view, uint32_t> numbers;
    const auto numbered = [&](const Lines& lines) {
      std::vector<uint32_t> result;
      for (size_t i = same_begin; i < lines.size() - same_end; ++i) {
        result.push_back(numbers.emplace(lines[i], numbers.size()).first->second);
      }
      return result;
    };
    dtl::Diff<uint32_t, std::vector<uint32_t>> diff(numbered(before_), numbered(after_));
    diff.compose();
    for (const auto& [number, about] : diff.getSes().getSequence()) {
      if (about.type == dtl::SES_DELETE) {
        Remove();
      } else if (about.type == dtl::SES_ADD) {
        Add();
      } else {
        Keep();
      }
    }
    while (next_before_ < before_.size()) Keep();
    PutRemovedFirst();
    return std::move(lines_);
  }

 private:
  void Put(DiffLine::Kind kind, uint32_t before, uint32_t after, absl::string_view text) {
    lines_.push_back({kind, before, after, std::string(text)});
  }
  void Keep() {
    const absl::string_view text = before_[next_before_];
    Put(DiffLine::Kind::kKept, Number(next_before_), Number(next_after_), text);
    ++next_before_;
    ++next_after_;
  }
  void Remove() {
    Put(DiffLine::Kind::kRemoved, Number(next_before_), 0, before_[next_before_]);
    ++next_before_;
  }
  void Add() {
    Put(DiffLine::Kind::kAdded, 0, Number(next_after_), after_[next_after_]);
    ++next_after_;
  }
  // Within one change, removed lines come first, as is customary.
  void PutRemovedFirst() {
    const auto is_kept = [](const DiffLine& line) { return line.kind == DiffLine::Kind::kKept; };
    for (auto at = lines_.begin(); at != lines_.end();) {
      at = std::find_if_not(at, lines_.end(), is_kept);
      const auto end = std::find_if(at, lines_.end(), is_kept);
      std::stable_partition(
          at, end, [](const DiffLine& line) { return line.kind == DiffLine::Kind::kRemoved; });
      at = end;
    }
  }
  static uint32_t Number(size_t index) { return static_cast<uint32_t>(index) + 1; }

  const Lines& before_;
  const Lines& after_;
  size_t next_before_ = 0, next_after_ = 0;
  std::vector<DiffLine> lines_;
};

std::vector<DiffHunk> HunksOf(const std::vector<DiffLine>& lines) {
  std::vector<DiffHunk> hunks;
  size_t shown = 0;  // lines before this one are done
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].kind == DiffLine::Kind::kKept) continue;
    const size_t begin = std::max(shown, i - std::min(i, kAround));
    if (hunks.empty() || begin > shown) hunks.emplace_back();
    const size_t end = std::min(lines.size(), i + kAround + 1);
    if (end > shown) {
      hunks.back().insert(hunks.back().end(), lines.begin() + static_cast<ptrdiff_t>(begin),
                          lines.begin() + static_cast<ptrdiff_t>(end));
      shown = end;
    }
  }
  return hunks;
}

bool IsIn(uint32_t line, const LineSpan& span) {
  return line != 0 && span.first <= line && line <= span.last;
}

}  // namespace

absl::StatusOr<std::vector<DiffHunk>> HunksBetween(absl::string_view before,
                                                   absl::string_view after) {
  if (before == after) return std::vector<DiffHunk>();
  const Lines old_lines = LinesOf(before), new_lines = LinesOf(after);
  const size_t shorter = std::min(old_lines.size(), new_lines.size());
  size_t same_begin = 0;
  while (same_begin < shorter && old_lines[same_begin] == new_lines[same_begin]) ++same_begin;
  size_t same_end = 0;
  while (same_end < shorter - same_begin &&
         old_lines[old_lines.size() - 1 - same_end] == new_lines[new_lines.size() - 1 - same_end]) {
    ++same_end;
  }
  if (old_lines.size() + new_lines.size() - 2 * (same_begin + same_end) > kMostChanged) {
    return absl::ResourceExhaustedError("too many lines changed to show them");
  }
  return HunksOf(Diff(old_lines, new_lines).All(same_begin, same_end));
}

bool Touches(const DiffHunk& hunk, const LineSpan& before, const LineSpan& after) {
  return std::any_of(hunk.begin(), hunk.end(), [&](const DiffLine& line) {
    return (line.kind == DiffLine::Kind::kRemoved && IsIn(line.before, before)) ||
           (line.kind == DiffLine::Kind::kAdded && IsIn(line.after, after));
  });
}

std::optional<FunctionLines> FunctionLinesOf(const profile::ComputedProfile& profile,
                                             absl::string_view function) {
  const std::vector<uint32_t> rows = FindRows(profile, function);
  if (rows.empty()) return std::nullopt;
  const profile::FunctionCost& found = profile.functions[rows.front()];
  if (found.file == 0 || found.line == 0) return std::nullopt;
  FunctionLines place;
  place.file = std::string(absl::StripPrefix(profile.strings[found.file], "./"));
  place.lines = {found.line, std::numeric_limits<uint32_t>::max()};
  uint32_t before = 0;  // where the function before it begins
  for (uint32_t row = 0; row < profile.functions.size(); ++row) {
    const profile::FunctionCost& other = profile.functions[row];
    if (other.file != found.file || absl::c_linear_search(rows, row)) continue;
    if (other.line > found.line) {
      place.lines.last = std::min(place.lines.last, other.line - 1);
    } else {
      before = std::max(before, other.line);
    }
  }
  // A piece of the function may begin in its middle.
  for (const uint32_t row : rows) {
    const profile::FunctionCost& piece = profile.functions[row];
    if (piece.file == found.file && piece.line > before) {
      place.lines.first = std::min(place.lines.first, piece.line);
    }
  }
  return place;
}

}  // namespace gprofhub::page
