#include "cli/serve/process/reloading.h"

#include <spdlog/spdlog.h>

namespace gprofhub::cli {

void Reloading::Add(std::string what, std::function<absl::Status()> reload) {
  parts_.emplace_back(std::move(what), std::move(reload));
}

void Reloading::Run() const {
  if (parts_.empty()) spdlog::info("SIGHUP received: this server has no file to read again");
  for (const auto& [what, reload] : parts_) {
    if (const absl::Status status = reload(); status.ok()) {
      spdlog::info("SIGHUP received: {} was read again", what);
    } else {
      spdlog::error("SIGHUP received: {} cannot be used, what was read before stays in use: {}",
                    what, std::string(status.message()));
    }
  }
}

}  // namespace gprofhub::cli
