#include "profile/recording/perf_text.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <system_error>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "profile/demangle.h"

namespace gprofhub::profile {

namespace {

constexpr size_t kMostLines = 100'000'000;
constexpr size_t kLookedAt = 1 << 16;

// As they are in the text.
struct ParsedFrame {
  absl::string_view function;  // "": unknown
  uint64_t entry = 0;
  bool has_entry = false;
  uint64_t offset = 0;
};

struct ParsedStack {
  std::vector<ParsedFrame> frames;
  uint64_t samples = 0;
};

// Merges parsed stacks, and stores each name once.
class StackCollector {
 public:
  // Skips stacks without functions or samples.
  void Add(const ParsedStack& stack) {
    const bool has_function =
        std::any_of(stack.frames.begin(), stack.frames.end(),
                    [](const ParsedFrame& frame) { return !frame.function.empty(); });
    if (!has_function || stack.samples == 0) return;
    for (const ParsedFrame& frame : stack.frames) {
      const auto [entry, is_new] =
          indices_.try_emplace(frame.function, static_cast<uint32_t>(stacks_.functions.size()));
      if (is_new) stacks_.functions.emplace_back(frame.function);
      stacks_.frames.push_back({entry->second, frame.entry, frame.has_entry, frame.offset});
    }
    stacks_.stacks.push_back({static_cast<uint32_t>(stack.frames.size()), stack.samples});
    samples_ += stack.samples;
  }

  uint64_t samples() const { return samples_; }
  SampledStacks Take() { return std::move(stacks_); }

 private:
  SampledStacks stacks_;
  absl::flat_hash_map<absl::string_view, uint32_t> indices_;  // of the text's names
  uint64_t samples_ = 0;
};

bool IsIndented(absl::string_view line) {
  return !line.empty() && absl::ascii_isspace(static_cast<unsigned char>(line.front()));
}

bool IsKernels(absl::string_view function) { return absl::EndsWith(function, "_[k]"); }

// "" for "[unknown]", "[libc.so.6]" and the like.
absl::string_view KnownName(absl::string_view function) {
  return absl::StartsWith(function, "[") ? "" : function;
}

// "a;b;c 12"
bool ParseFolded(absl::string_view line, ParsedStack& stack) {
  const size_t blank = line.rfind(' ');
  if (blank == absl::string_view::npos || IsIndented(line) ||
      !absl::SimpleAtoi(line.substr(blank + 1), &stack.samples) ||
      stack.samples > kMostSampledStackSamples) {
    return false;
  }
  for (absl::string_view frame : absl::StrSplit(line.substr(0, blank), ';')) {
    absl::ConsumeSuffix(&frame, "_[j]");
    absl::ConsumeSuffix(&frame, "_[i]");
    if (!IsKernels(frame)) stack.frames.push_back({KnownName(frame)});
  }
  return true;
}

// "55d4c0 parse+0x1d (/usr/bin/app)": an address, a name that may contain blanks, a file. False if
// the line is not a frame; `left_out` if the frame is the kernel's or inlined: the latter's
// enclosing function has the next frame.
bool ParseScriptFrame(absl::string_view line, ParsedFrame& frame, bool& left_out) {
  line = absl::StripAsciiWhitespace(line);
  const size_t blank = line.find(' ');
  uint64_t address = 0;
  if (blank == absl::string_view::npos || !absl::SimpleHexAtoi(line.substr(0, blank), &address)) {
    return false;
  }
  absl::string_view function = line.substr(blank + 1);
  absl::string_view file;
  const size_t parenthesis = function.rfind(" (");
  if (parenthesis != absl::string_view::npos && absl::EndsWith(function, ")")) {
    file = function.substr(parenthesis + 2);
    function = function.substr(0, parenthesis);
  }
  left_out = absl::StartsWith(file, "inlined)") || absl::StartsWith(file, "[kernel") ||
             IsKernels(function);
  if (left_out) return true;
  const size_t plus = function.rfind("+0x");
  if (plus != absl::string_view::npos &&
      absl::SimpleHexAtoi(function.substr(plus + 3), &frame.offset)) {
    function = function.substr(0, plus);
    frame.has_entry = true;
    frame.entry = address - frame.offset;
  }
  frame.function = KnownName(function);
  return true;
}

// Whether the line has a time, "8.25:", among its words, as an event's line has.
bool HasTime(absl::string_view line) {
  for (absl::string_view word : absl::StrSplit(line, ' ')) {
    if (absl::ConsumeSuffix(&word, ":") && word.size() > 2 && absl::StrContains(word, '.') &&
        word.find_first_not_of("0123456789.") == absl::string_view::npos) {
      return true;
    }
  }
  return false;
}

// The event of an indented block of frames. Without a call graph the one frame is on the event's
// line: " app 71 8.25: 9 cycles: 55d4c0 parse+0x1d (/usr/bin/app)".
bool ParseScriptEvent(absl::string_view line, ParsedStack& stack) {
  const bool has_colon = absl::StrContains(line, ": ") || absl::EndsWith(line, ":");
  if (!HasTime(line) && (IsIndented(line) || !has_colon)) return false;
  stack.samples = 1;
  ParsedFrame frame;
  bool left_out = false;
  const size_t last = line.rfind(":  ");
  if (last != absl::string_view::npos && absl::EndsWith(line, ")") &&
      ParseScriptFrame(line.substr(last + 1), frame, left_out) && !left_out) {
    stack.frames.push_back(frame);
  }
  return true;
}

absl::Status LineError(absl::string_view name, size_t number, absl::string_view line) {
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": line ", number, ": \"", line.substr(0, 60),
                   "\": must be a folded stack (\"main;parse 12\") or a line of `perf script`"));
}

}  // namespace

bool IsSampledStacks(absl::string_view bytes) {
  bytes = bytes.substr(0, kLookedAt);
  if (bytes.find('\0') != absl::string_view::npos) return false;
  for (const absl::string_view line : absl::StrSplit(bytes, '\n')) {
    if (absl::StripAsciiWhitespace(line).empty() || line.front() == '#') continue;
    ParsedStack stack;
    ParsedFrame frame;
    bool left_out = false;
    return (absl::StrContains(line, ';') && ParseFolded(line, stack)) ||
           ParseScriptEvent(line, stack) ||
           (IsIndented(line) && ParseScriptFrame(line, frame, left_out));
  }
  return false;
}

bool HoldsSampledStacks(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string begin(kLookedAt, '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<size_t>(file.gcount()));
  return IsSampledStacks(begin);
}

absl::StatusOr<SampledStacks> ParseSampledStacks(absl::string_view text, absl::string_view name) {
  StackCollector stacks;
  bool in_script = false;
  ParsedStack script;  // its innermost frame first
  const auto end_stack = [&] {
    std::reverse(script.frames.begin(), script.frames.end());
    stacks.Add(script);
    script = {};
    in_script = false;
  };
  size_t number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (++number > kMostLines) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": is longer than ", kMostLines, " lines"));
    }
    absl::ConsumeSuffix(&line, "\r");
    if (absl::StripAsciiWhitespace(line).empty()) {
      end_stack();
      continue;
    }
    if (line.front() == '#') continue;
    ParsedFrame frame;
    if (IsIndented(line) && !HasTime(line)) {
      bool left_out = false;
      if (!ParseScriptFrame(line, frame, left_out)) return LineError(name, number, line);
      if (!in_script) script.samples = 1;  // without events' lines, as -F ip,sym prints
      in_script = true;
      if (!left_out) script.frames.push_back(frame);
      continue;
    }
    end_stack();
    ParsedStack stack;
    if (ParseFolded(line, stack)) {
      stacks.Add(stack);
    } else if (ParseScriptEvent(line, script)) {
      in_script = true;
    } else {
      return LineError(name, number, line);
    }
    if (stacks.samples() > kMostSampledStackSamples) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": line ", number, ": there are more than ", kMostSampledStackSamples,
                       " samples up to here"));
    }
  }
  end_stack();
  SampledStacks result = stacks.Take();
  if (result.stacks.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, ": contains no stack with a function; create it from perf.data with `perf script`"));
  }
  return result;
}

// perf prints names without parameters: overloads, static functions of several files and clones
// (`.part`, `.cold`) share a name. Their entry addresses distinguish them. perf prints an address
// with each frame, relative to the start of the file or of the process's mapping of it; both differ
// from the address as linked by whole pages, so that the lowest 12 bits of a function's entry are
// always the same. This distinguishes all but one in 4,096 pairs of functions with one name, also
// between the image and a library: `operator new` is in both. If most functions begin elsewhere,
// the image is another build, and only the names identify its functions.

namespace {

constexpr uint64_t kPageMask = 0xfff;
constexpr uint32_t kUnknown = UINT32_MAX;

// The image's functions by name: rows of SymbolTable::functions.
class NameIndex {
 public:
  NameIndex(const std::vector<std::string>& names, const SymbolTable& image) : image_(image) {
    for (const std::string& name : names) {
      if (!name.empty()) rows_[name];
    }
    for (uint32_t i = 0; i < image.functions.size(); ++i) {
      const FunctionSymbol& function = image.functions[i];
      if (!function.is_function) continue;
      Add(function.name, i);
      const std::string readable = Demangle(function.name);
      if (readable == function.name) continue;
      Add(readable, i);
      Add(DemangleWithoutParameters(function.name), i);
    }
  }

  // kUnknown if the image has none.
  uint32_t Find(const std::string& name, const SampledStacks::Frame& frame) const {
    const auto found = rows_.find(name);
    if (found == rows_.end() || found->second.empty()) return kUnknown;
    for (const uint32_t row : found->second) {
      if (frame.has_entry && BeginsAt(row, frame.entry)) return row;
    }
    return found->second.front();
  }

  bool BeginsAt(uint32_t row, uint64_t entry) const {
    return ((image_.functions[row].address ^ entry) & kPageMask) == 0;
  }

 private:
  void Add(const std::string& name, uint32_t row) {
    const auto found = rows_.find(name);
    if (found == rows_.end()) return;
    if (found->second.empty() || found->second.back() != row) found->second.push_back(row);
  }

  const SymbolTable& image_;
  absl::flat_hash_map<std::string, std::vector<uint32_t>> rows_;
};

// A stack's frames, with the function's address instead of its row.
using Addresses = std::vector<std::pair<uint64_t, uint32_t>>;  // address, offset
constexpr uint64_t kElsewhere = UINT64_MAX;

// Resolution of a function by name and entry.
struct Answer {
  uint32_t row = kUnknown;
  bool is_misplaced = false;
};

// By function and offset in a page, which is kPageMask + 1 if unknown.
using Answers = absl::flat_hash_map<std::pair<uint32_t, uint64_t>, Answer>;

std::pair<uint32_t, uint64_t> KeyOf(const SampledStacks::Frame& frame) {
  return {frame.function, frame.has_entry ? frame.entry & kPageMask : kPageMask + 1};
}

Answers FindFunctions(const SampledStacks& stacks, const SymbolTable& image,
                      ResolvedStacks& resolved) {
  const NameIndex index(stacks.functions, image);
  Answers answers;
  for (const SampledStacks::Frame& frame : stacks.frames) {
    const auto [entry, is_new] = answers.try_emplace(KeyOf(frame));
    if (!is_new) continue;
    Answer& answer = entry->second;
    answer.row = index.Find(stacks.functions[frame.function], frame);
    if (answer.row == kUnknown || !frame.has_entry) continue;
    answer.is_misplaced = !index.BeginsAt(answer.row, frame.entry);
    ++resolved.placed;
    if (answer.is_misplaced) ++resolved.misplaced;
  }
  if (resolved.IsOfOtherBuild()) return answers;
  for (auto& [key, answer] : answers) {
    if (answer.is_misplaced) answer.row = kUnknown;
  }
  return answers;
}

}  // namespace

absl::StatusOr<ResolvedStacks> ResolveStacks(const SampledStacks& stacks, const SymbolTable& image,
                                             absl::string_view name) {
  ResolvedStacks resolved;
  const Answers answers = FindFunctions(stacks, image, resolved);
  std::map<Addresses, uint64_t> samples;
  std::map<uint64_t, uint32_t> rows;  // by address
  size_t next = 0;
  for (const SampledStacks::Stack& stack : stacks.stacks) {
    Addresses addresses;
    for (uint32_t i = 0; i < stack.frames; ++i) {
      const SampledStacks::Frame& frame = stacks.frames[next++];
      const uint32_t row = answers.at(KeyOf(frame)).row;
      if (row == kUnknown) {
        if (!addresses.empty() && addresses.back().first != kElsewhere) {
          addresses.emplace_back(kElsewhere, 0);
        }
        continue;
      }
      const bool is_innermost = i + 1 == stack.frames;
      const uint64_t offset = is_innermost || frame.offset > UINT32_MAX ? 0 : frame.offset;
      addresses.emplace_back(image.functions[row].address, static_cast<uint32_t>(offset));
      rows[addresses.back().first];
    }
    if (!addresses.empty()) samples[std::move(addresses)] += stack.samples;
  }
  if (samples.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": ", image.image_name, " contains none of the functions"));
  }

  ImageStacks& result = resolved.stacks;
  for (auto& [address, row] : rows) {
    result.functions.push_back(address);
    row = static_cast<uint32_t>(result.functions.size());
  }
  for (const auto& [addresses, count] : samples) {
    for (const auto& [address, offset] : addresses) {
      result.frames.push_back({address == kElsewhere ? 0 : rows.at(address), offset});
    }
    result.stacks.push_back({static_cast<uint32_t>(addresses.size()), count});
  }
  return resolved;
}

}  // namespace gprofhub::profile
