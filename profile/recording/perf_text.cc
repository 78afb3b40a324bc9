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

// Names, commands' names and paths may contain blanks, parentheses and colons. So a line is split
// at what they do not contain, from both ends: a frame begins with its address, and its name ends
// at the first "+0x1d" or, without offsets, where the path begins.

bool IsBlank(char c) { return absl::ascii_isspace(static_cast<unsigned char>(c)); }

// The position after the hexadecimal digits from `at` on.
size_t EndOfDigits(absl::string_view text, size_t at) {
  while (at < text.size() && absl::ascii_isxdigit(static_cast<unsigned char>(text[at]))) ++at;
  return at;
}

// The first "+0x1d" from `from` on with a blank or the end behind it; npos: none.
size_t FindOffset(absl::string_view text, size_t from) {
  constexpr absl::string_view kPlus = "+0x";
  for (size_t at = text.find(kPlus, from); at != absl::string_view::npos;
       at = text.find(kPlus, at + 1)) {
    const size_t digits = at + kPlus.size();
    const size_t end = EndOfDigits(text, digits);
    if (end > digits && (end == text.size() || IsBlank(text[end]))) return at;
  }
  return absl::string_view::npos;
}

// The first " (" of a path from `from` on; npos: none.
size_t FindPath(absl::string_view text, size_t from) {
  constexpr absl::string_view kBegin = " (";
  for (size_t at = text.find(kBegin, from); at != text.npos; at = text.find(kBegin, at + 1)) {
    const absl::string_view path = text.substr(at + kBegin.size());
    for (const absl::string_view begin : {"/", "[", "inlined)"}) {
      if (absl::StartsWith(path, begin)) return at;
    }
  }
  return absl::string_view::npos;
}

// The offset or path behind the next name from `from` on; npos: none.
size_t EndOfName(absl::string_view text, size_t from) {
  return std::min(FindOffset(text, from), FindPath(text, from));
}

// The last group in parentheses, with the blank before it, if the text ends with it; npos: it does
// not.
size_t FindLastGroup(absl::string_view text) {
  int open = 0;
  for (size_t at = text.size(); at-- > 0;) {
    if (text[at] == ')') ++open;
    if (text[at] == '(') --open;
    if (open == 0) return text[at] == '(' && at > 0 && text[at - 1] == ' ' ? at - 1 : text.npos;
  }
  return absl::string_view::npos;
}

// `rest`, behind the name: "+0x1d (/usr/bin/app)", each part only if printed. False: the frame is
// the kernel's or inlined: the latter's enclosing function has the next frame.
bool SetFrame(uint64_t address, absl::string_view name, absl::string_view rest,
              ParsedFrame& frame) {
  constexpr uint64_t kKernel = 0xffff'0000'0000'0000;
  constexpr absl::string_view kPlus = "+0x";
  frame.function = KnownName(name);
  if (absl::ConsumePrefix(&rest, kPlus)) {
    const size_t end = EndOfDigits(rest, 0);
    if (absl::SimpleHexAtoi(rest.substr(0, end), &frame.offset)) {
      frame.has_entry = true;
      frame.entry = address - frame.offset;
    }
    rest.remove_prefix(end);
  }
  return !absl::StartsWith(rest, " (inlined)") && !absl::StartsWith(rest, " ([kernel") &&
         !absl::StartsWith(rest, " ([guest.kernel") && !IsKernels(name) && address < kKernel;
}

// "55d4c0 parse+0x1d (/usr/bin/app)", with what fields of -F may add behind it. False if the line
// is not a frame.
bool ParseScriptFrame(absl::string_view line, ParsedFrame& frame, bool& left_out) {
  line = absl::StripAsciiWhitespace(line);
  const size_t blank = EndOfDigits(line, 0);
  uint64_t address = 0;
  if (blank >= line.size() || line[blank] != ' ' ||
      !absl::SimpleHexAtoi(line.substr(0, blank), &address)) {
    return false;
  }
  const absl::string_view text = line.substr(blank + 1);
  size_t end = EndOfName(text, 0);
  if (end == text.npos) end = FindLastGroup(text);
  end = std::min(end, text.size());
  left_out = !SetFrame(address, text.substr(0, end), text.substr(end), frame);
  return true;
}

// The part of an event's line before its frame's offset and path.
absl::string_view Head(absl::string_view line) { return line.substr(0, EndOfName(line, 0)); }

// Whether the line has a time, "8.25:", among its words, as an event's line has.
bool HasTime(absl::string_view line) {
  for (absl::string_view word : absl::StrSplit(Head(line), ' ')) {
    if (absl::ConsumeSuffix(&word, ":") && word.size() > 2 && absl::StrContains(word, '.') &&
        word.find_first_not_of("0123456789.") == absl::string_view::npos) {
      return true;
    }
  }
  return false;
}

// Whether the line has an event's name or a time: a word that ends with a colon.
bool HasEvent(absl::string_view line) {
  const absl::string_view head = Head(line);
  return absl::StrContains(head, ": ") || absl::EndsWith(head, ":");
}

// The frame whose name ends at `end`: its address is the last number in front of the name. Fields
// of -F may have printed other numbers before it. False: there is none.
bool ParseFrameBefore(absl::string_view line, size_t begin, size_t end, ParsedFrame& frame,
                      bool& left_out) {
  const absl::string_view piece = line.substr(begin, end - begin);
  size_t name = piece.size();
  while (name > 0) {
    const size_t blank = piece.rfind(' ', name - 1);
    if (blank == piece.npos) return false;
    size_t word = blank;
    while (word > 0 && !IsBlank(piece[word - 1])) --word;
    uint64_t address = 0;
    if (word < blank && EndOfDigits(piece, word) == blank && blank + 1 < piece.size() &&
        absl::SimpleHexAtoi(piece.substr(word, blank - word), &address)) {
      left_out = !SetFrame(address, piece.substr(blank + 1), line.substr(end), frame);
      return true;
    }
    name = blank;
  }
  return false;
}

// The address of the one frame on an event's line, behind other fields: perf prints 16 columns and
// a blank for it, and less for numbers in front of it. npos: there is none with a name.
size_t FindAddressColumn(absl::string_view line) {
  constexpr size_t kColumns = 17;
  size_t end_of_word = 0;
  for (size_t at = 0; at < line.size();) {
    while (at < line.size() && IsBlank(line[at])) ++at;
    const size_t digits = EndOfDigits(line, at);
    const bool has_name = digits > at && digits + 1 < line.size() && line[digits] == ' ';
    if (end_of_word > 0 && has_name && digits - end_of_word >= kColumns) return at;
    while (at < line.size() && !IsBlank(line[at])) ++at;
    end_of_word = at;
  }
  return absl::string_view::npos;
}

// The one frame on an event's line, without a call graph:
// " app 71 8.25: 9 cycles: 55d4c0 parse+0x1d (/usr/bin/app)". The address of -F +addr may have a
// name of its own in front of it; a branch has its target behind "=>". False: there is none.
bool ParseEventFrame(absl::string_view line, ParsedFrame& frame, bool& left_out) {
  line = line.substr(0, line.find(" => "));
  bool found = false;
  size_t begin = 0;
  for (size_t end = EndOfName(line, 0); end != line.npos; end = EndOfName(line, end + 1)) {
    ParsedFrame candidate;
    bool is_left_out = false;
    if (ParseFrameBefore(line, begin, end, candidate, is_left_out)) {
      found = true;
      frame = candidate;
      left_out = is_left_out;
    }
    begin = end;
  }
  if (found) return true;
  // Neither offsets nor paths were printed.
  const size_t colon = line.rfind(": ");
  if (EndOfName(line, 0) != line.npos) return false;
  if (colon == line.npos || IsIndented(line)) {
    const size_t at = FindAddressColumn(line);
    if (at != line.npos) {
      const size_t code = std::min(line.find(" ilen: ", at), line.find(" insn: ", at));
      return ParseScriptFrame(line.substr(at, code - at), frame, left_out);
    }
  }
  if (colon == line.npos) return false;
  const absl::string_view text = absl::StripAsciiWhitespace(line.substr(colon + 2));
  const absl::string_view name = text.substr(std::min(text.size(), EndOfDigits(text, 0) + 1));
  return !name.empty() && !absl::ascii_isdigit(static_cast<unsigned char>(name[0])) &&
         name.find_first_of("|=#") == name.npos && ParseScriptFrame(text, frame, left_out);
}

// "|12  the line", as -F +srccode prints below a frame, or below the blank line behind a block.
bool IsSourceCode(absl::string_view line) {
  return line.size() > 1 && line[0] == '|' &&
         absl::ascii_isdigit(static_cast<unsigned char>(line[1]));
}

// "  parser.c:12", as -F +srcline prints below a frame.
bool IsSourceLine(absl::string_view line) {
  if (!absl::StartsWith(line, "  ") || EndOfName(line, 0) != line.npos) return false;
  line = absl::StripTrailingAsciiWhitespace(line);
  line = line.substr(0, line.find(" (discriminator "));
  const size_t colon = line.rfind(':');
  return colon != line.npos && colon + 1 < line.size() &&
         line.find_first_not_of("0123456789?", colon + 1) == line.npos;
}

// Whether a frame's line is an event's, of which perf printed nothing else: it has no tab then, and
// the address in 16 columns.
bool IsEventOfOneFrame(absl::string_view line) {
  constexpr size_t kColumns = 17;
  const size_t address = line.find_first_not_of(' ');
  return address != line.npos && EndOfDigits(line, address) == kColumns;
}

enum class LineKind {
  kFolded,
  kEvent,  // of an indented block of frames, or with its one frame
  kFrame,  // indented
  kOther,  // indented, but not a frame
  kUnknown
};

bool IsFrameLine(absl::string_view line) {
  ParsedFrame frame;
  bool left_out = false;
  return IsIndented(line) && !IsSourceLine(line) && !HasEvent(line) &&
         FindAddressColumn(line) == line.npos && ParseScriptFrame(line, frame, left_out);
}

bool HasEventFrame(absl::string_view line) {
  ParsedFrame frame;
  bool left_out = false;
  return ParseEventFrame(line, frame, left_out);
}

// Of a line that is not blank, by the line behind it. `in_block`: frames are before it. perf may
// print neither times nor events, so that the line of an event has a command's name and numbers
// only, as a folded stack may have.
LineKind KindOf(absl::string_view line, absl::string_view next, bool in_block) {
  if (IsSourceCode(line)) return LineKind::kOther;
  if (HasTime(line)) return LineKind::kEvent;
  if (IsFrameLine(line)) return LineKind::kFrame;
  if (IsSourceLine(line)) return LineKind::kOther;
  if (in_block && IsIndented(line)) return LineKind::kOther;
  if (HasEventFrame(line)) return LineKind::kEvent;
  if (IsIndented(line)) {
    return IsFrameLine(next) && HasEvent(line) ? LineKind::kEvent : LineKind::kOther;
  }
  if (IsFrameLine(next)) return LineKind::kEvent;
  ParsedStack stack;
  if (ParseFolded(line, stack)) return LineKind::kFolded;
  return HasEvent(line) ? LineKind::kEvent : LineKind::kUnknown;
}

// Without its end; the text keeps what is behind it.
absl::string_view TakeLine(absl::string_view& text) {
  absl::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  absl::ConsumeSuffix(&line, "\r");
  return line;
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
  while (!bytes.empty()) {
    const absl::string_view line = TakeLine(bytes);
    if (absl::StripAsciiWhitespace(line).empty() || line.front() == '#') continue;
    absl::string_view behind = bytes;
    const LineKind kind = KindOf(line, TakeLine(behind), false);
    return kind == LineKind::kFolded ? absl::StrContains(line, ';')
                                     : kind == LineKind::kEvent || kind == LineKind::kFrame;
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

namespace {

// Reads lines one by one into stacks.
class LineReader {
 public:
  // `next`: the line behind it. False: the line has neither form.
  bool Take(absl::string_view line, absl::string_view next) {
    ParsedFrame frame;
    bool left_out = false;
    ParsedStack folded;
    switch (KindOf(line, next, indent_ != '\0')) {
      case LineKind::kFolded:
        EndStack();
        if (!ParseFolded(line, folded)) return false;
        stacks_.Add(folded);
        return true;
      case LineKind::kEvent:
        EndStack();
        stack_.samples = 1;
        in_script_ = is_script_ = true;
        has_event_frame_ = ParseEventFrame(line, frame, left_out);
        if (has_event_frame_ && !left_out) stack_.frames.push_back(frame);
        return true;
      case LineKind::kFrame:
        return TakeFrame(line);
      case LineKind::kOther:  // of a field that -F added
        return in_script_ || (is_script_ && (IsSourceCode(line) || IsSourceLine(line)));
      default:
        return false;
    }
  }

  void EndStack() {
    std::reverse(stack_.frames.begin(), stack_.frames.end());
    stacks_.Add(stack_);
    stack_ = {};
    in_script_ = false;
    indent_ = '\0';
  }

  uint64_t samples() const { return stacks_.samples(); }
  SampledStacks TakeStacks() { return stacks_.Take(); }

 private:
  // Fields that are printed behind a block's frames have another indentation.
  bool TakeFrame(absl::string_view line) {
    const bool is_event = !in_script_ && IsEventOfOneFrame(line);
    if (indent_ == '\0') {
      indent_ = line.front();
      // Behind an event's line that seemed to have a frame, such as that of a tracepoint.
      if (has_event_frame_) stack_.frames.clear();
      has_event_frame_ = false;
    }
    if (line.front() != indent_) return true;
    ParsedFrame frame;
    bool left_out = false;
    if (!ParseScriptFrame(line, frame, left_out)) return false;
    stack_.samples = 1;  // also without events' lines, as -F ip,sym prints
    in_script_ = is_script_ = true;
    if (!left_out) stack_.frames.push_back(frame);
    if (is_event) EndStack();
    return true;
  }

  StackCollector stacks_;
  ParsedStack stack_;       // of a script; its innermost frame first
  bool in_script_ = false;  // in a block, or behind an event's line
  bool is_script_ = false;  // in the text
  bool has_event_frame_ = false;
  char indent_ = '\0';  // of the block's frames
};

}  // namespace

absl::StatusOr<SampledStacks> ParseSampledStacks(absl::string_view text, absl::string_view name) {
  LineReader reader;
  for (size_t number = 1; !text.empty(); ++number) {
    if (number > kMostLines) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": is longer than ", kMostLines, " lines"));
    }
    const absl::string_view line = TakeLine(text);
    if (absl::StripAsciiWhitespace(line).empty()) {
      reader.EndStack();
      continue;
    }
    if (line.front() == '#') continue;
    absl::string_view behind = text;
    if (!reader.Take(line, TakeLine(behind))) return LineError(name, number, line);
    if (reader.samples() > kMostSampledStackSamples) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": line ", number, ": there are more than ", kMostSampledStackSamples,
                       " samples up to here"));
    }
  }
  reader.EndStack();
  SampledStacks result = reader.TakeStacks();
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
