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
// - padding is excluded;
// - data is included with its initial content, and with what pointers in it point to.
//
// Two builds of one source then have the same digests, and functions with different digests do
// something different, or do the same in a different way. (Counts show which.) Code inlined into a
// function is part of it.
//
// A renamed function changes nothing in its callers but the name they refer to. So a digest has two
// halves: the names of the file's own functions and data, without the numbers of lambdas, which
// change when another is inserted; and the shape, which is all else. Names of other files, such as
// libraries, are part of the shape: nothing can show that these were renamed.
#include "profile/code/code_digests.h"

#include <Zydis/Zydis.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "profile/elf/file.h"
#include "profile/raw_profile.h"

namespace gprofhub::profile {

namespace {

// Identifies what an address in an image refers to, independent of where the linker put it. Machine
// code refers to places by distance, and a distance changes when anything in between does.

struct CodeParts {
  CodeDigest shape, names;
  uint8_t asks = 0;  // as FunctionSymbol::asks

  // Both halves; neither is 0.
  uint32_t Take() const { return HalfOf(shape) << 16 | HalfOf(names); }

 private:
  static uint32_t HalfOf(const CodeDigest& part) {
    const uint32_t digest = part.Take();
    const uint32_t half = (digest ^ digest >> 16) & 0xFFFF;
    return half == 0 ? 1 : half;
  }
};

class References {
 public:
  // `file` must outlive it. `functions`: the file's, ascending by address.
  static absl::StatusOr<References> Read(const ElfFile& file,
                                         const std::vector<FunctionSymbol>& functions);

  // Adds the identity of the place at `address`: a function by name and offset, an object by these
  // and its initial content, a constant without a name by its content, an entry of the linkage
  // tables by the name of its target. For anything else, only that a reference exists. `is_loaded`:
  // the instruction reads the place, and does not only take its address.
  void Add(uint64_t address, bool is_loaded, CodeParts& digest) const;

  // The code of [address, address + size), up to the end of one executable section.
  absl::string_view CodeAt(uint64_t address, uint64_t size) const;

 private:
  struct Place {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t name = 0;     // digest of its name, and of those in its initial content
    uint64_t content = 0;  // digest of its other initial content
    uint8_t asks = 0;      // of a function: what its callers ask for
  };
  // A word that the loader sets: to a function by name, or to the address of data.
  struct Slot {
    uint64_t digest = 0;
    bool is_own = false;  // the name is defined in this file
    uint64_t data = 0;    // the address, unless a function's; 0: unknown
    uint8_t asks = 0;     // of a function: what its callers ask for
  };
  struct Bytes {
    uint64_t address = 0;
    absl::string_view content;
    bool is_code = false;
    bool is_constant = false;
    bool is_initial = false;  // the program may write it
  };

  void ReadFunctions(const std::vector<FunctionSymbol>& functions);
  absl::Status ReadSections(const ElfFile& file);
  absl::Status ReadRelocations(const ElfFile& file);
  absl::Status ReadObjects(const ElfFile& file);
  void AddSlot(const Slot& slot, CodeParts& parts) const;
  // Adds what a pointer to data points to: an object, or a text.
  void AddPointee(uint64_t address, CodeParts& parts) const;
  // Digest of the object's name and of its initial content, with what the objects that it points to
  // have so far. `points` is set if there are such pointers.
  Place WithContent(Place place, bool& points) const;
  // The bytes from the address to the end of its section; null: none.
  const Bytes* SectionAt(uint64_t address) const;
  // The address that a stub of the procedure linkage table reads; 0: not a stub.
  uint64_t SlotOfStub(const Bytes& section, uint64_t address) const;

  bool is_fixed_ = false;         // linked to run at one address, without relocations
  std::vector<Bytes> sections_;   // ascending by address
  std::vector<Place> functions_;  // ascending by address
  std::vector<Place> objects_;    // ascending by address
  absl::flat_hash_map<uint64_t, Slot> relocated_;  // by address
};

// Number of bytes of a constant that are compared: the size of a vector register; the beginning of
// a text.
constexpr size_t kLoaded = 8;
constexpr size_t kLongestText = 256;
// Number of bytes of a named table that are compared.
constexpr uint64_t kLargestTable = 1 << 16;
// Pointers that are followed from one object to the next.
constexpr int kMostPointers = 3;

// Functions of libc and of the C++ libraries, in ascending order, with what their callers ask for.
struct Asking {
  absl::string_view name;
  uint8_t asks;
};
constexpr Asking kAsking[] = {
    {"_ZNSt13random_device9_M_getvalEv", kAsksRandom},
    {"_ZNSt3__113random_deviceclEv", kAsksRandom},
    {"_ZNSt3__16chrono12steady_clock3nowEv", kAsksClock},
    {"_ZNSt3__16chrono12system_clock3nowEv", kAsksClock},
    {"_ZNSt3__16thread20hardware_concurrencyEv", kAsksProcessors},
    {"_ZNSt6chrono3_V212steady_clock3nowEv", kAsksClock},
    {"_ZNSt6chrono3_V212system_clock3nowEv", kAsksClock},
    {"_ZNSt6thread20hardware_concurrencyEv", kAsksProcessors},
    {"arc4random", kAsksRandom},
    {"arc4random_buf", kAsksRandom},
    {"arc4random_uniform", kAsksRandom},
    {"clock", kAsksClock},
    {"clock_gettime", kAsksClock},
    {"get_nprocs", kAsksProcessors},
    {"get_nprocs_conf", kAsksProcessors},
    {"getentropy", kAsksRandom},
    {"getpid", kAsksProcess},
    {"getrandom", kAsksRandom},
    {"getrusage", kAsksClock},
    {"gettid", kAsksProcess},
    {"gettimeofday", kAsksClock},
    {"omp_get_max_threads", kAsksProcessors},
    {"omp_get_num_procs", kAsksProcessors},
    {"pthread_getaffinity_np", kAsksProcessors},
    {"sched_getaffinity", kAsksProcessors},
    {"sched_getcpu", kAsksProcessors},
    {"time", kAsksClock},
    {"times", kAsksClock},
    {"timespec_get", kAsksClock},
};

uint8_t AskedOf(absl::string_view function) {
  const Asking* const found =
      std::lower_bound(std::begin(kAsking), std::end(kAsking), function,
                       [](const Asking& one, absl::string_view name) { return one.name < name; });
  return found != std::end(kAsking) && found->name == function ? found->asks : uint8_t{0};
}

uint8_t AskedBy(ZydisMnemonic instruction) {
  switch (instruction) {
    case ZYDIS_MNEMONIC_RDTSC:
    case ZYDIS_MNEMONIC_RDTSCP:
      return kAsksClock;
    case ZYDIS_MNEMONIC_RDRAND:
    case ZYDIS_MNEMONIC_RDSEED:
      return kAsksRandom;
    default:
      return 0;
  }
}

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

// Digest of the name without the numbers that compilers give to lambdas and unnamed types in their
// order: "UlvE0_", "Ut1_", "$_2".
uint64_t DigestOfName(absl::string_view name) {
  name = WithoutNumber(name);
  if (!absl::StrContains(name, "Ul") && !absl::StrContains(name, "Ut") &&
      !absl::StrContains(name, "$_")) {
    return DigestOf(name);
  }
  std::string kept;
  kept.reserve(name.size());
  for (size_t i = 0; i < name.size();) {
    const size_t begin = i;
    while (i < name.size() && absl::ascii_isdigit(name[i])) ++i;
    if (i == begin) {
      kept += name[i++];
      continue;
    }
    const bool is_number =
        absl::EndsWith(kept, "$_") || (i < name.size() && name[i] == '_' &&
                                       (absl::EndsWith(kept, "E") || absl::EndsWith(kept, "Ut")));
    if (!is_number) absl::StrAppend(&kept, name.substr(begin, i - begin));
  }
  return DigestOf(kept);
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

absl::StatusOr<References> References::Read(const ElfFile& file,
                                            const std::vector<FunctionSymbol>& functions) {
  References references;
  references.is_fixed_ = file.header.e_type == ET_EXEC;
  references.ReadFunctions(functions);
  RETURN_IF_ERROR(references.ReadSections(file));
  RETURN_IF_ERROR(references.ReadRelocations(file));
  RETURN_IF_ERROR(references.ReadObjects(file));
  return references;
}

// Of several names at one address the first in alphabetical order is used: the order of the symbol
// table may change.
void References::ReadFunctions(const std::vector<FunctionSymbol>& functions) {
  for (size_t i = 0; i < functions.size();) {
    size_t first = i, end = i;
    uint64_t size = 0;
    uint8_t asks = 0;
    for (; end < functions.size() && functions[end].address == functions[i].address; ++end) {
      size = std::max(size, functions[end].size);
      asks |= AskedOf(functions[end].name);
      if (functions[end].name < functions[first].name) first = end;
    }
    const uint64_t begin = functions[i].address;
    functions_.push_back({begin, begin + std::min(size, UINT64_MAX - begin),
                          DigestOfName(functions[first].name), 0, asks});
    i = end;
  }
}

absl::Status References::ReadSections(const ElfFile& file) {
  for (const ElfSection& section : file.sections) {
    if ((section.header.sh_flags & SHF_ALLOC) == 0 || section.header.sh_type != SHT_PROGBITS ||
        section.header.sh_size == 0) {
      continue;
    }
    ASSIGN_OR_RETURN(Elf_Data * data, ReadSection(file, section));
    Bytes bytes;
    bytes.address = section.header.sh_addr;
    bytes.content = absl::string_view(static_cast<const char*>(data->d_buf), data->d_size);
    bytes.is_code = (section.header.sh_flags & SHF_EXECINSTR) != 0;
    // Data that only the loader writes, once, counts as constant, too: tables of virtual functions.
    bytes.is_constant = !bytes.is_code && ((section.header.sh_flags & SHF_WRITE) == 0 ||
                                           absl::StartsWith(section.name, ".data.rel.ro"));
    bytes.is_initial = !bytes.is_code && absl::StartsWith(section.name, ".data");
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
  RETURN_IF_ERROR(
      ForEachSymbol(file, *table, [&](uint32_t, const GElf_Sym& symbol, absl::string_view name) {
        if (GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_shndx == SHN_UNDEF) return;
        if (name.empty() || symbol.st_size > UINT64_MAX - symbol.st_value) return;
        found.push_back({{symbol.st_value, symbol.st_value + symbol.st_size, 0, 0}, name});
      }));
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return a.first.begin != b.first.begin ? a.first.begin < b.first.begin : a.second < b.second;
  });
  for (auto& [place, name] : found) {
    if (!objects_.empty() && place.begin < objects_.back().end) continue;  // within another
    place.name = DigestOfName(name.substr(0, name.find('@')));
    objects_.push_back(place);
  }
  const std::vector<Place> named = objects_;
  std::vector<Place> next = named;
  std::vector<size_t> pointing;
  for (size_t i = 0; i < named.size(); ++i) {
    bool points = false;
    next[i] = WithContent(named[i], points);
    if (points) pointing.push_back(i);
  }
  // Each round follows one more pointer.
  for (int round = 0; round < kMostPointers; ++round) {
    objects_ = next;
    bool points = false;
    for (const size_t i : pointing) next[i] = WithContent(named[i], points);
  }
  objects_ = std::move(next);
  return absl::OkStatus();
}

void References::AddSlot(const Slot& slot, CodeParts& parts) const {
  (slot.is_own ? parts.names : parts.shape).Add(slot.digest);
  parts.asks |= slot.asks;
  if (slot.data != 0) AddPointee(slot.data, parts);
}

void References::AddPointee(uint64_t address, CodeParts& parts) const {
  const Bytes* const section = SectionAt(address);
  if (const Place* const object = PlaceAt(objects_, address); object != nullptr) {
    parts.names.Add(object->name);
    parts.shape.Add(object->content);
    parts.shape.Add(address - object->begin);
  } else if (section != nullptr && section->is_constant) {
    parts.shape.Add(TextAt(section->content.substr(address - section->address)));
  }
}

// A word that is a function's address refers to that function, wherever the word is.
References::Place References::WithContent(Place place, bool& points) const {
  constexpr size_t kWord = 8;
  const Bytes* const section = SectionAt(place.begin);
  if (section == nullptr || !(section->is_constant || section->is_initial)) return place;
  uint64_t address = place.begin;
  absl::string_view bytes = section->content.substr(
      address - section->address, std::min(place.end - place.begin, kLargestTable));
  CodeParts parts;
  parts.names.Add(place.name);
  for (; bytes.size() >= kWord && address % kWord == 0;
       bytes.remove_prefix(kWord), address += kWord) {
    uint64_t word = 0;
    for (size_t i = kWord; i-- > 0;) word = word << 8 | static_cast<uint8_t>(bytes[i]);
    const auto slot = relocated_.find(address);
    const Place* const function = word == 0 ? nullptr : PlaceAt(functions_, word);
    if (slot != relocated_.end()) {
      AddSlot(slot->second, parts);
      points |= slot->second.data != 0;
    } else if (function != nullptr && function->begin == word) {
      parts.names.Add(function->name);
    } else if (is_fixed_ && SectionAt(word) != nullptr) {
      AddPointee(word, parts);
      points = true;
    } else {
      parts.shape.Add(word);
    }
  }
  parts.shape.Add(bytes);
  place.content = parts.shape.state();
  place.name = parts.names.state();
  return place;
}

absl::Status References::ReadRelocations(const ElfFile& file) {
  for (const ElfSection& section : file.sections) {
    if (section.header.sh_type != SHT_RELA || (section.header.sh_flags & SHF_ALLOC) == 0) continue;
    if (section.header.sh_link >= file.sections.size()) continue;
    const ElfSection& table = file.sections[section.header.sh_link];
    std::vector<Slot> names;
    if (table.header.sh_type == SHT_DYNSYM) {
      RETURN_IF_ERROR(ForEachSymbol(
          file, table, [&](uint32_t index, const GElf_Sym& symbol, absl::string_view name) {
            if (names.size() <= index) names.resize(index + 1);
            const bool is_own = symbol.st_shndx != SHN_UNDEF;
            const bool is_data = is_own && GELF_ST_TYPE(symbol.st_info) == STT_OBJECT;
            name = name.substr(0, name.find('@'));
            names[index] = {DigestOfName(name), is_own, is_data ? symbol.st_value : 0,
                            AskedOf(name)};
          }));
    }
    ASSIGN_OR_RETURN(Elf_Data * data, ReadSection(file, section));
    GElf_Rela entry;
    for (int i = 0; gelf_getrela(data, i, &entry) != nullptr; ++i) {
      const uint64_t symbol = GELF_R_SYM(entry.r_info);
      if (symbol != 0 && symbol < names.size()) {
        relocated_[entry.r_offset] = names[symbol];
      } else if (symbol == 0) {
        // The addend is the address as linked.
        const auto address = static_cast<uint64_t>(entry.r_addend);
        const Place* const to = PlaceAt(functions_, address);
        relocated_[entry.r_offset] =
            to == nullptr ? Slot{4, false, address, 0} : Slot{to->name, true, 0, to->asks};
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

void References::Add(uint64_t address, bool is_loaded, CodeParts& digest) const {
  // An object may begin with a pointer.
  const auto slot = relocated_.find(address);
  if (slot != relocated_.end() && (is_loaded || PlaceAt(objects_, address) == nullptr)) {
    AddSlot(slot->second, digest);
    return;
  }
  for (const std::vector<Place>* places : {&functions_, &objects_}) {
    if (const Place* const place = PlaceAt(*places, address); place != nullptr) {
      digest.names.Add(place->name);
      digest.shape.Add(place->content);
      digest.shape.Add(address - place->begin);
      digest.asks |= place->asks;
      return;
    }
  }
  const Bytes* const section = SectionAt(address);
  if (section == nullptr) {
    digest.shape.Add(uint64_t{1});
  } else if (section->is_code) {
    const auto stub = relocated_.find(SlotOfStub(*section, address));
    AddSlot(stub == relocated_.end() ? Slot{2, false, 0, 0} : stub->second, digest);
  } else if (section->is_constant) {
    const absl::string_view content = section->content.substr(address - section->address);
    digest.shape.Add(is_loaded ? content.substr(0, kLoaded) : TextAt(content));
  } else {
    digest.shape.Add(uint64_t{3});
  }
}

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

  struct Digest {
    uint32_t code = 0;  // 0: it has none
    uint8_t asks = 0;
  };

  Digest Of(uint64_t begin, uint64_t size) {
    const absl::string_view code = references_.CodeAt(begin, size);
    if (code.empty()) return {};
    starts_.clear();
    jumps_.clear();
    CodeParts digest;
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
    for (const auto& [from, to] : jumps_) digest.shape.Add(OrdinalOf(to) - from);
    // Undecodable bytes are included unchanged.
    digest.shape.Add(code.substr(at));
    return {digest.Take(), digest.asks};
  }

 private:
  // The first instruction from there on that is not padding.
  uint64_t OrdinalOf(uint64_t offset) const {
    return static_cast<uint64_t>(std::lower_bound(starts_.begin(), starts_.end(), offset) -
                                 starts_.begin());
  }

  // Rows of the functions before and behind say nothing about the one of [begin, end).
  bool IsLineNumber(uint64_t begin, uint64_t end_of_code, uint64_t address, uint64_t value) const {
    if (value == 0 || value > UINT32_MAX) return false;
    const auto after =
        std::upper_bound(lines_.begin(), lines_.end(), address,
                         [](uint64_t wanted, const LineRow& row) { return wanted < row.address; });
    const ptrdiff_t at = after - lines_.begin();
    const ptrdiff_t end = std::min<ptrdiff_t>(at + kNearRows, std::ssize(lines_));
    for (ptrdiff_t row = std::max<ptrdiff_t>(0, at - 1 - kNearRows); row < end; ++row) {
      const LineRow& near = lines_[static_cast<size_t>(row)];
      if (near.address >= begin && near.address < end_of_code && near.line == value) return true;
    }
    return false;
  }

  // The address of code + at.
  void AddInstruction(absl::string_view code, uint64_t begin, uint64_t at,
                      const ZydisDecodedInstruction& decoded, CodeParts& digest) {
    digest.asks |= AskedBy(decoded.mnemonic);
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
        digest.shape.Add(static_cast<uint64_t>(decoded.mnemonic));
        if (to < code.size()) {
          jumps_.emplace_back(starts_.size() - 1, to);
        } else {
          references_.Add(begin + to, /*is_loaded=*/false, digest);
        }
        return;
      }
      if (IsLineNumber(begin, begin + code.size(), begin + at, immediate.value.u))
        leave_out(immediate.offset, immediate.size);
    }
    const bool names_place = (decoded.attributes & ZYDIS_ATTRIB_HAS_MODRM) != 0 &&
                             decoded.raw.modrm.mod == 0 && (decoded.raw.modrm.rm & 7) == 5 &&
                             decoded.raw.disp.size == 32;
    if (names_place) {
      leave_out(decoded.raw.disp.offset, decoded.raw.disp.size);
      references_.Add(begin + next + static_cast<uint64_t>(decoded.raw.disp.value),
                      decoded.mnemonic != ZYDIS_MNEMONIC_LEA, digest);
    }
    digest.shape.Add(absl::string_view(bytes, decoded.length));
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
  ASSIGN_OR_RETURN(std::unique_ptr<ElfFile> file, OpenElfFile(path));
  ASSIGN_OR_RETURN(const References references, References::Read(*file, symbols.functions));
  FunctionDigests digests(references, symbols);
  // Aliases, and functions within others, are decoded once for each address and size.
  uint64_t left = (symbols.text_high - symbols.text_low) * kMostPasses;
  uint64_t address = 0, size = 0;
  FunctionDigests::Digest last;
  for (FunctionSymbol& function : symbols.functions) {
    if (function.size == 0 || !function.is_function) continue;
    if (last.code == 0 || function.address != address || function.size != size) {
      address = function.address;
      size = function.size;
      if (size > left) break;
      left -= size;
      last = digests.Of(address, size);
    }
    function.code = last.code;
    function.asks = last.asks;
  }
  return absl::OkStatus();
}

}  // namespace gprofhub::profile
