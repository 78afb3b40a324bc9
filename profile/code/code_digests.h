// Digests of functions' code, to find functions whose code is the same in another build.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "profile/raw_profile.h"

namespace gprofhub::profile {

// Sets FunctionSymbol::code and asks of the functions of `symbols`, which must have been read from
// the file with lines. They stay 0 (unknown) for architectures other than x86_64, and for functions
// without a size. Errors as ReadElfSymbols (profile/elf/read_image.h).
absl::Status AddCodeDigests(const std::string& path, SymbolTable& symbols);

// The lower 16 bits of FunctionSymbol::code depend on the names of the file's own functions and
// data that the code refers to, the upper ones on all else. Neither is 0 if the code is known.

// A digest that is the same in every process and version: compared values may come from another
// version of gprofhub.

// Not secure against deliberate collisions, which only affect the user who creates them.
class CodeDigest {
 public:
  void Add(uint64_t value) {
    state_ = (state_ ^ value) * 0x9E3779B97F4A7C15;
    state_ ^= state_ >> 32;
  }
  void Add(absl::string_view bytes) {
    Add(bytes.size());
    uint64_t word = 0;
    int filled = 0;
    for (const char byte : bytes) {
      word = word << 8 | static_cast<uint8_t>(byte);
      if (++filled < 8) continue;
      Add(word);
      word = 0;
      filled = 0;
    }
    if (filled > 0) Add(word);
  }
  // Never 0, which means "unknown".
  uint32_t Take() const {
    const uint32_t digest = static_cast<uint32_t>(state_ ^ state_ >> 32);
    return digest == 0 ? 1 : digest;
  }
  uint64_t state() const { return state_; }

 private:
  uint64_t state_ = 0x243F6A8885A308D3;
};

}  // namespace gprofhub::profile
