// Each unit names its producer, and has ranges of code. A function belongs to the unit in whose
// range it begins.
//
// A function with inlined calls has an entry that records this (DW_AT_inline), in each unit that
// inlined it. So a function without such an entry was called out of line everywhere: its total
// calls depend on the source alone. This distinguishes a change of the source from a change of the
// toolchain.
//
// No compiler records macros. One changes all containers of a unit, and is known by the names of
// its functions: the debug mode of libstdc++ has containers in a namespace of its own. It counts as
// an option.
#include "profile/elf/toolchains.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <string.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "profile/demangle.h"
#include "profile/elf/line_table.h"
#include "profile/raw_profile.h"

namespace gprofhub::profile {

namespace {

// Records which functions were inlined into which.
//
// The entry of a function with code is followed, deeper in the tree, by the entries of the
// functions inlined into it, directly or indirectly. Each refers to the function that it is a copy
// of, whose name is read once.
//
// Most inlined functions are the standard library's, which do not matter for the program: they are
// seldom built with -pg.
//
// A function that is inlined everywhere has no symbol. Its linkage name in another build may have
// another linkage and signature. So its qualified name, without these, is recorded in addition to
// the linkage name.

// Must be called with the entries of a file's units in order.
class InlinedFunctions {
 public:
  // The linkage name of an entry; empty if it has none, or the limit of names is reached.
  using NameOf = absl::FunctionRef<absl::string_view(Dwarf_Die*)>;

  void Take(Dwarf_Die* die, int depth, NameOf name_of);

  // Ascending, each once. Empty if there are too many to keep.
  std::vector<InlinedFunction> Finish();

 private:
  static constexpr uint32_t kNoName = 0;
  struct Names {
    uint32_t linkage = kNoName;
    uint32_t qualified = kNoName;
  };

  Names NamesOf(Dwarf_Die* die, NameOf name_of);

  // Depth and address of the open functions; address 0: without separate code.
  std::vector<std::pair<int, uint64_t>> open_;
  absl::flat_hash_map<Dwarf_Off, Names> by_origin_;
  absl::flat_hash_map<uint32_t, uint32_t> qualified_;  // by hash of the linkage name
  std::vector<InlinedFunction> found_;
  bool too_many_ = false;
};

constexpr size_t kMostInlined = size_t{1} << 21;

bool IsOfStandardLibrary(absl::string_view name) {
  for (const char* prefix : {"_ZNSt", "_ZNKSt", "_ZSt", "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx"}) {
    if (absl::StartsWith(name, prefix)) return true;
  }
  return false;
}

void KeepEachOnce(std::vector<InlinedFunction>& found) {
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
}

void InlinedFunctions::Take(Dwarf_Die* die, int depth, NameOf name_of) {
  const int tag = dwarf_tag(die);
  if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine) {
    if (depth == 0) open_.clear();
    return;
  }
  while (!open_.empty() && open_.back().first >= depth) open_.pop_back();
  if (tag == DW_TAG_subprogram) {
    Dwarf_Addr entry = 0;
    open_.emplace_back(depth, dwarf_entrypc(die, &entry) == 0 ? entry : 0);
    return;
  }
  if (too_many_ || open_.empty() || open_.back().second == 0) return;
  const Names names = NamesOf(die, name_of);
  if (names.linkage == kNoName) return;
  found_.push_back({open_.back().second, names.linkage});
  if (names.qualified != names.linkage) found_.push_back({open_.back().second, names.qualified});
  if (found_.size() < kMostInlined) return;
  KeepEachOnce(found_);
  too_many_ = found_.size() > kMostInlined / 2;
  if (too_many_) found_.clear();
}

std::vector<InlinedFunction> InlinedFunctions::Finish() {
  KeepEachOnce(found_);
  return std::move(found_);
}

InlinedFunctions::Names InlinedFunctions::NamesOf(Dwarf_Die* die, NameOf name_of) {
  Dwarf_Attribute attribute;
  Dwarf_Die origin;
  if (dwarf_attr(die, DW_AT_abstract_origin, &attribute) == nullptr ||
      dwarf_formref_die(&attribute, &origin) == nullptr) {
    return {};
  }
  const auto [known, is_new] = by_origin_.try_emplace(dwarf_dieoffset(&origin));
  if (!is_new) return known->second;
  const absl::string_view name = name_of(&origin);
  if (name.empty() || IsOfStandardLibrary(name)) return {};
  const uint32_t linkage = NameHash(name);
  const auto [qualified, is_new_name] = qualified_.try_emplace(linkage, linkage);
  if (is_new_name) qualified->second = NameHash(QualifiedName(name));
  return known->second = {linkage, qualified->second};
}

// Compilers' output has a range for each 100 to 1,000 bytes.
constexpr uint64_t kLeastRangeBytes = 24;
constexpr uint64_t kUnsuspiciousRanges = 1000;

}  // namespace

uint64_t DwarfRanges::debug_bytes() const {
  uint64_t bytes = 0;
  for (const ElfSection& section : file_.sections) {
    const bool is_debug = absl::StartsWith(section.name, ".debug_");
    const Elf_Data* data = is_debug ? elf_rawdata(section.handle, nullptr) : nullptr;
    if (data != nullptr) bytes += data->d_size;
  }
  return bytes;
}

void DwarfRanges::ForEach(Dwarf_Die* die,
                          absl::FunctionRef<void(uint64_t low, uint64_t high)> visit) {
  if (!left_) left_ = debug_bytes() / kLeastRangeBytes + kUnsuspiciousRanges;
  Dwarf_Addr base = 0;
  Dwarf_Addr low = 0;
  Dwarf_Addr high = 0;
  for (ptrdiff_t at = 0; !had_more_ && (at = dwarf_ranges(die, at, &base, &low, &high)) > 0;) {
    had_more_ = *left_ == 0;
    if (had_more_) return;
    --*left_;
    if (low < high) visit(low, high);
  }
}

absl::Status DwarfRanges::status() const {
  if (!had_more_) return absl::OkStatus();
  return absl::DataLossError(absl::StrFormat(
      "%s: the entries of .debug_info list more ranges of code than the size of the debug "
      "information allows: the file is damaged; build it again, or without -g",
      file_.path));
}

// libdw finds the end of an entry that has children but no reference to its sibling by reading
// everything below it. Because each level is walked by siblings, entries at depth n are read n
// times: a few times in compilers' output, but up to the maximum depth in a crafted file. So the
// bytes that are read again are added up. And an entry may name as its sibling one that is below
// it: walking both paths would double the time at each such level. So entries must ascend.

namespace {

// The tree is walked by recursion; compilers nest a few tens deep.
constexpr int kDeepest = 400;
constexpr uint64_t kReadingsOfEachByte = 32;
constexpr uint64_t kUnsuspiciousReadings = uint64_t{1} << 20;

class Walker {
 public:
  Walker(Dwarf_Die* unit, absl::FunctionRef<void(Dwarf_Die*, int depth)> visit)
      : visit_(visit), start_(dwarf_dieoffset(unit)), last_(start_) {}

  // False: the rest of the unit is skipped.
  bool Walk(Dwarf_Die* die, int depth) {
    const uint64_t offset = dwarf_dieoffset(die);
    if (depth > kDeepest || (depth > 0 && offset <= last_)) return false;
    last_ = offset;
    visit_(die, depth);
    Dwarf_Die child;
    if (!dwarf_haschildren(die) || dwarf_child(die, &child) != 0) return true;
    do {
      if (!Walk(&child, depth + 1)) return false;
      if (dwarf_haschildren(&child) && !dwarf_hasattr(&child, DW_AT_sibling)) {
        read_again_ += last_ - dwarf_dieoffset(&child);
      }
      if (read_again_ > kReadingsOfEachByte * (last_ - start_) + kUnsuspiciousReadings)
        return false;
    } while (dwarf_siblingof(&child, &child) == 0);
    return true;
  }

 private:
  absl::FunctionRef<void(Dwarf_Die*, int depth)> visit_;
  const uint64_t start_;
  uint64_t last_;  // position of the entry visited last
  uint64_t read_again_ = 0;
};

}  // namespace

void ForEachDwarfEntry(Dwarf_Die* unit, absl::FunctionRef<void(Dwarf_Die*, int depth)> visit) {
  Walker(unit, visit).Walk(unit, 0);
}

namespace {

constexpr size_t kMostToolchains = 1000;
constexpr size_t kLongestProducer = 4096;
constexpr size_t kLongestName = 4096;
// Limit of the names that are read, per byte of debug information: one may be a suffix of another.
constexpr uint64_t kProducerBytesForEachByte = 4;
constexpr uint64_t kUnsuspiciousProducerBytes = uint64_t{1} << 20;

constexpr char kDebugMode[] = " -D_GLIBCXX_DEBUG";

bool IsOfDebugMode(absl::string_view linkage_name) {
  return absl::StrContains(linkage_name, "St7__debug") ||
         absl::StrContains(linkage_name, "11__gnu_debug");
}

struct UnitRange {
  uint64_t low;
  uint64_t high;
  uint32_t toolchain;
  uint32_t unit;
};

class ToolchainReader {
 public:
  ToolchainReader(const ElfFile& file, SymbolTable& symbols)
      : symbols_(symbols),
        ranges_(file),
        bytes_left_(kProducerBytesForEachByte * ranges_.debug_bytes() +
                    kUnsuspiciousProducerBytes) {}

  void AddUnit(Dwarf_Die* unit) {
    if (const uint32_t toolchain = ToolchainOf(unit); toolchain != 0) {
      ranges_.ForEach(unit, [&](uint64_t low, uint64_t high) {
        units_.push_back({low, high, toolchain, unit_count_});
      });
    }
    ++unit_count_;
    ForEachDwarfEntry(unit, [this](Dwarf_Die* die, int depth) {
      inlined_into_.Take(die, depth, [this](Dwarf_Die* origin) { return NameOf(origin); });
      if (dwarf_tag(die) != DW_TAG_subprogram) return;
      Dwarf_Attribute attribute;
      Dwarf_Word inlined = 0;
      if (dwarf_formudata(dwarf_attr(die, DW_AT_inline, &attribute), &inlined) != 0) return;
      if (inlined == DW_INL_inlined || inlined == DW_INL_declared_inlined) NoteInlined(die);
    });
  }

  // Must be called while libdw's names are valid.
  absl::Status Finish() {
    RETURN_IF_ERROR(ranges_.status());
    std::sort(units_.begin(), units_.end(), [](const UnitRange& a, const UnitRange& b) {
      return a.low != b.low ? a.low < b.low : a.high < b.high;
    });
    auto next = units_.begin();
    std::vector<bool> in_debug_mode(unit_count_, false);
    std::vector<std::pair<FunctionSymbol*, uint32_t>> functions;  // with a unit
    for (FunctionSymbol& function : symbols_.functions) {
      while (next != units_.end() && next->low <= function.address) ++next;
      if (next == units_.begin()) continue;
      const UnitRange& unit = *std::prev(next);
      if (function.address >= unit.high) continue;
      function.toolchain = unit.toolchain;
      function.never_inlined =
          bytes_left_ > 0 && function.name.size() < kLongestName && !MayBeInlined(function);
      functions.emplace_back(&function, unit.unit);
      if (IsOfDebugMode(function.name)) in_debug_mode[unit.unit] = true;
    }
    for (const auto& [function, unit] : functions) {
      if (!in_debug_mode[unit]) continue;
      const std::string name = symbols_.toolchains[function->toolchain] + kDebugMode;
      const uint32_t toolchain = Keep(name);
      if (toolchain != 0) function->toolchain = toolchain;
    }
    symbols_.inlined = inlined_into_.Finish();
    return absl::OkStatus();
  }

 private:
  // The text at `name`, within the limit; empty: there is none, or it is too long.
  absl::string_view Text(const char* name, size_t longest) {
    if (name == nullptr) return {};
    const size_t most = static_cast<size_t>(std::min<uint64_t>(longest, bytes_left_));
    const size_t size = strnlen(name, most);
    bytes_left_ -= std::min<uint64_t>(bytes_left_, size + 1);
    return size == most ? absl::string_view() : absl::string_view(name, size);
  }

  uint32_t ToolchainOf(Dwarf_Die* unit) {
    Dwarf_Attribute attribute;
    const char* producer = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attribute));
    if (producer == nullptr) return 0;
    // Units share the string.
    const auto [known, is_new] = by_pointer_.try_emplace(producer, 0);
    if (!is_new) return known->second;
    std::string name = ToolchainName(Text(producer, kLongestProducer));
    if (name.empty()) return 0;
    return known->second = Keep(std::move(name));
  }

  // The number of the toolchain; 0: there are too many.
  uint32_t Keep(std::string name) {
    const auto found = by_name_.find(name);
    if (found != by_name_.end()) return found->second;
    if (by_name_.size() == kMostToolchains) return 0;
    const auto toolchain = static_cast<uint32_t>(symbols_.toolchains.size());
    symbols_.toolchains.push_back(name);
    by_name_.emplace(std::move(name), toolchain);
    return toolchain;
  }

  absl::string_view NameOf(Dwarf_Die* die) {
    Dwarf_Attribute attribute;
    const char* name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
    if (name == nullptr) {
      name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute));
    }
    if (name == nullptr) name = dwarf_diename(die);
    return Text(name, kLongestName);
  }

  // gcc gives a function with internal linkage no linkage name.
  bool MayBeInlined(const FunctionSymbol& function) const {
    return inlined_.contains(function.name) ||
           (function.is_local && inlined_.contains(LocalName(function.name)));
  }

  void NoteInlined(Dwarf_Die* die) {
    const absl::string_view name = NameOf(die);
    if (!name.empty()) inlined_.insert(name);
  }

  SymbolTable& symbols_;
  DwarfRanges ranges_;
  uint64_t bytes_left_;  // remaining bytes of names; none: no function is known never to be inlined
  std::deque<UnitRange> units_;
  uint32_t unit_count_ = 0;
  absl::flat_hash_map<const char*, uint32_t> by_pointer_;
  absl::flat_hash_map<std::string, uint32_t> by_name_;
  absl::flat_hash_set<absl::string_view> inlined_;  // libdw's
  InlinedFunctions inlined_into_;
};

}  // namespace

absl::Status ReadDwarfToolchains(const ElfFile& file, SymbolTable& symbols) {
  const DwarfHandle dwarf = OpenDwarf(file);
  if (dwarf == nullptr) return absl::OkStatus();
  ToolchainReader reader(file, symbols);
  const absl::Status status =
      ForEachDwarfUnit(file, dwarf.get(), [&](Dwarf_Die* unit) { reader.AddUnit(unit); });
  return status.ok() ? reader.Finish() : status;
}

}  // namespace gprofhub::profile
