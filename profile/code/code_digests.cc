// The same source, compiled twice, does not give the same bytes: when another part of the program
// grows, the distances to callees and data change. A line number that a macro put into the code
// changes when a comment is added above. So the digest of a function excludes positions and
// includes what is there:
//
// - instructions are decoded in sequence; if one refers to a place by its distance, the distance is
//   excluded, and the place is included by name or content (references.cc);
// - a jump within the function is a number of instructions forward or back. Short and long forms of
//   a jump are equal;
// - an immediate that equals the line number of that place is a line number;
// - padding is excluded.
//
// Two builds of one source then have the same digests, and functions with different digests do
// something different, or do the same in a different way. (Counts show which.) Code inlined into a
// function is part of it.
#include "profile/code/code_digests.h"

#include <Zydis/Zydis.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "profile/code/digest.h"
#include "profile/code/references.h"
#include "profile/elf/file.h"

namespace gprofhub::profile {
namespace {

// Rows of the line table before and after an instruction that are searched for its line number: an
// argument is often ready before the call's line begins.
constexpr ptrdiff_t kNearRows = 3;
// Limits the work for symbols that overlap, which compilers do not generate.
constexpr uint64_t kMostPasses = 4;

class FunctionDigests {
 public:
  FunctionDigests(const References& references, const SymbolTable& symbols)
      : references_(references), lines_(symbols.lines) {
    ZydisDecoderInit(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  }

  // 0: it has no code.
  uint32_t Of(uint64_t begin, uint64_t size) {
    const absl::string_view code = references_.CodeAt(begin, size);
    if (code.empty()) return 0;
    starts_.clear();
    jumps_.clear();
    CodeDigest digest;
    uint64_t at = 0;
    ZydisDecodedInstruction decoded;
    while (at < code.size() &&
           ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder_, nullptr, code.data() + at,
                                                      code.size() - at, &decoded))) {
      if (decoded.mnemonic != ZYDIS_MNEMONIC_NOP) {
        starts_.push_back(at);
        AddInstruction(code, begin, at, decoded, digest);
      }
      at += decoded.length;
    }
    for (const auto& [from, to] : jumps_) digest.Add(OrdinalOf(to) - from);
    // Undecodable bytes are included unchanged.
    digest.Add(code.substr(at));
    return digest.Take();
  }

 private:
  // The first instruction from there on that is not padding.
  uint64_t OrdinalOf(uint64_t offset) const {
    return static_cast<uint64_t>(std::lower_bound(starts_.begin(), starts_.end(), offset) -
                                 starts_.begin());
  }

  bool IsLineNumber(uint64_t address, uint64_t value) const {
    if (value == 0 || value > UINT32_MAX) return false;
    const auto after =
        std::upper_bound(lines_.begin(), lines_.end(), address,
                         [](uint64_t wanted, const LineRow& row) { return wanted < row.address; });
    const ptrdiff_t at = after - lines_.begin();
    const ptrdiff_t end = std::min<ptrdiff_t>(at + kNearRows, std::ssize(lines_));
    for (ptrdiff_t row = std::max<ptrdiff_t>(0, at - 1 - kNearRows); row < end; ++row) {
      if (lines_[static_cast<size_t>(row)].line == value) return true;
    }
    return false;
  }

  // The address of code + at.
  void AddInstruction(absl::string_view code, uint64_t begin, uint64_t at,
                      const ZydisDecodedInstruction& decoded, CodeDigest& digest) {
    const uint64_t next = at + decoded.length;
    char bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
    std::copy_n(code.data() + at, decoded.length, bytes);
    const auto leave_out = [&](size_t offset, size_t bits) {
      std::fill_n(bytes + offset, std::min<size_t>(bits / 8, decoded.length - offset), '\0');
    };
    for (const auto& immediate : decoded.raw.imm) {
      if (immediate.size == 0) continue;
      if (immediate.is_relative) {
        const uint64_t to = next + static_cast<uint64_t>(immediate.value.s);
        // The two forms of a jump have different opcodes.
        digest.Add(static_cast<uint64_t>(decoded.mnemonic));
        if (to < code.size()) {
          jumps_.emplace_back(starts_.size() - 1, to);
        } else {
          references_.Add(begin + to, /*is_loaded=*/false, digest);
        }
        return;
      }
      if (IsLineNumber(begin + at, immediate.value.u)) leave_out(immediate.offset, immediate.size);
    }
    const bool names_place = (decoded.attributes & ZYDIS_ATTRIB_HAS_MODRM) != 0 &&
                             decoded.raw.modrm.mod == 0 && (decoded.raw.modrm.rm & 7) == 5 &&
                             decoded.raw.disp.size == 32;
    if (names_place) {
      leave_out(decoded.raw.disp.offset, decoded.raw.disp.size);
      references_.Add(begin + next + static_cast<uint64_t>(decoded.raw.disp.value),
                      decoded.mnemonic != ZYDIS_MNEMONIC_LEA, digest);
    }
    digest.Add(absl::string_view(bytes, decoded.length));
  }

  const References& references_;
  const std::vector<LineRow>& lines_;
  ZydisDecoder decoder_;
  // The current function: offsets of its instructions other than padding; and its jumps within
  // itself, by ordinal among these, to offsets.
  std::vector<uint64_t> starts_;
  std::vector<std::pair<uint64_t, uint64_t>> jumps_;
};

}  // namespace

absl::Status AddCodeDigests(const std::string& path, SymbolTable& symbols) {
  if (symbols.architecture != "x86_64") return absl::OkStatus();
  absl::StatusOr<std::unique_ptr<ElfFile>> file = OpenElfFile(path);
  if (!file.ok()) return file.status();
  const absl::StatusOr<References> references = References::Read(**file, symbols.functions);
  if (!references.ok()) return references.status();
  FunctionDigests digests(*references, symbols);
  // Aliases, and functions within others, are decoded once for each address and size.
  uint64_t left = (symbols.text_high - symbols.text_low) * kMostPasses;
  uint64_t address = 0, size = 0;
  uint32_t last = 0;
  for (FunctionSymbol& function : symbols.functions) {
    if (function.size == 0 || !function.is_function) continue;
    if (last == 0 || function.address != address || function.size != size) {
      address = function.address;
      size = function.size;
      if (size > left) break;
      left -= size;
      last = digests.Of(address, size);
    }
    function.code = last;
  }
  return absl::OkStatus();
}

}  // namespace gprofhub::profile
