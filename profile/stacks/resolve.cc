// perf prints names without parameters: overloads, static functions of several files and clones
// (`.part`, `.cold`) share a name. Their entry addresses distinguish them. perf prints an address
// with each frame, relative to the start of the file or of the process's mapping of it; both differ
// from the address as linked by whole pages, so that the lowest 12 bits of a function's entry are
// always the same. This distinguishes all but one in 4,096 pairs of functions with one name, also
// between the image and a library: `operator new` is in both. If most functions begin elsewhere,
// the image is another build, and only the names identify its functions.

#include "profile/stacks/resolve.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "profile/names/demangle.h"

namespace gprofhub::profile {
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
        absl::StrCat(name, ": ", image.image_name, " has none of its functions"));
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
