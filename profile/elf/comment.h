// Compilers of a file, by the section .comment.
#pragma once

#include <string>

#include "profile/elf/file.h"

namespace gprofhub::profile {

// The one toolchain (profile/names/toolchain_name.h) of the file's code, by .comment; empty: not
// recorded, or several. gcc in addition to another compiler is ignored: it is that of the start
// files.
std::string CommentToolchain(const ElfFile& file);

}  // namespace gprofhub::profile
