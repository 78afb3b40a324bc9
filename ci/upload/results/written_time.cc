#include "ci/upload/results/written_time.h"

#include <chrono>
#include <filesystem>
#include <system_error>

namespace gprofhub::ci {
namespace {

// File systems may store whole seconds only.
constexpr int64_t kClockSlackMs = 2000;

}  // namespace

int64_t WrittenUnixMs(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_time_type written = std::filesystem::last_write_time(path, error);
  if (error) return 0;
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::file_clock::to_sys(written).time_since_epoch())
      .count();
}

bool IsOfLaterBuild(const TestAttempt& attempt, const std::string& path) {
  return attempt.build_ended_unix_ms != 0 &&
         WrittenUnixMs(path) > attempt.build_ended_unix_ms + kClockSlackMs;
}

}  // namespace gprofhub::ci
