#include "analyzer/ordering/sampled_stacks.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "analyzer/ordering/symbol_file.h"
#include "profile/demangle.h"

namespace gprofhub {
namespace {

// Larger sums of samples are no samples; and it keeps sums of lines from overflowing.
constexpr uint64_t kMostSamples = uint64_t{1} << 40;
constexpr size_t kMostLines = 100'000'000;

bool IsIndented(absl::string_view line) {
  return !line.empty() && absl::ascii_isspace(static_cast<unsigned char>(line.front()));
}

bool IsNoFunction(absl::string_view function) {
  return function.empty() || function.front() == '[' || absl::EndsWith(function, "_[k]");
}

// "a;b;c 12"
bool ParseFolded(absl::string_view line, SampledStack& stack) {
  const size_t blank = line.rfind(' ');
  if (blank == absl::string_view::npos || IsIndented(line) ||
      !absl::SimpleAtoi(line.substr(blank + 1), &stack.samples) || stack.samples > kMostSamples) {
    return false;
  }
  for (absl::string_view frame : absl::StrSplit(line.substr(0, blank), ';')) {
    absl::ConsumeSuffix(&frame, "_[j]");
    absl::ConsumeSuffix(&frame, "_[i]");
    if (!IsNoFunction(frame)) stack.frames.push_back({std::string(frame)});
  }
  return true;
}

// "55d4c0 parse+0x1d (/usr/bin/app)": an address, a name that may hold blanks, a file.
// False if the line is none; `frame` stays empty for one that is no function's.
bool ParseScriptFrame(absl::string_view line, SampledFrame& frame) {
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
  if (absl::StartsWith(file, "inlined)") || absl::StartsWith(file, "[kernel")) return true;
  const size_t plus = function.rfind("+0x");
  if (plus != absl::string_view::npos &&
      absl::SimpleHexAtoi(function.substr(plus + 3), &frame.offset)) {
    function = function.substr(0, plus);
  }
  if (!IsNoFunction(function)) frame.function = std::string(function);
  return true;
}

// Whether the line has a time, "8.25:", among its words, as an event's has.
bool HasTime(absl::string_view line) {
  for (absl::string_view word : absl::StrSplit(line, ' ')) {
    if (absl::ConsumeSuffix(&word, ":") && word.size() > 2 && absl::StrContains(word, '.') &&
        word.find_first_not_of("0123456789.") == absl::string_view::npos) {
      return true;
    }
  }
  return false;
}

// The event of an indented block of frames. Without a call graph the one frame stands
// behind it: "  app 71 8.25: 9 cycles:  55d4c0 parse+0x1d (/usr/bin/app)".
bool ParseScriptEvent(absl::string_view line, SampledStack& stack) {
  const bool has_colon = absl::StrContains(line, ": ") || absl::EndsWith(line, ":");
  if (!HasTime(line) && (IsIndented(line) || !has_colon)) return false;
  stack.samples = 1;
  SampledFrame frame;
  const size_t last = line.rfind(":  ");
  if (last != absl::string_view::npos && absl::EndsWith(line, ")") &&
      ParseScriptFrame(line.substr(last + 1), frame) && !frame.function.empty()) {
    stack.frames.push_back(std::move(frame));
  }
  return true;
}

absl::Status LineError(absl::string_view name, size_t number, absl::string_view line) {
  return absl::InvalidArgumentError(absl::StrCat(
      name, ": line ", number, ": \"", line.substr(0, 60),
      "\": must be a folded stack (\"main;parse 12\") or of what `perf script` prints"));
}

// Rows of the program's functions by each name that they may be called.
using RowsByName = absl::flat_hash_map<std::string, uint32_t>;

RowsByName NameRows(const SymbolTable& program) {
  RowsByName rows;
  for (uint32_t i = 0; i < program.functions.size(); ++i) {
    if (program.functions[i].is_function) rows.try_emplace(program.functions[i].name, i);
  }
  for (uint32_t i = 0; i < program.functions.size(); ++i) {
    if (program.functions[i].is_function) {
      rows.try_emplace(Demangle(program.functions[i].name), i);
    }
  }
  return rows;
}

}  // namespace

bool IsSampledStacks(absl::string_view bytes) {
  bytes = bytes.substr(0, 1 << 16);
  if (bytes.find('\0') != absl::string_view::npos) return false;
  for (const absl::string_view line : absl::StrSplit(bytes, '\n')) {
    if (absl::StripAsciiWhitespace(line).empty() || line.front() == '#') continue;
    SampledStack stack;
    SampledFrame frame;
    return (absl::StrContains(line, ';') && ParseFolded(line, stack)) ||
           ParseScriptEvent(line, stack) || (IsIndented(line) && ParseScriptFrame(line, frame));
  }
  return false;
}

absl::StatusOr<std::vector<SampledStack>> ParseSampledStacks(absl::string_view text,
                                                             absl::string_view name) {
  std::vector<SampledStack> stacks;
  bool in_script = false;
  SampledStack script;  // its innermost frame first
  const auto end_stack = [&] {
    std::reverse(script.frames.begin(), script.frames.end());
    if (!script.frames.empty()) stacks.push_back(std::move(script));
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
    SampledFrame frame;
    if (IsIndented(line) && !HasTime(line)) {
      if (!ParseScriptFrame(line, frame)) return LineError(name, number, line);
      if (!in_script) script.samples = 1;  // without event's lines, as -F ip,sym prints
      in_script = true;
      if (!frame.function.empty()) script.frames.push_back(std::move(frame));
      continue;
    }
    end_stack();
    SampledStack stack;
    if (ParseFolded(line, stack)) {
      if (!stack.frames.empty() && stack.samples > 0) stacks.push_back(std::move(stack));
    } else if (ParseScriptEvent(line, script)) {
      in_script = true;
    } else {
      return LineError(name, number, line);
    }
  }
  end_stack();
  if (stacks.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, ": holds no stack with a function; `perf script` prints them from perf.data"));
  }
  return stacks;
}

absl::StatusOr<ComputedProfile> ProfileOfStacks(const std::vector<SampledStack>& stacks,
                                                const SymbolTable* program,
                                                absl::string_view name) {
  constexpr uint32_t kUnknown = UINT32_MAX;
  ComputedProfile profile;
  RowsByName symbols;
  if (program != nullptr) symbols = NameRows(*program);
  absl::flat_hash_map<std::string, uint32_t> rows;
  const auto row_of = [&](const std::string& function) {
    const auto known = rows.find(function);
    if (known != rows.end()) return known->second;
    FunctionCost cost;
    std::string linkage = function;
    if (program != nullptr) {
      const auto symbol = symbols.find(function);
      if (symbol == symbols.end()) return rows[function] = kUnknown;
      const FunctionSymbol& found = program->functions[symbol->second];
      linkage = found.name;
      cost.size = found.size;
      cost.is_static = found.is_local;
      if (found.file != 0) {
        cost.file = static_cast<uint32_t>(profile.strings.size());
        profile.strings.push_back(program->files[found.file]);
      }
    } else if (!CanBePlaced(function) || absl::StrContains(function, '(')) {
      return rows[function] = kUnknown;
    }
    cost.name = static_cast<uint32_t>(profile.strings.size());
    profile.strings.push_back(linkage);
    profile.functions.push_back(cost);
    return rows[function] = static_cast<uint32_t>(profile.functions.size() - 1);
  };

  std::map<std::tuple<uint32_t, uint64_t, uint32_t>, uint64_t> arcs;
  for (const SampledStack& stack : stacks) {
    std::set<std::tuple<uint32_t, uint64_t, uint32_t>> seen;
    uint32_t caller = kUnknown;
    uint64_t site = 0;
    for (const SampledFrame& frame : stack.frames) {
      const uint32_t callee = row_of(frame.function);
      if (caller != kUnknown && callee != kUnknown) seen.insert({caller, site, callee});
      caller = callee;
      site = frame.offset;
    }
    for (const auto& arc : seen) arcs[arc] += stack.samples;
  }
  if (profile.functions.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, program != nullptr
                  ? ": the program has none of its functions"
                  : ": has no linkage names: name the program with --image, or make it with "
                    "`perf script --no-demangle`"));
  }
  for (const auto& [arc, samples] : arcs) {
    ArcCost cost;
    std::tie(cost.caller, cost.site_offset, cost.callee) = arc;
    cost.count = samples;
    profile.arcs.push_back(cost);
    if (cost.caller != cost.callee) profile.functions[cost.callee].calls += samples;
  }
  return profile;
}

}  // namespace gprofhub
