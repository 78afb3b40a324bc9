#include "cli/serve/texts/read_source.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/memory/kept_values.h"

namespace gprofhub::cli {

ReadSource KeepSources(
    std::function<absl::StatusOr<std::string>(const std::string& project, const std::string& commit,
                                              const std::string& path)>
        read,
    uint64_t most_bytes) {
  auto kept = std::make_shared<base::KeptValues<std::string>>(
      most_bytes, [](const std::string& text) { return text.capacity(); });
  return [read = std::move(read), kept](const std::string& project, const std::string& commit,
                                        const std::string& path) {
    return kept->Get(absl::StrCat(project, " ", commit, " ", path),
                     [&] { return read(project, commit, path); });
  };
}

}  // namespace gprofhub::cli
