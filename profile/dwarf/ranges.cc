#include "profile/dwarf/ranges.h"

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"

namespace gprofhub::profile {
namespace {

// Compilers' output has a range for each 100 to 1,000 bytes.
constexpr uint64_t kLeastRangeBytes = 24;
constexpr uint64_t kUnsuspiciousRanges = 1000;

}  // namespace

uint64_t DwarfRanges::debug_bytes() const {
  uint64_t bytes = 0;
  for (const ElfSection& section : file_.sections) {
    const bool is_debug =
        absl::StartsWith(section.name, ".debug_") || absl::StartsWith(section.name, ".zdebug_");
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
  return absl::DataLossError(
      absl::StrFormat("%s: the entries of .debug_info name more ranges of code than so much debug "
                      "information has: the file is damaged; build it again, or without -g",
                      file_.path));
}

}  // namespace gprofhub::profile
