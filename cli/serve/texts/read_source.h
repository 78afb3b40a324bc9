// Source files of projects, for annotated source.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace gprofhub::cli {

// A file's text at a commit of the project. NOT_FOUND, or why it cannot be had now.
using SourceText = std::shared_ptr<const std::string>;
using ReadSource = std::function<absl::StatusOr<SourceText>(
    const std::string& project, const std::string& commit, const std::string& path)>;

// LRU cache around an uncached reader: a file of a commit never changes. Bounded by `most_bytes`.
ReadSource KeepSources(
    std::function<absl::StatusOr<std::string>(const std::string& project, const std::string& commit,
                                              const std::string& path)>
        read,
    uint64_t most_bytes = uint64_t{24} << 20);

}  // namespace gprofhub::cli
