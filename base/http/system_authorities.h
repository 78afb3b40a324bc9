// Location of the system's trusted CA certificates.
//
// TLS libraries use the location of the distribution that built them. In the portable archive
// (packaging/portable) that is Debian's, but the archive runs on systems with other locations.
#pragma once

#include <string>

namespace gprofhub::base {

// A PEM file of CA certificates that this process can read, from the default locations of Debian,
// Fedora, SUSE and Alpine; empty if none exists.
std::string SystemAuthorities();

}  // namespace gprofhub::base
