// Debug information that was moved out of a program into a file of its own, as
// distributions ship it (objcopy --only-keep-debug).
#pragma once

#include <memory>

#include "profile/elf/file.h"

namespace gprofhub::profile {

// The file that `file`, which has no lines itself, names as that of its debug
// information, opened; null if none is found. Looked for where GDB and GNU gprof
// look:
//   - by build-id, below .build-id beside the program, below .debug/.build-id and
//     /usr/lib/debug/.build-id;
//   - by .gnu_debuglink, beside the program, in .debug and below /usr/lib/debug.
// A file of another build, by its build-id or checksum, is not taken. A file in
// memory has none.
std::unique_ptr<ElfFile> FindDebugFile(const ElfFile& file);

}  // namespace gprofhub::profile
