// Digests of functions' code, to find functions whose code is the same in another build.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "profile/symbols.h"

namespace gprofhub::profile {

// Sets FunctionSymbol::code of the functions of `symbols`, which must have been read from the file
// with lines. It stays 0 (unknown) for architectures other than x86_64, and for functions without a
// size. Errors as ReadElfSymbols (profile/image/read_image.h).
absl::Status AddCodeDigests(const std::string& path, SymbolTable& symbols);

}  // namespace gprofhub::profile
