// Reads whole files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace gprofhub::base {

inline constexpr uint64_t kAnySize = std::numeric_limits<uint64_t>::max();

// Contents of a file, a pipe or a file of /proc. Errors name the path and the reason: NOT_FOUND if
// it cannot be opened, FAILED_PRECONDITION if it is a directory, RESOURCE_EXHAUSTED if it has more
// than `max_bytes`, UNAVAILABLE if reading fails.
absl::StatusOr<std::string> ReadFile(const std::string& path, uint64_t max_bytes = kAnySize);

// Reuses the memory of `content`, whose value after an error is unspecified.
absl::Status ReadFileInto(const std::string& path, std::string& content,
                          uint64_t max_bytes = kAnySize);

// The first bytes of a file: fewer if it is shorter, none if it cannot be read. It must not be a
// pipe or a device, which would lose the bytes read.
std::string ReadBeginning(const std::string& path, size_t bytes);

// The rest of standard input; messages call it "standard input". Nothing may have been read from it
// through a buffer (std::cin, stdin) before. Errors as above.
absl::Status ReadStandardInput(std::string& content, uint64_t max_bytes = kAnySize);

}  // namespace gprofhub::base
