#include "tests/fuzz/hostile_files.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>
#include <vector>

#include "profile/format/gmon.h"
#include "profile/testing/sample_profile.h"

namespace gprofhub::tests {
namespace {

template <typename T>
std::string BytesOf(const T& value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename T>
T At(const std::string& bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::vector<Elf64_Shdr> SectionsOf(const std::string& elf) {
  const auto header = At<Elf64_Ehdr>(elf, 0);
  std::vector<Elf64_Shdr> sections;
  for (size_t i = 0; i < header.e_shnum; ++i) {
    sections.push_back(At<Elf64_Shdr>(elf, header.e_shoff + i * sizeof(Elf64_Shdr)));
  }
  return sections;
}

constexpr char kSectionNames[] = ".shstrtab";

size_t IndexOf(const std::string& elf, const std::string& name) {
  const std::vector<Elf64_Shdr> sections = SectionsOf(elf);
  const size_t names = sections[At<Elf64_Ehdr>(elf, 0).e_shstrndx].sh_offset;
  for (size_t i = 0; i < sections.size(); ++i) {
    if (elf.c_str() + names + sections[i].sh_name == name) return i;
  }
  ADD_FAILURE() << "no section " << name;
  return 0;
}

Elf64_Shdr SectionNamed(const std::string& elf, const std::string& name) {
  return SectionsOf(elf)[IndexOf(elf, name)];
}

std::string WithHeader(std::string elf, const std::string& name, const Elf64_Shdr& section) {
  const size_t at = At<Elf64_Ehdr>(elf, 0).e_shoff + IndexOf(elf, name) * sizeof section;
  return elf.replace(at, sizeof section, BytesOf(section));
}

std::string Compressed(const std::string& content) {
  uLongf size = compressBound(content.size());
  std::string bytes(size, '\0');
  EXPECT_EQ(compress2(reinterpret_cast<Bytef*>(bytes.data()), &size,
                      reinterpret_cast<const Bytef*>(content.data()), content.size(), 9),
            Z_OK);
  bytes.resize(size);
  return bytes;
}

std::string VariableLength(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

constexpr uint64_t kTextLow = 0x10000;
constexpr uint64_t kPage = 4096;

profile::RecordingBuilder OneModule() {
  profile::RecordingBuilder builder;
  builder.Add<gprofhub_module>(GPROFHUB_MODULES,
                               {profile::ModuleRecord("/bin/p", kTextLow, uint64_t{1} << 40, 0)});
  return builder;
}

}  // namespace

std::string Seed(const std::string& name) {
  std::ifstream file("tests/fuzz/corpus/" + name, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  EXPECT_FALSE(bytes.str().empty()) << name;
  return bytes.str();
}

std::string Noise(size_t size) {
  std::mt19937_64 generator(20);
  std::string bytes;
  while (bytes.size() < size) bytes += BytesOf(generator());
  bytes.resize(size);
  return bytes;
}

std::string ElfWithSection(const std::string& elf, const std::string& name,
                           const std::string& content, uint64_t flags) {
  Elf64_Shdr section = SectionNamed(elf, name);
  section.sh_offset = elf.size();
  section.sh_size = content.size();
  section.sh_flags = flags;
  return WithHeader(elf, name, section) + content;
}

std::string ElfWithSectionRenamed(const std::string& elf, const std::string& from,
                                  const std::string& to) {
  Elf64_Shdr names = SectionNamed(elf, kSectionNames);
  const std::string content = elf.substr(names.sh_offset, names.sh_size) + to + '\0';
  Elf64_Shdr section = SectionNamed(elf, from);
  section.sh_name = static_cast<Elf64_Word>(names.sh_size);
  return ElfWithSection(WithHeader(elf, from, section), kSectionNames, content);
}

std::string ElfWithSectionCount(const std::string& elf, uint64_t count) {
  auto header = At<Elf64_Ehdr>(elf, 0);
  std::vector<Elf64_Shdr> sections = SectionsOf(elf);
  for (Elf64_Shdr& section : sections) {
    if (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM) {
      section.sh_type = SHT_PROGBITS;
    }
  }
  std::string changed = elf;
  changed.resize((changed.size() + 7) / 8 * 8);
  header.e_shoff = changed.size();
  header.e_shnum = count < SHN_LORESERVE ? static_cast<Elf64_Half>(count) : 0;
  sections[0].sh_size = count < SHN_LORESERVE ? 0 : count;
  Elf64_Shdr more = {};
  more.sh_type = SHT_PROGBITS;
  sections.resize(count, more);
  changed.replace(0, sizeof header, BytesOf(header));
  changed.append(reinterpret_cast<const char*>(sections.data()), count * sizeof more);
  return changed;
}

std::string ElfWithSymbols(const std::string& elf, size_t count, const std::string& names) {
  Elf64_Sym symbol = {};
  symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  symbol.st_shndx = static_cast<Elf64_Half>(IndexOf(elf, ".text"));
  symbol.st_value = SectionNamed(elf, ".text").sh_addr;
  std::string table;
  for (size_t i = 0; i < count; ++i) {
    symbol.st_name = static_cast<Elf64_Word>(std::min(i, names.size() - 2));
    table += BytesOf(symbol);
  }
  return ElfWithSection(ElfWithSection(elf, ".strtab", names), ".symtab", table);
}

std::string CompressedSection(uint64_t claim, const std::string& content) {
  Elf64_Chdr header = {};
  header.ch_type = ELFCOMPRESS_ZLIB;
  header.ch_size = claim;
  header.ch_addralign = 1;
  return BytesOf(header) + Compressed(content);
}

std::string OldCompressedSection(uint64_t claim, const std::string& content) {
  return "ZLIB" + BytesOf(__builtin_bswap64(claim)) + Compressed(content);
}

std::string Abbreviations(uint64_t count) {
  std::string table;
  for (uint64_t code = 1; code <= count; ++code) {
    table += VariableLength(code) + "\x11" + std::string(3, '\0');  // a unit, no children
  }
  return table + '\0';
}

std::string DwarfUnits(size_t count, uint64_t code, size_t padding) {
  const std::string unit = BytesOf(uint16_t{4}) + BytesOf(uint32_t{0}) + "\x08" +
                           VariableLength(code) + std::string(padding, '\0');
  std::string units;
  for (size_t i = 0; i < count; ++i) {
    units += BytesOf(static_cast<uint32_t>(unit.size())) + unit;
  }
  return units;
}

// With a list of as many ranges, each a byte of its code.
std::string ElfWithRanges(const std::string& elf, size_t ranges) {
  const uint64_t text = SectionNamed(elf, ".text").sh_addr;
  std::string list;
  for (size_t i = 0; i < ranges; ++i) list += BytesOf(text + i % 8) + BytesOf(text + i % 8 + 1);
  list += std::string(16, '\0');
  return ElfWithSection(ElfWithSectionRenamed(elf, ".comment", ".debug_ranges"), ".debug_ranges",
                        list);
}

std::string ElfWithSharedRanges(const std::string& elf, size_t functions, size_t ranges) {
  std::string entries;
  for (size_t i = 0; i < functions; ++i) entries += "\5" + BytesOf(uint32_t{0});
  return ElfWithEntries(ElfWithRanges(elf, ranges), entries);
}

std::string ElfWithNamedRanges(const std::string& elf, size_t functions, const std::string& names) {
  std::string entries;
  for (uint32_t i = 0; i < functions; ++i) entries += "\6" + BytesOf(i) + BytesOf(uint32_t{0});
  return ElfWithEntries(ElfWithSection(ElfWithRanges(elf, 1), ".debug_str", names), entries);
}

std::string ElfWithEntries(const std::string& elf, const std::string& entries) {
  // Code, tag, whether others are below, attributes: a unit, and functions.
  const std::string abbreviations(
      "\1\x11\1\0\0"
      "\2\x2e\1\0\0"
      "\3\x2e\0\0\0"
      "\4\x2e\1\x01\x13\0\0"
      "\5\x2e\0\x55\x17\0\0"
      "\6\x2e\0\x6e\x0e\x55\x17\0\0\0",
      39);
  const std::string unit =
      BytesOf(uint16_t{4}) + BytesOf(uint32_t{0}) + "\x08" + "\1" + entries + '\0';
  return ElfWithSection(ElfWithSection(elf, ".debug_abbrev", abbreviations), ".debug_info",
                        BytesOf(static_cast<uint32_t>(unit.size())) + unit);
}

std::string BeginWithSibling(size_t sibling) {
  return "\4" + BytesOf(static_cast<uint32_t>(sibling));
}

std::string LineTables(size_t count, const std::string& program) {
  // One byte an instruction, one operation, statements, the rows' base and range,
  // no standard operations, no folders, no files.
  const std::string header("\1\1\1\xfb\x0e\1\0\0", 8);
  const std::string table = BytesOf(uint16_t{4}) +  // version
                            BytesOf(static_cast<uint32_t>(header.size())) + header + program;
  std::string tables;
  for (size_t i = 0; i < count; ++i) {
    tables += BytesOf(static_cast<uint32_t>(table.size())) + table;
  }
  return tables;
}

std::string GmonHeader() {
  return std::string(GMON_MAGIC, GMON_MAGIC_SIZE) + BytesOf(uint32_t{GMON_VERSION}) +
         std::string(12, '\0');
}

std::string GmonHistogram(uint64_t low, uint64_t high, uint32_t bins_claimed, size_t bins) {
  std::string dimension = "seconds";
  dimension.resize(15);
  return std::string(1, GMON_TAG_HISTOGRAM) + BytesOf(low) + BytesOf(high) + BytesOf(bins_claimed) +
         BytesOf(uint32_t{100}) + dimension + "s" + std::string(2 * bins, '\1');
}

std::string GmonArcs(size_t count) {
  std::string arcs;
  for (uint64_t i = 0; i < count; ++i) {
    arcs += std::string(1, GMON_TAG_ARC) + BytesOf(i) + BytesOf(i) + BytesOf(uint32_t{1});
  }
  return arcs;
}

std::string RecordingWithPages(size_t pages) {
  profile::RecordingBuilder builder = OneModule();
  std::vector<gprofhub_slot> samples;
  for (size_t i = 0; i < pages; ++i) samples.push_back({kTextLow + kPage * i, 0, 1, 0});
  builder.AddTable(GPROFHUB_SAMPLES, samples);
  return builder.Bytes();
}

std::string RecordingWithLoop(size_t slots) {
  profile::RecordingBuilder builder = OneModule();
  std::vector<gprofhub_slot> arcs;
  std::vector<gprofhub_slot> frames;
  for (uint64_t i = 0; i < slots; ++i) {
    arcs.push_back({kTextLow + i, kTextLow + 2 * i, 1, 0});
    frames.push_back({kTextLow + i, i + 1 == slots ? slots : 0, 1, 0});
  }
  builder.AddTable(GPROFHUB_ARCS, arcs);
  builder.AddTable(GPROFHUB_STACKS, frames);
  return builder.Bytes();
}

}  // namespace gprofhub::tests
