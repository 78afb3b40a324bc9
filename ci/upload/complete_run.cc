#include "ci/upload/complete_run.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/read_file.h"
#include "base/sha256.h"
#include "ci/upload/results/written_time.h"

namespace gprofhub::ci {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxArchiveBytes = 2ULL << 30;

// The output itself, or the files in that folder.
std::vector<std::string> FilesOf(const std::string& output) {
  std::error_code error;
  if (!fs::is_directory(output, error)) return {output};
  std::vector<std::string> files;
  for (fs::recursive_directory_iterator entry(output, error), end; entry != end;
       entry.increment(error)) {
    if (fs::is_regular_file(entry->symlink_status())) files.push_back(entry->path());
  }
  return files;
}

struct Contents {
  std::vector<std::string> lines;  // executions, each with the hash of its file
  int64_t oldest_unix_ms = 0;      // 0: unknown
};

absl::Status Add(const TestAttempt& attempt, const std::string& file, Contents& contents) {
  const absl::StatusOr<std::string> bytes = base::ReadFile(file, kMaxArchiveBytes);
  if (!bytes.ok()) return bytes.status();
  contents.lines.push_back(absl::StrCat(Describe(attempt), " ", base::Sha256Hex(*bytes)));
  const int64_t unix_ms = WrittenUnixMs(file);
  if (unix_ms != 0 && (contents.oldest_unix_ms == 0 || unix_ms < contents.oldest_unix_ms)) {
    contents.oldest_unix_ms = unix_ms;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CompleteRun(const std::vector<TestAttempt>& attempts, v1::RunInfo& run) {
  if (!run.run_key().empty() && run.started_unix_ms() != 0) return absl::OkStatus();
  Contents contents;
  for (const TestAttempt& attempt : attempts) {
    for (const std::string& output : attempt.outputs) {
      for (const std::string& file : FilesOf(output)) {
        if (absl::Status status = Add(attempt, file, contents); !status.ok()) return status;
      }
    }
  }
  if (run.run_key().empty()) {
    std::sort(contents.lines.begin(), contents.lines.end());
    std::string all = absl::StrCat(run.commit(), "\n", run.configuration(), "\n");
    for (const std::string& line : contents.lines) absl::StrAppend(&all, line, "\n");
    const absl::string_view kind = run.profile_kind() == v1::WINDOW ? "window-" : "files-";
    run.set_run_key(absl::StrCat(kind, base::Sha256Hex(all).substr(0, 32)));
  }
  if (run.started_unix_ms() == 0) {
    run.set_started_unix_ms(std::max<int64_t>(contents.oldest_unix_ms, 1));
  }
  return absl::OkStatus();
}

}  // namespace gprofhub::ci
