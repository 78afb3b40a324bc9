// Debug information in a separate file, as distributions ship it (objcopy --only-keep-debug).
#pragma once

#include <memory>

#include "profile/elf/file.h"

namespace gprofhub::profile {

// Opens the separate debug file of `file`, which has no lines itself; null if none is found.
// Searches where GDB and GNU gprof do:
//   - by build-id, below .build-id next to the program, below .debug/.build-id and
//     /usr/lib/debug/.build-id;
//   - by .gnu_debuglink, next to the program, in .debug and below /usr/lib/debug.
// A file with a different build-id or checksum is rejected. A file in memory has none.
std::unique_ptr<ElfFile> FindDebugFile(const ElfFile& file);

}  // namespace gprofhub::profile
