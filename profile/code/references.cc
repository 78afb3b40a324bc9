#include "profile/code/references.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "base/utf8.h"

namespace gprofhub::profile {
namespace {

// Number of bytes of a constant that are compared: the size of a vector register; the beginning of
// a text.
constexpr size_t kLoaded = 8;
constexpr size_t kLongestText = 256;
// Number of bytes of a named table that are compared.
constexpr uint64_t kLargestTable = 1 << 16;

uint64_t DigestOf(absl::string_view text) {
  CodeDigest digest;
  digest.Add(text);
  return digest.state();
}

// Compilers number unnamed objects ("CSWTCH.41", "buffer.7") in the order of the file.
absl::string_view WithoutNumber(absl::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == absl::string_view::npos || dot == 0 || dot + 1 == name.size()) return name;
  for (const char c : name.substr(dot + 1)) {
    if (!absl::ascii_isdigit(c)) return name;
  }
  return name.substr(0, dot);
}

// The text that ends with a 0 byte; empty if it is not text. (A jump table is not: its distances
// are not UTF-8.)
absl::string_view TextAt(absl::string_view bytes) {
  const size_t length = bytes.substr(0, kLongestText).find('\0');
  if (length == absl::string_view::npos) return {};
  const absl::string_view text = bytes.substr(0, length);
  const bool is_text =
      base::IsUtf8(text) && std::all_of(text.begin(), text.end(), [](char c) {
        return absl::ascii_isprint(c) || absl::ascii_isspace(c) || static_cast<uint8_t>(c) >= 0x80;
      });
  return is_text ? text : absl::string_view();
}

template <typename Places>
auto PlaceAt(const Places& places, uint64_t address) -> decltype(&places.front()) {
  const auto after =
      std::upper_bound(places.begin(), places.end(), address,
                       [](uint64_t wanted, const auto& place) { return wanted < place.begin; });
  if (after == places.begin()) return nullptr;
  const auto& place = *(after - 1);
  return address < place.end || address == place.begin ? &place : nullptr;
}

}  // namespace

absl::StatusOr<References> References::Read(const ElfFile& file,
                                            const std::vector<FunctionSymbol>& functions) {
  References references;
  references.is_fixed_ = file.header.e_type == ET_EXEC;
  references.ReadFunctions(functions);
  absl::Status status = references.ReadSections(file);
  if (status.ok()) status = references.ReadRelocations(file);
  if (status.ok()) status = references.ReadObjects(file);
  if (!status.ok()) return status;
  return references;
}

// Of several names at one address the first in alphabetical order is used: the order of the symbol
// table may change.
void References::ReadFunctions(const std::vector<FunctionSymbol>& functions) {
  for (size_t i = 0; i < functions.size();) {
    size_t first = i, end = i;
    uint64_t size = 0;
    for (; end < functions.size() && functions[end].address == functions[i].address; ++end) {
      size = std::max(size, functions[end].size);
      if (functions[end].name < functions[first].name) first = end;
    }
    const uint64_t begin = functions[i].address;
    functions_.push_back({begin, begin + std::min(size, UINT64_MAX - begin),
                          DigestOf(WithoutNumber(functions[first].name))});
    i = end;
  }
}

absl::Status References::ReadSections(const ElfFile& file) {
  for (const ElfSection& section : file.sections) {
    if ((section.header.sh_flags & SHF_ALLOC) == 0 || section.header.sh_type != SHT_PROGBITS ||
        section.header.sh_size == 0) {
      continue;
    }
    const absl::StatusOr<Elf_Data*> data = ReadSection(file, section);
    if (!data.ok()) return data.status();
    Bytes bytes;
    bytes.address = section.header.sh_addr;
    bytes.content = absl::string_view(static_cast<const char*>((*data)->d_buf), (*data)->d_size);
    bytes.is_code = (section.header.sh_flags & SHF_EXECINSTR) != 0;
    // Data that only the loader writes, once, counts as constant, too: tables of virtual functions.
    bytes.is_constant = !bytes.is_code && ((section.header.sh_flags & SHF_WRITE) == 0 ||
                                           absl::StartsWith(section.name, ".data.rel.ro"));
    if (bytes.content.size() > UINT64_MAX - bytes.address) continue;
    sections_.push_back(bytes);
  }
  std::sort(sections_.begin(), sections_.end(),
            [](const Bytes& a, const Bytes& b) { return a.address < b.address; });
  return absl::OkStatus();
}

absl::Status References::ReadObjects(const ElfFile& file) {
  const ElfSection* table = nullptr;
  for (const GElf_Word type : {SHT_SYMTAB, SHT_DYNSYM}) {
    for (const ElfSection& section : file.sections) {
      if (table == nullptr && section.header.sh_type == type) table = &section;
    }
  }
  if (table == nullptr) return absl::OkStatus();
  std::vector<std::pair<Place, absl::string_view>> found;
  const absl::Status status =
      ForEachSymbol(file, *table, [&](uint32_t, const GElf_Sym& symbol, absl::string_view name) {
        if (GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_shndx == SHN_UNDEF) return;
        if (name.empty() || symbol.st_size > UINT64_MAX - symbol.st_value) return;
        found.push_back({{symbol.st_value, symbol.st_value + symbol.st_size, 0}, name});
      });
  if (!status.ok()) return status;
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return a.first.begin != b.first.begin ? a.first.begin < b.first.begin : a.second < b.second;
  });
  for (auto& [place, name] : found) {
    if (!objects_.empty() && place.begin < objects_.back().end) continue;  // within another
    place.name = DigestOf(WithoutNumber(name.substr(0, name.find('@'))));
    const Bytes* const section = SectionAt(place.begin);
    if (section != nullptr && section->is_constant) {
      place.name ^= DigestOfTable(
          place.begin, section->content.substr(place.begin - section->address,
                                               std::min(place.end - place.begin, kLargestTable)));
    }
    objects_.push_back(place);
  }
  return absl::OkStatus();
}

// A word that is a function's address refers to that function, wherever the word is.
uint64_t References::DigestOfTable(uint64_t address, absl::string_view bytes) const {
  constexpr size_t kWord = 8;
  CodeDigest digest;
  for (; bytes.size() >= kWord && address % kWord == 0;
       bytes.remove_prefix(kWord), address += kWord) {
    uint64_t word = 0;
    for (size_t i = kWord; i-- > 0;) word = word << 8 | static_cast<uint8_t>(bytes[i]);
    const auto slot = relocated_.find(address);
    const Place* const function = word == 0 ? nullptr : PlaceAt(functions_, word);
    if (slot != relocated_.end()) {
      digest.Add(slot->second);
    } else if (function != nullptr && function->begin == word) {
      digest.Add(function->name);
    } else if (is_fixed_ && SectionAt(word) != nullptr) {
      digest.Add(uint64_t{5});
    } else {
      digest.Add(word);
    }
  }
  digest.Add(bytes);
  return digest.state();
}

absl::Status References::ReadRelocations(const ElfFile& file) {
  for (const ElfSection& section : file.sections) {
    if (section.header.sh_type != SHT_RELA || (section.header.sh_flags & SHF_ALLOC) == 0) continue;
    if (section.header.sh_link >= file.sections.size()) continue;
    const ElfSection& table = file.sections[section.header.sh_link];
    std::vector<uint64_t> names;
    if (table.header.sh_type == SHT_DYNSYM) {
      absl::Status status =
          ForEachSymbol(file, table, [&](uint32_t index, const GElf_Sym&, absl::string_view name) {
            if (names.size() <= index) names.resize(index + 1, 0);
            names[index] = DigestOf(name.substr(0, name.find('@')));
          });
      if (!status.ok()) return status;
    }
    const absl::StatusOr<Elf_Data*> data = ReadSection(file, section);
    if (!data.ok()) return data.status();
    GElf_Rela entry;
    for (int i = 0; gelf_getrela(*data, i, &entry) != nullptr; ++i) {
      const uint64_t symbol = GELF_R_SYM(entry.r_info);
      if (symbol != 0 && symbol < names.size()) {
        relocated_[entry.r_offset] = names[symbol];
      } else if (symbol == 0) {
        // The addend is the address as linked. Addends that refer to other data move with that
        // data.
        const Place* const to = PlaceAt(functions_, static_cast<uint64_t>(entry.r_addend));
        relocated_[entry.r_offset] = to == nullptr ? 4 : to->name;
      }
    }
  }
  return absl::OkStatus();
}

const References::Bytes* References::SectionAt(uint64_t address) const {
  const auto after = std::upper_bound(
      sections_.begin(), sections_.end(), address,
      [](uint64_t wanted, const Bytes& section) { return wanted < section.address; });
  if (after == sections_.begin()) return nullptr;
  const Bytes& section = *(after - 1);
  return address - section.address < section.content.size() ? &section : nullptr;
}

absl::string_view References::CodeAt(uint64_t address, uint64_t size) const {
  const Bytes* const section = SectionAt(address);
  if (section == nullptr || !section->is_code) return {};
  return section->content.substr(address - section->address, size);
}

// "jmp *slot(%rip)", optionally after "endbr64" or "bnd".
uint64_t References::SlotOfStub(const Bytes& section, uint64_t address) const {
  constexpr absl::string_view kJump = "\xFF\x25";
  constexpr size_t kDistance = 4;
  const absl::string_view stub = section.content.substr(address - section.address, 16);
  const size_t jump = stub.find(kJump);
  if (jump == absl::string_view::npos || jump + kJump.size() + kDistance > stub.size()) return 0;
  uint32_t distance = 0;
  for (size_t i = kDistance; i-- > 0;) {
    distance = distance << 8 | static_cast<uint8_t>(stub[jump + kJump.size() + i]);
  }
  return address + jump + kJump.size() + kDistance +
         static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(distance)));
}

void References::Add(uint64_t address, bool is_loaded, CodeDigest& digest) const {
  if (const auto slot = relocated_.find(address); slot != relocated_.end()) {
    digest.Add(slot->second);
    return;
  }
  for (const std::vector<Place>* places : {&functions_, &objects_}) {
    if (const Place* const place = PlaceAt(*places, address); place != nullptr) {
      digest.Add(place->name);
      digest.Add(address - place->begin);
      return;
    }
  }
  const Bytes* const section = SectionAt(address);
  if (section == nullptr) {
    digest.Add(uint64_t{1});
  } else if (section->is_code) {
    const auto slot = relocated_.find(SlotOfStub(*section, address));
    digest.Add(slot == relocated_.end() ? 2 : slot->second);
  } else if (section->is_constant) {
    const absl::string_view content = section->content.substr(address - section->address);
    digest.Add(is_loaded ? content.substr(0, kLoaded) : TextAt(content));
  } else {
    digest.Add(uint64_t{3});
  }
}

}  // namespace gprofhub::profile
