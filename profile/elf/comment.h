// What the section .comment says of a file's compilers.
#pragma once

#include <string>

#include "profile/elf/file.h"

namespace gprofhub::profile {

// The one toolchain (profile/names/toolchain_name.h) that the file's code is from, by .comment;
// empty: it does not say, or names several. gcc's beside another is that of the start files.
std::string CommentToolchain(const ElfFile& file);

}  // namespace gprofhub::profile
