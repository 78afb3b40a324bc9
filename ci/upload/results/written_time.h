// When a file was written.
#pragma once

#include <cstdint>
#include <string>

namespace gprofhub::ci {

// Unix time in milliseconds; 0 if that is not known.
int64_t WrittenUnixMs(const std::string& path);

}  // namespace gprofhub::ci
