// Digests of functions' code: whether a function does what it did in another build.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "profile/symbols.h"

namespace gprofhub::profile {

// Sets FunctionSymbol::code of the functions of `symbols`, which was read of the file, and knows
// its lines. It stays 0, not known, for architectures other than x86_64, and for functions without
// a size. Errors as ReadElfSymbols (profile/image/read_image.h).
absl::Status AddCodeDigests(const std::string& path, SymbolTable& symbols);

}  // namespace gprofhub::profile
