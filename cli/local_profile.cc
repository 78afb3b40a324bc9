#include "cli/local_profile.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "analyzer/compute_profile.h"
#include "analyzer/target_profile.h"
#include "profile/architecture.h"
#include "profile/elf_symbols.h"
#include "profile/gmon_reader.h"
#include "profile/image_check.h"
#include "profile/symbols.h"

namespace gprofhub {
namespace {

namespace fs = std::filesystem;

enum class FileKind { kGmon, kElf, kOther };

FileKind KindOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  char magic[4] = {};
  file.read(magic, sizeof magic);
  const absl::string_view read(magic, static_cast<size_t>(file.gcount()));
  if (read == "gmon") return FileKind::kGmon;
  if (read ==
      "\x7f"
      "ELF")
    return FileKind::kElf;
  return FileKind::kOther;
}

// One run's files.
struct RunFiles {
  std::vector<fs::path> gmons;
  std::vector<fs::path> elfs;
};

void AddFile(const fs::path& path, RunFiles& files) {
  switch (KindOf(path)) {
    case FileKind::kGmon:
      files.gmons.push_back(path);
      break;
    case FileKind::kElf:
      files.elfs.push_back(path);
      break;
    case FileKind::kOther:
      break;
  }
}

absl::StatusOr<RunFiles> FindRunFiles(const fs::path& folder) {
  RunFiles files;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->is_regular_file()) AddFile(entry->path(), files);
  }
  if (error) {
    return absl::PermissionDeniedError(
        absl::StrCat(folder.string(), " cannot be read: ", error.message()));
  }
  // A folder's entries come in no particular order.
  std::sort(files.gmons.begin(), files.gmons.end());
  std::sort(files.elfs.begin(), files.elfs.end());
  return files;
}

absl::StatusOr<std::vector<RunFiles>> FindRuns(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    RunFiles files;
    AddFile(path, files);
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
  if (error) {
    return absl::PermissionDeniedError(
        absl::StrCat(path.string(), " cannot be read: ", error.message()));
  }
  if (!direct.gmons.empty()) {
    absl::StatusOr<RunFiles> files = FindRunFiles(path);
    if (!files.ok()) return files.status();
    return std::vector<RunFiles>{*std::move(files)};
  }
  std::sort(folders.begin(), folders.end());
  std::vector<RunFiles> runs;
  for (const fs::path& folder : folders) {
    absl::StatusOr<RunFiles> files = FindRunFiles(folder);
    if (!files.ok()) return files.status();
    if (files->gmons.empty()) continue;
    // A program beside the runs' folders is that of all of them.
    files->elfs.insert(files->elfs.end(), direct.elfs.begin(), direct.elfs.end());
    runs.push_back(*std::move(files));
  }
  return runs;
}

absl::StatusOr<std::string> ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  if (!file) return absl::NotFoundError(absl::StrCat(path.string(), " cannot be read"));
  return bytes.str();
}

// Images, each read once, and the sum of what they wrote.
class Sums {
 public:
  explicit Sums(std::string image) : image_(std::move(image)) {}

  absl::Status AddRun(const RunFiles& files) {
    std::vector<fs::path> candidates = files.elfs;
    if (!image_.empty()) candidates = {image_};
    for (const fs::path& gmon : files.gmons) {
      if (candidates.empty()) {
        return absl::NotFoundError(
            absl::StrCat("the program that wrote ", gmon.string(),
                         " does not lie beside it; put it there or name it with --image"));
      }
      if (absl::Status status = AddProfile(gmon, candidates); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  ComputedProfile Compute(uint32_t runs) {
    ComputeOptions options;
    options.repetitions = runs;
    options.profiles = profiles_;
    return ComputeProfile(sum_.Take(), options);
  }

 private:
  struct Image {
    SymbolTable symbols;
  };

  // By build-id, so that the same program in every run's folder is one image.
  absl::StatusOr<Image*> ImageOf(const fs::path& path) {
    const auto known = by_path_.find(path);
    if (known != by_path_.end()) return known->second;
    absl::StatusOr<SymbolTable> symbols = ReadElfSymbols(path.string());
    if (!symbols.ok()) return symbols.status();
    const std::string key = symbols->build_id.empty() ? path.string() : symbols->build_id;
    Image& image = images_[key];
    if (image.symbols.image_name.empty()) image.symbols = *std::move(symbols);
    by_path_[path] = &image;
    return &image;
  }

  absl::Status AddProfile(const fs::path& gmon, const std::vector<fs::path>& candidates) {
    const absl::StatusOr<std::string> bytes = ReadFile(gmon);
    if (!bytes.ok()) return bytes.status();
    Image* written_by = nullptr;
    RawProfile written;
    absl::Status why_not;
    for (const fs::path& candidate : candidates) {
      const absl::StatusOr<Image*> image = ImageOf(candidate);
      if (!image.ok()) {
        why_not.Update(image.status());
        continue;
      }
      const absl::StatusOr<GmonReadOptions> options =
          GmonOptionsFor((*image)->symbols.architecture);
      if (!options.ok()) {
        why_not.Update(options.status());
        continue;
      }
      absl::StatusOr<RawProfile> profile = ReadGmon(*bytes, gmon.string(), *options);
      if (!profile.ok()) return profile.status();
      absl::Status belongs =
          CheckBelongs(*profile, (*image)->symbols, gmon.string(), candidate.string());
      if (!belongs.ok()) {
        why_not.Update(belongs);
        continue;
      }
      if (written_by != nullptr && written_by != *image) {
        return absl::FailedPreconditionError(
            absl::StrCat(gmon.string(), " may be of ", written_by->symbols.image_name, " or of ",
                         (*image)->symbols.image_name, "; name the right one with --image"));
      }
      written_by = *image;
      written = *std::move(profile);
    }
    if (written_by == nullptr) return why_not;
    ++profiles_;
    return sum_.AddProfile(written_by->symbols, std::move(written));
  }

  const std::string image_;
  std::map<std::string, Image> images_;
  std::map<fs::path, Image*> by_path_;
  TargetSum sum_;
  uint32_t profiles_ = 0;
};

}  // namespace

absl::StatusOr<LocalProfile> ReadLocalProfile(const std::string& path, const std::string& image) {
  const absl::StatusOr<std::vector<RunFiles>> runs = FindRuns(path);
  if (!runs.ok()) return runs.status();
  Sums sums(image);
  LocalProfile local;
  for (const RunFiles& files : *runs) {
    if (files.gmons.empty()) continue;
    if (absl::Status status = sums.AddRun(files); !status.ok()) return status;
    ++local.runs;
  }
  if (local.runs == 0) {
    return absl::NotFoundError(
        absl::StrCat(path, " holds no profile (a file that begins with \"gmon\")"));
  }
  local.computed = sums.Compute(local.runs);
  return local;
}

}  // namespace gprofhub
