// What an address in an image stands for, said so that it does not depend on where the linker put
// it. Machine code names places by distance, and a distance changes as soon as anything between
// does.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "profile/code/digest.h"
#include "profile/elf/file.h"
#include "profile/symbols.h"

namespace gprofhub::profile {

class References {
 public:
  // Of `file`, which outlives it. `functions`: the file's, ascending by address.
  static absl::StatusOr<References> Read(const ElfFile& file,
                                         const std::vector<FunctionSymbol>& functions);

  // Adds what stands at `address`: a function or an object by name and offset, a constant by its
  // content, an entry of the linkage tables by the name of what it leads to. Of anything else, only
  // that it is there. `is_loaded`: the instruction reads it, and does not only take its address.
  void Add(uint64_t address, bool is_loaded, CodeDigest& digest) const;

  // The code of [address, address + size), as far as one executable section holds it.
  absl::string_view CodeAt(uint64_t address, uint64_t size) const;

 private:
  struct Place {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t name = 0;  // digest of its name, or, of a constant, of its content
  };
  struct Bytes {
    uint64_t address = 0;
    absl::string_view content;
    bool is_code = false;
    bool is_constant = false;
  };

  void ReadFunctions(const std::vector<FunctionSymbol>& functions);
  absl::Status ReadSections(const ElfFile& file);
  absl::Status ReadRelocations(const ElfFile& file);
  absl::Status ReadObjects(const ElfFile& file);
  uint64_t DigestOfTable(uint64_t address, absl::string_view bytes) const;
  // What is at the address and behind it in its section; null: nothing.
  const Bytes* SectionAt(uint64_t address) const;
  // The address that a stub of the procedure linkage table reads; 0: it is none.
  uint64_t SlotOfStub(const Bytes& section, uint64_t address) const;

  bool is_fixed_ = false;         // linked to run at one address, without relocations
  std::vector<Bytes> sections_;   // ascending by address
  std::vector<Place> functions_;  // likewise
  std::vector<Place> objects_;    // likewise
  absl::flat_hash_map<uint64_t, uint64_t> relocated_;  // address of a slot: digest of the name
};

}  // namespace gprofhub::profile
