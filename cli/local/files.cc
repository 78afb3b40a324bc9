#include "cli/local/files.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/read_file.h"
#include "profile/elf/magic.h"
#include "profile/recording/reader.h"

namespace gprofhub::cli {
namespace {

namespace fs = std::filesystem;

// Enough to distinguish the formats.
constexpr size_t kFirstBytes = 16;

void AddFile(const fs::path& path, RunFiles& files) {
  const std::string begin = base::ReadBeginning(path, kFirstBytes);
  if (absl::StartsWith(begin, "gmon")) {
    files.gmons.push_back(path);
  } else if (profile::IsElf(begin)) {
    files.programs.push_back(path);
  } else if (profile::IsRecording(begin)) {
    files.recordings.push_back(path);
  }
}

// A folder's entries come in no particular order.
void Sort(RunFiles& files) {
  std::sort(files.gmons.begin(), files.gmons.end());
  std::sort(files.recordings.begin(), files.recordings.end());
  std::sort(files.programs.begin(), files.programs.end());
}

absl::Status CannotRead(const fs::path& folder, const std::error_code& error) {
  return absl::FailedPreconditionError(
      absl::StrCat(folder.string(), " cannot be read: ", error.message()));
}

absl::StatusOr<RunFiles> AllFilesBelow(const fs::path& folder) {
  RunFiles files;
  files.folder = folder;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->is_regular_file()) AddFile(entry->path(), files);
  }
  if (error) return CannotRead(folder, error);
  Sort(files);
  return files;
}

absl::Status NoProfile(const std::string& path) {
  return absl::NotFoundError(absl::StrCat(
      path, " holds no profile (a file that begins with \"gmon\", or the runtime's recording)"));
}

}  // namespace

absl::StatusOr<std::vector<RunFiles>> FindRunFiles(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    RunFiles files;
    files.folder = path;
    AddFile(path, files);
    if (!files.HasProfile()) return NoProfile(path);
    return std::vector<RunFiles>{files};
  }
  RunFiles direct;
  std::vector<fs::path> folders;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->is_directory()) {
      folders.push_back(entry->path());
    } else if (entry->is_regular_file()) {
      AddFile(entry->path(), direct);
    }
  }
  if (error) return CannotRead(path, error);
  if (direct.HasProfile()) {
    absl::StatusOr<RunFiles> files = AllFilesBelow(path);
    if (!files.ok()) return files.status();
    return std::vector<RunFiles>{*std::move(files)};
  }
  std::sort(folders.begin(), folders.end());
  std::vector<RunFiles> runs;
  for (const fs::path& folder : folders) {
    absl::StatusOr<RunFiles> files = AllFilesBelow(folder);
    if (!files.ok()) return files.status();
    if (!files->HasProfile()) continue;
    files->programs.insert(files->programs.end(), direct.programs.begin(), direct.programs.end());
    runs.push_back(*std::move(files));
  }
  if (runs.empty()) return NoProfile(path);
  return runs;
}

}  // namespace gprofhub::cli
