// Random numbers of the kernel's: nobody can foretell them.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"

namespace gprofhub::base {

// So many bytes, at most 256: so many the kernel gives at once, or none. INTERNAL: it gives none.
absl::StatusOr<std::string> RandomBytes(size_t count);

}  // namespace gprofhub::base
