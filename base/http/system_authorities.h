// Where this system keeps the certificates of the authorities that it trusts.
//
// Libraries know the place of the distribution that built them. In the archive for any Linux
// (packaging/portable) these are Debian's, on systems that may keep them elsewhere.
#pragma once

#include <string>

namespace gprofhub::base {

// A file of PEM certificates that this process may read; empty if there is none where Debian,
// Fedora, SUSE and Alpine keep theirs.
std::string SystemAuthorities();

}  // namespace gprofhub::base
