// Files that claim more than they hold, made from sound ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace gprofhub::tests {

// The bytes of a seed below tests/fuzz/corpus.
std::string Seed(const std::string& name);

// Bytes that no parser makes sense of, always the same.
std::string Noise(size_t size);

// Of a little-endian ELF file of 64 bits: the section `name` replaced by `content`
// at the end of the file, with the flags given (0, or SHF_COMPRESSED).
std::string ElfWithSection(const std::string& elf, const std::string& name,
                           const std::string& content, uint64_t flags = 0);

std::string ElfWithSectionRenamed(const std::string& elf, const std::string& from,
                                  const std::string& to);

// Of such a file: without symbol tables, but with `count` section headers.
std::string ElfWithSectionCount(const std::string& elf, uint64_t count);

// The same file with `count` functions at the beginning of its code. The name of each begins one
// byte further on in `names`. Where `names` has no more bytes, it begins at the last but one.
std::string ElfWithSymbols(const std::string& elf, size_t count, const std::string& names);

// The content of a compressed section: a header that claims `claim` bytes, and
// `content` compressed. `old` is the form of .zdebug sections.
std::string CompressedSection(uint64_t claim, const std::string& content);
std::string OldCompressedSection(uint64_t claim, const std::string& content);

// Content of .debug_abbrev: `count` abbreviations of nothing.
std::string Abbreviations(uint64_t count);
// Content of .debug_info: `count` units of 64 bits that name the first table of
// .debug_abbrev and the abbreviation `code`, each with `padding` bytes behind.
std::string DwarfUnits(size_t count, uint64_t code, size_t padding);
// Of such an ELF file: with one unit of debugging information that has these entries.
std::string ElfWithEntries(const std::string& elf, const std::string& entries);
// Beginnings of entries of functions. The first has others below it, up to a byte of 0. The second
// has none. The third has others below it, and names the place of its sibling in the unit.
inline constexpr char kBegin[] = "\2", kLeaf[] = "\3";
inline constexpr size_t kFirstEntry = 12;  // byte of the unit
std::string BeginWithSibling(size_t sibling);

// Of such an ELF file, which has a section .comment: with functions that all name the
// same list of ranges, each a byte of its code.
std::string ElfWithSharedRanges(const std::string& elf, size_t functions, size_t ranges);
// The same, with functions whose names begin one byte after the other in `names`.
std::string ElfWithNamedRanges(const std::string& elf, size_t functions, const std::string& names);

// Content of .debug_line: `count` tables without files, with such a program.
std::string LineTables(size_t count, const std::string& program = "");

// GNU profiles of 64 bits, little-endian, in pieces.
std::string GmonHeader();
std::string GmonHistogram(uint64_t low, uint64_t high, uint32_t bins_claimed, size_t bins);
std::string GmonArcs(size_t count);

// A recording whose samples are in that many pages of code. Above the limit, it counts as damaged.
std::string RecordingWithPages(size_t pages);
// A recording with that many calls and frames. The last frame leads back to itself.
std::string RecordingWithLoop(size_t slots);

}  // namespace gprofhub::tests
