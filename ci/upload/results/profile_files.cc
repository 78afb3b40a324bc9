#include "ci/upload/results/profile_files.h"

#include <zip.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/read_file.h"
#include "runtime/gmon/placement.h"

namespace gprofhub::ci {
namespace {

namespace fs = std::filesystem;

constexpr absl::string_view kGmonSuffix = "." GPROFHUB_GMON_SUFFIX;

bool AllDigits(absl::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return absl::ascii_isdigit(c); });
}

bool IsBuildId(absl::string_view text) {
  return text.size() >= 8 && text.size() <= 128 && text.size() % 2 == 0 &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return absl::ascii_isdigit(c) || (c >= 'a' && c <= 'f'); });
}

absl::string_view BaseName(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == absl::string_view::npos ? path : path.substr(slash + 1);
}

// Names of entries appear in messages and on the server: they must be plain relative paths.
bool IsSafeName(absl::string_view name) {
  if (name.empty() || name.size() > 4096 || name.front() == '/') return false;
  for (const char c : name) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '\\') return false;
  }
  for (const absl::string_view part : absl::StrSplit(name, '/')) {
    if (part == "..") return false;
  }
  return true;
}

std::string TooLarge(absl::string_view what, uint64_t size, uint64_t limit) {
  return absl::StrCat(what, " has ", size, " bytes; a profile may have at most ", limit);
}

absl::Status TotalExceeded(const std::string& path, const OutputLimits& limits) {
  return absl::ResourceExhaustedError(absl::StrCat(
      path, ": the profiles of one execution may have at most ", limits.total_bytes, " bytes"));
}

absl::Status TooManyFiles(const std::string& path, const OutputLimits& limits) {
  return absl::ResourceExhaustedError(
      absl::StrCat(path, ": has more than ", limits.files, " files"));
}

void SortByName(std::vector<ProfileFile>& profiles) {
  std::sort(profiles.begin(), profiles.end(),
            [](const ProfileFile& a, const ProfileFile& b) { return a.name < b.name; });
}

struct ZipCloser {
  // Opened for reading only: no changes to write back.
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

// Reads an entry of `size` bytes, as in its directory record; an empty string and `problem` set if
// the data is damaged, or is longer or shorter.
std::string ReadEntry(zip_t* archive, zip_uint64_t index, uint64_t size, std::string& problem) {
  std::unique_ptr<zip_file_t, ZipCloser> file(zip_fopen_index(archive, index, 0));
  if (file == nullptr) {
    problem = zip_strerror(archive);
    return "";
  }
  std::string bytes(size, '\0');
  uint64_t done = 0;
  while (done < size) {
    const zip_int64_t count = zip_fread(file.get(), bytes.data() + done, size - done);
    if (count < 0) {
      problem = zip_file_strerror(file.get());
      return "";
    }
    if (count == 0) {
      problem = absl::StrCat("ends after ", done, " of ", size, " bytes");
      return "";
    }
    done += static_cast<uint64_t>(count);
  }
  // libzip checks the CRC only when the end is read.
  char more = 0;
  const zip_int64_t count = zip_fread(file.get(), &more, 1);
  if (count != 0) {
    problem = count < 0 ? std::string(zip_file_strerror(file.get()))
                        : absl::StrCat("is longer than the ", size, " bytes it declares");
    return "";
  }
  return bytes;
}

using Archive = std::unique_ptr<zip_t, ZipCloser>;

absl::Status NotAnArchive(const std::string& name, const std::string& why) {
  return absl::InvalidArgumentError(absl::StrCat(name, ": cannot be read as a zip archive: ", why));
}

// `bytes` outlives it.
absl::StatusOr<Archive> OpenBytes(absl::string_view bytes, const std::string& name) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* const source =
      zip_source_buffer_create(bytes.data(), bytes.size(), /*freep=*/0, &error);
  Archive archive(source == nullptr ? nullptr : zip_open_from_source(source, ZIP_RDONLY, &error));
  const std::string why = archive == nullptr ? zip_error_strerror(&error) : "";
  zip_error_fini(&error);
  if (archive != nullptr) return archive;
  zip_source_free(source);
  return NotAnArchive(name, why);
}

// A profile in an archive, as its directory record describes it.
struct Entry {
  uint64_t index = 0;
  std::string name;
  std::string build_id;
  uint64_t size = 0;
};

// The profiles within the limits; the others become problems.
absl::StatusOr<std::vector<Entry>> ListProfiles(zip_t* archive, const std::string& name,
                                                const OutputLimits& limits,
                                                std::vector<std::string>& problems) {
  const auto count = static_cast<uint64_t>(zip_get_num_entries(archive, 0));
  if (count > limits.files) return TooManyFiles(name, limits);
  std::vector<Entry> entries;
  uint64_t total = 0;
  for (uint64_t index = 0; index < count; ++index) {
    zip_stat_t stat;
    zip_stat_init(&stat);
    if (zip_stat_index(archive, index, 0, &stat) != 0 || (stat.valid & ZIP_STAT_NAME) == 0 ||
        (stat.valid & ZIP_STAT_SIZE) == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": entry ", index, ": ", zip_strerror(archive)));
    }
    if (!IsSafeName(stat.name)) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": entry ", index,
                       " has a name that is not a plain relative path; the archive is refused"));
    }
    const std::optional<ProfileName> profile = ParseProfileName(BaseName(stat.name));
    if (!profile) continue;
    if (stat.size > limits.file_bytes) {
      problems.push_back(
          TooLarge(absl::StrCat(name, ": ", stat.name), stat.size, limits.file_bytes));
      continue;
    }
    if (stat.size > limits.total_bytes - total) return TotalExceeded(name, limits);
    total += stat.size;
    entries.push_back({index, stat.name, profile->build_id, stat.size});
  }
  return entries;
}

absl::StatusOr<FoundProfiles> ReadProfiles(zip_t* archive, const std::string& name,
                                           const OutputLimits& limits) {
  FoundProfiles found;
  const absl::StatusOr<std::vector<Entry>> entries =
      ListProfiles(archive, name, limits, found.problems);
  if (!entries.ok()) return entries.status();
  for (const Entry& entry : *entries) {
    const std::string origin = absl::StrCat(name, ": ", entry.name);
    std::string problem;
    std::string bytes = ReadEntry(archive, entry.index, entry.size, problem);
    if (!problem.empty()) {
      found.problems.push_back(absl::StrCat(origin, ": ", problem));
      continue;
    }
    found.profiles.push_back({entry.name, origin, entry.build_id, std::move(bytes)});
  }
  SortByName(found.profiles);
  return found;
}

}  // namespace

std::optional<ProfileName> ParseProfileName(absl::string_view base_name) {
  if (base_name == "gmon.out" || absl::EndsWith(base_name, ".gprofhub")) return ProfileName();
  const size_t dot = base_name.rfind('.');
  if (dot == absl::string_view::npos || !AllDigits(base_name.substr(dot + 1))) return std::nullopt;
  absl::string_view rest = base_name.substr(0, dot);
  if (rest == "gmon" || rest == "gmon.out") return ProfileName();
  if (!absl::ConsumeSuffix(&rest, kGmonSuffix)) return std::nullopt;
  const size_t id_dot = rest.rfind('.');
  if (id_dot == absl::string_view::npos || id_dot == 0) return std::nullopt;
  const absl::string_view id = rest.substr(id_dot + 1);
  if (id == GPROFHUB_UNKNOWN_BUILD_ID) return ProfileName();
  if (!IsBuildId(id)) return std::nullopt;
  return ProfileName{std::string(id), std::string(rest.substr(0, id_dot))};
}

absl::StatusOr<FoundProfiles> ReadProfilesInZip(const std::string& path,
                                                const OutputLimits& limits) {
  int code = 0;
  const Archive archive(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (archive == nullptr) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const absl::Status status = NotAnArchive(path, zip_error_strerror(&error));
    zip_error_fini(&error);
    return code == ZIP_ER_NOENT ? absl::NotFoundError(status.message()) : status;
  }
  return ReadProfiles(archive.get(), path, limits);
}

absl::StatusOr<FoundProfiles> ReadProfilesInZipBytes(absl::string_view bytes,
                                                     const std::string& name,
                                                     const OutputLimits& limits) {
  const absl::StatusOr<Archive> archive = OpenBytes(bytes, name);
  if (!archive.ok()) return archive.status();
  return ReadProfiles(archive->get(), name, limits);
}

absl::StatusOr<uint64_t> ProfileBytesInZip(absl::string_view bytes, const std::string& name,
                                           const OutputLimits& limits) {
  const absl::StatusOr<Archive> archive = OpenBytes(bytes, name);
  if (!archive.ok()) return archive.status();
  std::vector<std::string> problems;
  const absl::StatusOr<std::vector<Entry>> entries =
      ListProfiles(archive->get(), name, limits, problems);
  if (!entries.ok()) return entries.status();
  uint64_t total = 0;
  for (const Entry& entry : *entries) total += entry.size;
  return total;
}

absl::StatusOr<FoundProfiles> ReadProfilesInFolder(const std::string& path,
                                                   const OutputLimits& limits) {
  std::error_code error;
  fs::recursive_directory_iterator entry(path, error);
  if (error) return absl::NotFoundError(absl::StrCat(path, ": ", error.message()));
  FoundProfiles found;
  uint64_t total = 0;
  uint64_t files = 0;
  for (; entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (++files > limits.files) return TooManyFiles(path, limits);
    if (!fs::is_regular_file(entry->symlink_status())) continue;
    const std::optional<ProfileName> name = ParseProfileName(std::string(entry->path().filename()));
    if (!name) continue;
    const std::string relative = entry->path().lexically_relative(path);
    const std::string origin = entry->path();
    if (!IsSafeName(relative)) {
      found.problems.push_back(absl::StrCat(path, ": a profile's name has control characters"));
      continue;
    }
    absl::StatusOr<std::string> bytes = base::ReadFile(origin, limits.file_bytes);
    if (!bytes.ok()) {
      found.problems.emplace_back(bytes.status().message());
      continue;
    }
    if (bytes->size() > limits.total_bytes - total) return TotalExceeded(path, limits);
    total += bytes->size();
    found.profiles.push_back({relative, origin, name->build_id, *std::move(bytes)});
  }
  if (error) return absl::UnavailableError(absl::StrCat(path, ": ", error.message()));
  SortByName(found.profiles);
  return found;
}

}  // namespace gprofhub::ci
