// glibc's profiles contain callers rounded down to blocks of two words (CallerBlock). If a function
// begins within a block, the call may be its own or one of the function before it. The uploader has
// the code, and the server has not, so the return addresses of these blocks' calls are symbols.
//
// Instructions: "Intel 64 and IA-32 Architectures Software Developer's Manual", volume 2, CALL and
// ModR/M; "Arm Architecture Reference Manual", BL, BLR, ADRP and LDR (immediate).
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "profile/elf/file.h"
#include "profile/elf/sections.h"
#include "profile/raw_profile.h"

namespace gprofhub::profile {

namespace {

struct Code {
  uint64_t address = 0;
  absl::string_view bytes;
  bool is_stubs = false;  // of the procedure linkage table

  bool Contains(uint64_t at) const { return at - address < bytes.size(); }
};

uint64_t SignExtend(uint64_t value, int bits) {
  const uint64_t sign = uint64_t{1} << (bits - 1);
  return ((value & (2 * sign - 1)) ^ sign) - sign;
}

class ReturnFinder {
 public:
  static absl::StatusOr<ReturnFinder> Read(const ElfFile& file, const SymbolTable& symbols) {
    ReturnFinder finder(symbols);
    RETURN_IF_ERROR(finder.ReadCode(file));
    RETURN_IF_ERROR(finder.ReadSlots(file));
    return finder;
  }

  std::vector<SharedReturn> Find() const {
    std::vector<SharedReturn> found;
    uint64_t last = UINT64_MAX;
    for (const uint64_t entry : entries_) {
      const uint64_t block = entry - entry % block_;
      const Code* const code = CodeAt(entry);
      if (block != last && code != nullptr) AddBlock(block, *code, found);
      last = block;
    }
    return found;
  }

 private:
  explicit ReturnFinder(const SymbolTable& symbols)
      : is_arm_(symbols.architecture == "aarch64"),
        is_x86_64_(symbols.architecture == "x86_64"),
        block_(CallerBlock(symbols.address_size)) {
    for (const FunctionSymbol& function : symbols.functions) {
      if (!function.is_function) continue;
      if (entries_.empty() || entries_.back() != function.address) {
        entries_.push_back(function.address);
      }
    }
  }

  absl::Status ReadCode(const ElfFile& file) {
    for (const ElfSection& section : file.sections) {
      if ((section.header.sh_flags & SHF_EXECINSTR) == 0 ||
          section.header.sh_type != SHT_PROGBITS || section.header.sh_size == 0) {
        continue;
      }
      ASSIGN_OR_RETURN(const Elf_Data* const data, ReadSection(file, section));
      const absl::string_view bytes(static_cast<const char*>(data->d_buf), data->d_size);
      const bool is_stubs =
          absl::StartsWith(section.name, ".plt") || absl::StartsWith(section.name, ".iplt");
      code_.push_back({section.header.sh_addr, bytes, is_stubs});
    }
    std::sort(code_.begin(), code_.end(),
              [](const Code& a, const Code& b) { return a.address < b.address; });
    return absl::OkStatus();
  }

  // The slots through which functions of other images are called.
  absl::Status ReadSlots(const ElfFile& file) {
    for (const ElfSection& section : file.sections) {
      const bool has_addends = section.header.sh_type == SHT_RELA;
      if ((!has_addends && section.header.sh_type != SHT_REL) ||
          (section.header.sh_flags & SHF_ALLOC) == 0 ||
          section.header.sh_link >= file.sections.size() ||
          file.sections[section.header.sh_link].header.sh_type != SHT_DYNSYM) {
        continue;
      }
      std::vector<bool> is_foreign;
      RETURN_IF_ERROR(
          ForEachSymbol(file, file.sections[section.header.sh_link],
                        [&](uint32_t index, const GElf_Sym& symbol, absl::string_view name) {
                          if (is_foreign.size() <= index) is_foreign.resize(index + 1, false);
                          is_foreign[index] = symbol.st_shndx == SHN_UNDEF && !name.empty();
                        }));
      ASSIGN_OR_RETURN(Elf_Data* const data, ReadSection(file, section));
      GElf_Rela with;
      GElf_Rel without;
      for (int i = 0; has_addends ? gelf_getrela(data, i, &with) != nullptr
                                  : gelf_getrel(data, i, &without) != nullptr;
           ++i) {
        const uint64_t symbol = GELF_R_SYM(has_addends ? with.r_info : without.r_info);
        if (symbol >= is_foreign.size() || !is_foreign[symbol]) continue;
        foreign_slots_.insert(has_addends ? with.r_offset : without.r_offset);
      }
    }
    return absl::OkStatus();
  }

  const Code* CodeAt(uint64_t address) const {
    const auto after =
        std::upper_bound(code_.begin(), code_.end(), address,
                         [](uint64_t wanted, const Code& code) { return wanted < code.address; });
    if (after == code_.begin() || !(after - 1)->Contains(address)) return nullptr;
    return &*(after - 1);
  }

  // The entry of the function with the byte before the address; 0: none.
  uint64_t EntryBefore(uint64_t address) const {
    const auto after = std::lower_bound(entries_.begin(), entries_.end(), address);
    return after == entries_.begin() ? 0 : *(after - 1);
  }

  void AddBlock(uint64_t block, const Code& code, std::vector<SharedReturn>& found) const {
    const size_t first = found.size();
    const uint64_t entry = EntryBefore(block + 1);
    bool is_shared = false;
    for (uint64_t at = block; at != block + block_; ++at) {
      if (at <= code.address || at - code.address > code.bytes.size()) continue;
      const absl::string_view before = code.bytes.substr(0, at - code.address);
      const std::optional<uint64_t> callee =
          is_arm_ ? ArmCallee(before, at) : X86Callee(before, at);
      if (!callee.has_value()) continue;
      found.push_back({at, *callee});
      is_shared = is_shared || EntryBefore(at) != entry;
    }
    if (!is_shared) found.resize(first);
  }

  static uint64_t NumberAt(absl::string_view bytes, size_t at) {
    return LoadNumber(bytes.data() + at, 4, /*big_endian=*/false);
  }

  // The callee of a direct call of `to`: nullopt if nothing that can make calls begins there.
  std::optional<uint64_t> CalleeAt(uint64_t to) const {
    if (std::binary_search(entries_.begin(), entries_.end(), to)) return to;
    const Code* const code = CodeAt(to);
    if (code == nullptr || !code->is_stubs) return std::nullopt;
    const absl::string_view stub = code->bytes.substr(to - code->address, 16);
    return ThroughSlot(is_arm_ ? ArmSlot(stub, to) : X86Slot(stub, to));
  }

  // The callee of a call through a slot: of another image, it makes no calls that are counted.
  std::optional<uint64_t> ThroughSlot(uint64_t slot) const {
    return foreign_slots_.contains(slot) ? std::nullopt : std::optional<uint64_t>(0);
  }

  // The callee of the call that ends with these bytes, before the address `end`; 0: not in the
  // instruction.
  std::optional<uint64_t> X86Callee(absl::string_view bytes, uint64_t end) const {
    const auto byte = [&](size_t back) { return static_cast<uint8_t>(bytes[bytes.size() - back]); };
    if (bytes.size() >= 5 && byte(5) == 0xE8) {
      const uint64_t to = end + SignExtend(NumberAt(bytes, bytes.size() - 4), 32);
      if (const auto callee = CalleeAt(is_x86_64_ ? to : to & UINT32_MAX)) return callee;
    }
    for (const size_t size : {2, 3, 4, 6, 7}) {
      if (bytes.size() < size || byte(size) != 0xFF) continue;
      const uint8_t modrm = byte(size - 1);
      if ((modrm >> 3 & 7) != 2) continue;
      const int mode = modrm >> 6, base = modrm & 7;
      const bool has_sib = mode != 3 && base == 4;
      if (has_sib && size < 3) continue;
      const bool has_no_base = mode == 0 && (has_sib ? (byte(size - 2) & 7) == 5 : base == 5);
      const size_t distance = mode == 1 ? 1 : mode == 2 || has_no_base ? 4 : 0;
      if (size != 2 + static_cast<size_t>(has_sib) + distance) continue;
      if (!has_no_base) return 0;
      const uint64_t slot = SignExtend(NumberAt(bytes, bytes.size() - 4), 32);
      return ThroughSlot(is_x86_64_ && !has_sib ? end + slot : slot);
    }
    return std::nullopt;
  }

  // The slot that a stub jumps through, "jmp *slot(%rip)" after other prefixes; 0: another stub.
  uint64_t X86Slot(absl::string_view stub, uint64_t address) const {
    const size_t jump = stub.find("\xFF\x25");
    if (jump == absl::string_view::npos || jump + 6 > stub.size()) return 0;
    const uint64_t distance = SignExtend(NumberAt(stub, jump + 2), 32);
    return is_x86_64_ ? address + jump + 6 + distance : distance & UINT32_MAX;
  }

  std::optional<uint64_t> ArmCallee(absl::string_view bytes, uint64_t end) const {
    if (end % 4 != 0 || bytes.size() < 4) return std::nullopt;
    const uint64_t word = NumberAt(bytes, bytes.size() - 4);
    if (word >> 26 == 0x25) return CalleeAt(end - 4 + 4 * SignExtend(word, 26));
    if ((word & 0xFFFFFC1F) == 0xD63F0000) return 0;
    return std::nullopt;
  }

  // "adrp x16, page; ldr x17, [x16, offset]".
  static uint64_t ArmSlot(absl::string_view stub, uint64_t address) {
    for (size_t at = 0; at + 8 <= stub.size(); at += 4) {
      const uint64_t adrp = NumberAt(stub, at), ldr = NumberAt(stub, at + 4);
      if ((adrp & 0x9F00001F) != 0x90000010 || (ldr & 0xFFC003FF) != 0xF9400211) continue;
      const uint64_t pages = SignExtend((adrp >> 5 & 0x7FFFF) << 2 | (adrp >> 29 & 3), 21);
      return ((address + at) & ~uint64_t{0xFFF}) + (pages << 12) + (ldr >> 10 & 0xFFF) * 8;
    }
    return 0;
  }

  bool is_arm_;
  bool is_x86_64_;
  uint64_t block_;
  std::vector<uint64_t> entries_;  // of functions, ascending
  std::vector<Code> code_;         // ascending
  absl::flat_hash_set<uint64_t> foreign_slots_;
};

}  // namespace

absl::Status FindSharedReturns(const ElfFile& file, SymbolTable& symbols) {
  const std::string& architecture = symbols.architecture;
  if (architecture != "x86_64" && architecture != "i386" && architecture != "aarch64") {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const ReturnFinder finder, ReturnFinder::Read(file, symbols));
  symbols.shared_returns = finder.Find();
  return absl::OkStatus();
}

}  // namespace gprofhub::profile
