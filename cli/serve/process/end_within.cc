#include "cli/serve/process/end_within.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

namespace gprofhub::cli {

EndWithin::EndWithin(absl::Duration grace)
    : thread_([this, grace] {
        if (ended_.WaitFor(grace)) return;
        spdlog::error("something hangs: ending without it after {}", absl::FormatDuration(grace));
        _exit(1);
      }) {}

EndWithin::~EndWithin() {
  ended_.Set();
  thread_.join();
}

}  // namespace gprofhub::cli
