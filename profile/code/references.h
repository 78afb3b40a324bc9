// Identifies what an address in an image refers to, independent of where the linker put it. Machine
// code refers to places by distance, and a distance changes when anything in between does.
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
  // `file` must outlive it. `functions`: the file's, ascending by address.
  static absl::StatusOr<References> Read(const ElfFile& file,
                                         const std::vector<FunctionSymbol>& functions);

  // Adds the identity of the place at `address`: a function or an object by name and offset, a
  // constant by its content, an entry of the linkage tables by the name of its target. For anything
  // else, only that a reference exists. `is_loaded`: the instruction reads the place, and does not
  // only take its address.
  void Add(uint64_t address, bool is_loaded, CodeDigest& digest) const;

  // The code of [address, address + size), up to the end of one executable section.
  absl::string_view CodeAt(uint64_t address, uint64_t size) const;

 private:
  struct Place {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t name = 0;  // digest of its name, or, for a constant, of its content
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
  // The bytes from the address to the end of its section; null: none.
  const Bytes* SectionAt(uint64_t address) const;
  // The address that a stub of the procedure linkage table reads; 0: not a stub.
  uint64_t SlotOfStub(const Bytes& section, uint64_t address) const;

  bool is_fixed_ = false;         // linked to run at one address, without relocations
  std::vector<Bytes> sections_;   // ascending by address
  std::vector<Place> functions_;  // ascending by address
  std::vector<Place> objects_;    // ascending by address
  absl::flat_hash_map<uint64_t, uint64_t> relocated_;  // address of a slot: digest of the name
};

}  // namespace gprofhub::profile
