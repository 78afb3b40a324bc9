#include "ci/upload/results/profile_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "ci/upload/results/output_names.h"
#include "ci/upload/results/test_events.h"
#include "profile/codec/message.h"
#include "profile/gmon/writer.h"
#include "profile/raw_profile.h"
#include "profile/recording/reader.h"
#include "profile/recording/shared.h"
#include "profile/target_names.h"
#include "runtime/gmon/placement.h"

namespace gprofhub::ci {

namespace {

namespace fs = std::filesystem;

absl::string_view BaseName(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == absl::string_view::npos ? path : path.substr(slash + 1);
}

std::string TooLarge(absl::string_view what, uint64_t size, uint64_t limit) {
  return absl::StrCat(what, " has ", size, " bytes; the limit for a profile is ", limit);
}

// A shared file has the profiles of all of an execution's processes.
uint64_t MostBytes(absl::string_view name, const OutputLimits& limits) {
  return BaseName(name) == profile::kSharedRecordingName ? limits.total_bytes : limits.file_bytes;
}

absl::Status TotalExceeded(const std::string& path, const OutputLimits& limits) {
  return absl::ResourceExhaustedError(absl::StrCat(
      path, ": profiles of one execution too large: the limit is ", limits.total_bytes, " bytes"));
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
                        : absl::StrCat("is longer than its declared size of ", size, " bytes");
    return "";
  }
  return bytes;
}

using Archive = std::unique_ptr<zip_t, ZipCloser>;

absl::Status NotAnArchive(const std::string& name, const std::string& why) {
  return absl::InvalidArgumentError(absl::StrCat(name, ": not a valid zip archive: ", why));
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

// A profile in an archive, as its directory record describes it, or among files.
struct Entry {
  uint64_t index = 0;  // in the archive or the list
  std::string name;
  std::string build_id;
  uint64_t size = 0;
};

uint64_t TotalOf(const std::vector<Entry>& entries) {
  uint64_t total = 0;
  for (const Entry& entry : entries) total += entry.size;
  return total;
}

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
    if (!IsPlainPath(stat.name)) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": entry ", index,
                       " has a name that is not a plain relative path; the archive is rejected"));
    }
    const std::optional<ProfileName> profile = ParseProfileName(BaseName(stat.name));
    if (!profile) continue;
    const uint64_t most = MostBytes(stat.name, limits);
    if (stat.size > most) {
      problems.push_back(TooLarge(absl::StrCat(name, ": ", stat.name), stat.size, most));
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
  ASSIGN_OR_RETURN(const std::vector<Entry> entries,
                   ListProfiles(archive, name, limits, found.problems));
  for (const Entry& entry : entries) {
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

absl::StatusOr<FoundProfiles> ReadProfilesInZip(const std::string& path,
                                                const OutputLimits& limits) {
  std::error_code other;
  if (fs::exists(path, other) && !fs::is_regular_file(path, other)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is not a regular file"));
  }
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
  ASSIGN_OR_RETURN(const Archive archive, OpenBytes(bytes, name));
  return ReadProfiles(archive.get(), name, limits);
}

absl::StatusOr<uint64_t> ProfileBytesInZip(absl::string_view bytes, const std::string& name,
                                           const OutputLimits& limits) {
  ASSIGN_OR_RETURN(const Archive archive, OpenBytes(bytes, name));
  std::vector<std::string> problems;
  ASSIGN_OR_RETURN(const std::vector<Entry> entries,
                   ListProfiles(archive.get(), name, limits, problems));
  return TotalOf(entries);
}

namespace {

const char* KindOf(mode_t mode) {
  if (S_ISDIR(mode)) return "is a directory";
  if (S_ISLNK(mode)) return "is a symbolic link; links are not followed";
  if (S_ISFIFO(mode)) return "is a pipe";
  if (S_ISSOCK(mode)) return "is a socket";
  return "is not a regular file";
}

// Does not wait for a pipe that nobody writes, also if it replaces the file meanwhile.
absl::StatusOr<std::string> ReadRegularFile(const std::string& path, uint64_t max_bytes) {
  const base::FileDescriptor file(
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  const int error = errno;
  struct stat info;
  if (!file.valid()) {
    const bool is_other = lstat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
    return absl::NotFoundError(
        absl::StrCat(path, ": ", is_other ? KindOf(info.st_mode) : std::strerror(error)));
  }
  if (fstat(file.value(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": ", KindOf(info.st_mode)));
  }
  const auto size = static_cast<uint64_t>(info.st_size);
  if (size > max_bytes) return absl::ResourceExhaustedError(TooLarge(path, size, max_bytes));
  std::string bytes(size, '\0');
  if (base::ReadUpTo(file.value(), bytes.data(), size) < size) {
    return absl::UnavailableError(
        absl::StrCat(path, ": ", errno != 0 ? std::strerror(errno) : "was cut while it was read"));
  }
  return bytes;
}

}  // namespace

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
    const std::string origin = entry->path();
    std::error_code vanished;
    if (fs::is_directory(entry->symlink_status(vanished)) &&
        access(origin.c_str(), R_OK | X_OK) != 0) {
      found.problems.push_back(absl::StrCat(origin, ": ", std::strerror(errno)));
      entry.disable_recursion_pending();
    }
    const std::optional<ProfileName> name = ParseProfileName(std::string(entry->path().filename()));
    if (!name) continue;
    const std::string relative = entry->path().lexically_relative(path);
    if (!IsPlainPath(relative)) {
      found.problems.push_back(absl::StrCat(path, ": name of a profile with control characters"));
      continue;
    }
    absl::StatusOr<std::string> bytes = ReadRegularFile(origin, MostBytes(relative, limits));
    if (!bytes.ok()) {
      found.problems.emplace_back(bytes.status().message());
      continue;
    }
    if (bytes->size() > limits.total_bytes - total) return TotalExceeded(path, limits);
    total += bytes->size();
    found.profiles.push_back({relative, origin, name->build_id, *std::move(bytes)});
  }
  // What was found so far stays.
  if (error) found.problems.push_back(absl::StrCat(path, ": ", error.message()));
  SortByName(found.profiles);
  return found;
}

namespace {

// Names all outputs in messages.
constexpr char kOutputs[] = "test.outputs";

// Whether the file, or a folder between it and the outputs, is a symbolic link.
bool IsBehindLink(const OutputFile& file) {
  fs::path path = file.place;
  auto depth = 1 + std::count(file.name.begin(), file.name.end(), '/');
  if (!absl::EndsWith(file.place, absl::StrCat("/", file.name))) depth = 1;
  for (; depth > 0; --depth, path = path.parent_path()) {
    std::error_code error;
    if (fs::is_symlink(fs::symlink_status(path, error))) return true;
  }
  return false;
}

absl::StatusOr<uint64_t> SizeHere(const OutputFile& file) {
  if (IsBehindLink(file)) {
    return absl::InvalidArgumentError(
        absl::StrCat(file.place, ": is a symbolic link or behind one; links are not followed"));
  }
  std::error_code error;
  const bool is_regular = fs::is_regular_file(file.place, error);
  const uint64_t size = is_regular ? fs::file_size(file.place, error) : 0;
  if (is_regular && !error) return size;
  return absl::InvalidArgumentError(absl::StrCat(
      file.place, ": ", error ? error.message() : std::string("is not a regular file")));
}

// The profiles within the limits; the others become problems.
absl::StatusOr<std::vector<Entry>> ListFiles(const std::vector<OutputFile>& files,
                                             const OutputAccess& access, const OutputLimits& limits,
                                             std::vector<std::string>& problems) {
  if (files.size() > limits.files) return TooManyFiles(kOutputs, limits);
  std::vector<Entry> entries;
  absl::flat_hash_set<absl::string_view> names;
  uint64_t total = 0;
  for (uint64_t index = 0; index < files.size(); ++index) {
    const OutputFile& file = files[index];
    const std::optional<ProfileName> profile = ParseProfileName(BaseName(file.name));
    if (!profile) continue;
    if (!IsPlainPath(file.name)) {
      problems.push_back(absl::StrCat(kOutputs, ": file ", index,
                                      " has a name that is not a plain relative path; skipped"));
      continue;
    }
    if (!names.insert(file.name).second) {
      problems.push_back(absl::StrCat(kOutputs, "/", file.name, ": listed twice; skipped"));
      continue;
    }
    const absl::StatusOr<uint64_t> size = access.size(file);
    if (absl::IsInvalidArgument(size.status())) {
      problems.emplace_back(size.status().message());
      continue;
    }
    RETURN_IF_ERROR(size.status());
    const uint64_t most = MostBytes(file.name, limits);
    if (*size > most) {
      problems.push_back(TooLarge(absl::StrCat(kOutputs, "/", file.name), *size, most));
      continue;
    }
    if (*size > limits.total_bytes - total) return TotalExceeded(kOutputs, limits);
    total += *size;
    entries.push_back({index, file.name, profile->build_id, *size});
  }
  return entries;
}

}  // namespace

OutputAccess OutputsHere() {
  return {SizeHere, [](const OutputFile& file, uint64_t size) -> absl::StatusOr<std::string> {
            absl::StatusOr<std::string> bytes = ReadRegularFile(file.place, size);
            if (bytes.ok()) return bytes;
            return absl::InvalidArgumentError(bytes.status().message());
          }};
}

absl::StatusOr<FoundProfiles> ReadProfileFiles(const std::vector<OutputFile>& files,
                                               const OutputAccess& access,
                                               const OutputLimits& limits) {
  FoundProfiles found;
  ASSIGN_OR_RETURN(const std::vector<Entry> entries,
                   ListFiles(files, access, limits, found.problems));
  for (const Entry& entry : entries) {
    const std::string origin = absl::StrCat(kOutputs, "/", entry.name);
    std::string bytes;
    // Remote caches do not store the empty file.
    if (entry.size > 0) {
      absl::StatusOr<std::string> read = access.read(files[entry.index], entry.size);
      if (absl::IsInvalidArgument(read.status())) {
        found.problems.emplace_back(read.status().message());
        continue;
      }
      if (!read.ok()) return base::WithContext(read.status(), origin);
      bytes = *std::move(read);
    }
    found.profiles.push_back({entry.name, origin, entry.build_id, std::move(bytes)});
  }
  SortByName(found.profiles);
  return found;
}

absl::StatusOr<uint64_t> ProfileBytesInFiles(const std::vector<OutputFile>& files,
                                             const OutputAccess& access,
                                             const OutputLimits& limits) {
  std::vector<std::string> problems;
  ASSIGN_OR_RETURN(const std::vector<Entry> entries, ListFiles(files, access, limits, problems));
  return TotalOf(entries);
}

absl::Status CheckProfile(const ProfileFile& profile, const profile::SymbolTable& image,
                          const base::Decoding& decoding) {
  if (profile.bytes.empty()) {
    return absl::DataLossError(absl::StrCat(
        profile.origin, ": empty file; the process was terminated while writing its profile"));
  }
  const base::DecodingScope scope(decoding);
  ASSIGN_OR_RETURN(const profile::RawProfile raw,
                   profile::ReadImagePart(profile.bytes, profile.origin, image, decoding));
  return profile::CheckBelongs(raw, image, profile.origin, image.image_name);
}

namespace {

// The collector's limits on one upload.
constexpr size_t kMaxProfiles = 10'000;

constexpr absl::string_view kBuildIdPrefix = "build-id:";

bool IsStacks(const ProfileFile& profile) { return profile.is_stacks; }

// Digest of the build-ids of the programs that an execution ran; empty if one is unknown.
std::string DigestOfPrograms(const std::vector<ProfileFile>& profiles) {
  std::set<std::string> build_ids;
  for (const ProfileFile& profile : profiles) {
    if (profile.build_id.empty()) return "";
    build_ids.insert(profile.build_id);
  }
  if (build_ids.empty()) return "";
  if (build_ids.size() == 1) return absl::StrCat(kBuildIdPrefix, *build_ids.begin());
  return absl::StrCat("build-ids:", base::Sha256Hex(absl::StrJoin(build_ids, ",")));
}

// The digest of the profiles' programs; for a cached result without profiles, that of the test's
// own program.
std::string DigestOf(const TestAttempt& attempt, const std::vector<ProfileFile>& profiles,
                     const ImageSources& sources) {
  if (!profiles.empty() || !attempt.cached) return DigestOfPrograms(profiles);
  const std::string build_id = sources.own_build_id();
  return build_id.empty() ? "" : absl::StrCat(kBuildIdPrefix, build_id);
}

// Assigns the profiles to their images, if available.
void AddProfiles(const TestAttempt& attempt, std::vector<ProfileFile> profiles,
                 const ImageSources& sources, std::vector<std::string>& skipped,
                 DescribedExecution& described) {
  std::map<std::string, ImageBundle> bundles;  // by build-id
  for (ProfileFile& profile : profiles) {
    const std::vector<ImageBundle> images = sources.images_of(profile, skipped);
    if (images.empty()) continue;
    if (described.header.profiles_size() + images.size() > kMaxProfiles) {
      skipped.push_back(absl::StrCat(Describe(attempt), ": has more than ", kMaxProfiles,
                                     " profiles; the remaining ones are skipped"));
      break;
    }
    const std::string sha256 = base::Sha256Hex(profile.bytes);
    for (const ImageBundle& image : images) {
      v1::ProfileRef& ref = *described.header.add_profiles();
      ref.set_process(profile.name);
      ref.set_build_id(image.build_id);
      ref.mutable_data()->set_sha256(sha256);
      ref.mutable_data()->set_size(profile.bytes.size());
      bundles[image.build_id] = image;
    }
    described.profiles.push_back(std::move(profile));
  }
  for (const auto& [build_id, bundle] : bundles) {
    v1::ImageRef& ref = *described.header.add_images();
    ref.set_build_id(build_id);
    ref.mutable_bundle()->set_sha256(bundle.sha256);
    ref.mutable_bundle()->set_size(bundle.size);
  }
}

}  // namespace

DescribedExecution DescribeExecution(const TestAttempt& attempt, std::vector<ProfileFile> profiles,
                                     const ImageSources& sources,
                                     std::vector<std::string>& skipped) {
  DescribedExecution described;
  const bool is_sampled = std::any_of(profiles.begin(), profiles.end(), IsStacks);
  if (is_sampled && !std::all_of(profiles.begin(), profiles.end(), IsStacks)) {
    skipped.push_back(absl::StrCat(Describe(attempt),
                                   ": sampled stacks and counted profiles in one run, but only "
                                   "counts are exact; upload them separately"));
    return described;
  }
  if (is_sampled) described.header.mutable_run()->set_profile_kind(v1::SAMPLED);
  AddProfiles(attempt, std::move(profiles), sources, skipped, described);
  v1::ExecutionInfo& execution = *described.header.mutable_execution();
  execution.set_target(attempt.label);
  execution.set_run_number(attempt.run);
  execution.set_shard(attempt.shard);
  execution.set_attempt(attempt.attempt);
  execution.set_cached(attempt.cached);
  execution.set_status(attempt.status);
  execution.set_duration_ms(attempt.duration_ms);
  execution.set_test_binary_digest(DigestOf(attempt, described.profiles, sources));
  return described;
}

bool AsksForProfile(const TestAttempt& attempt, const v1::UploadHeader& header,
                    bool some_left_out) {
  if (!attempt.cached || some_left_out) return attempt.cached;
  const bool is_named =
      attempt.names_outputs || !attempt.outputs.empty() || !attempt.remote_outputs.empty();
  return !is_named && !header.execution().test_binary_digest().empty();
}

namespace {

// A text of stacks may begin with a program's name, as a recording does.
bool HoldsRecording(const ProfileFile& file) {
  return !file.is_stacks && profile::IsRecording(file.bytes);
}

// The folder of `name`, with its slash.
std::string FolderOf(const std::string& name) {
  const size_t slash = name.rfind('/');
  return slash == std::string::npos ? "" : name.substr(0, slash + 1);
}

// Name of the gmon file that the runtime writes at an orderly exit.
std::string GmonName(const std::string& folder, const profile::RecordedModule& program,
                     uint32_t pid) {
  return absl::StrCat(folder, BaseName(program.path), ".",
                      program.build_id.empty() ? GPROFHUB_UNKNOWN_BUILD_ID : program.build_id,
                      "." GPROFHUB_GMON_SUFFIX ".", pid);
}

absl::StatusOr<std::string> Pack(absl::string_view file, const profile::Recording& recording,
                                 const profile::RecordedModule& program,
                                 const base::Decoding& decoding) {
  // Modules are identified by their build-ids alone.
  if (program.build_id.empty()) return profile::WriteGmon(program.profile);
  std::string packed = profile::PackRecording(file);
  // Detects early what the server would refuse.
  const auto unpacked = profile::UnpackRecording(packed, recording.program, decoding);
  return unpacked.ok() ? absl::StatusOr<std::string>(std::move(packed)) : unpacked.status();
}

std::vector<RecordedImage> Images(const profile::Recording& recording) {
  std::vector<RecordedImage> images;
  if (profile::FindModule(recording, "")->build_id.empty()) return images;
  for (const profile::RecordedModule& module : recording.modules) {
    const bool has_calls = module.is_program || !module.profile.arcs.empty();
    if (module.build_id.empty() || (!has_calls && module.profile.histograms.empty())) continue;
    images.push_back({module.build_id, has_calls, std::string(BaseName(module.path)),
                      module.is_program ? "" : module.path});
  }
  return images;
}

}  // namespace

namespace {

// Packs the recordings of one execution.
class Packer {
 public:
  Packer(std::vector<std::string>& problems, const base::Decoding& decoding)
      : problems_(problems), decoding_(decoding) {}

  // The recording, or those of a shared file's processes. Errors are those of the decoding memory.
  absl::Status AddFile(const ProfileFile& file) {
    const absl::Status status = profile::VisitRecordings(
        file.bytes, file.name,
        [&](const std::string& name, absl::StatusOr<absl::string_view> bytes) {
          const bool is_process = name != file.name;
          const std::string origin =
              is_process ? absl::StrCat(file.origin, ": ", BaseName(name)) : file.origin;
          if (bytes.ok()) return Add(name, origin, *bytes, is_process);
          problems_.push_back(absl::StrCat(file.origin, ": ", bytes.status().message()));
          return absl::OkStatus();
        });
    if (status.ok() || base::IsOfDecoding(status)) return status;
    problems_.emplace_back(status.message());
    return absl::OkStatus();
  }

  // Whether a recording replaces the gmon file.
  bool Replaces(const std::string& gmon) const { return replaced_.contains(gmon); }
  std::vector<ProfileFile>& recordings() { return recordings_; }

 private:
  absl::Status Add(const std::string& name, const std::string& origin, absl::string_view bytes,
                   bool is_copy) {
    const base::DecodingScope scope(decoding_);
    if (is_copy) {
      RETURN_IF_ERROR(decoding_.Take(bytes.size()).status());
    }
    const absl::StatusOr<profile::Recording> recording =
        profile::ReadRecording(bytes, origin, decoding_);
    if (base::IsOfDecoding(recording.status())) return recording.status();
    if (!recording.ok()) {
      problems_.emplace_back(recording.status().message());
      return absl::OkStatus();
    }
    const profile::RecordedModule* program = profile::FindModule(*recording, "");
    if (program == nullptr) return absl::OkStatus();  // killed before its first call was counted
    const absl::StatusOr<std::string> packed = Pack(bytes, *recording, *program, decoding_);
    if (base::IsOfDecoding(packed.status())) return packed.status();
    if (!packed.ok()) {
      problems_.push_back(absl::StrCat(origin, ": ", packed.status().message()));
      return absl::OkStatus();
    }
    replaced_.insert(GmonName(FolderOf(name), *program, recording->pid));
    recordings_.push_back({name, origin, program->build_id, *packed, Images(*recording)});
    return absl::OkStatus();
  }

  std::vector<std::string>& problems_;
  const base::Decoding& decoding_;
  absl::flat_hash_set<std::string> replaced_;  // names of gmon files
  std::vector<ProfileFile> recordings_;
};

}  // namespace

absl::Status PackRecordings(FoundProfiles& found, const base::Decoding& decoding) {
  Packer packer(found.problems, decoding);
  for (const ProfileFile& file : found.profiles) {
    if (HoldsRecording(file)) RETURN_IF_ERROR(packer.AddFile(file));
  }
  std::vector<ProfileFile> profiles;
  for (ProfileFile& file : found.profiles) {
    if (!HoldsRecording(file) && !packer.Replaces(file.name)) profiles.push_back(std::move(file));
  }
  for (ProfileFile& recording : packer.recordings()) profiles.push_back(std::move(recording));
  SortByName(profiles);
  found.profiles = std::move(profiles);
  return absl::OkStatus();
}

std::vector<MeasuredUnit> UnitsOf(const TestAttempt& attempt, std::vector<ProfileFile> profiles) {
  std::map<std::string, std::vector<ProfileFile>> parts;
  for (ProfileFile& profile : profiles) {
    parts[CaseOf(profile.name)].push_back(std::move(profile));
  }
  if (parts.empty()) parts[""];
  std::vector<MeasuredUnit> units;
  for (auto& [part, of_part] : parts) {
    units.push_back({attempt, std::move(of_part)});
    units.back().attempt.label = profile::TargetOf(attempt.label, part);
    // Bazel reports only the duration of all parts together.
    if (!part.empty()) units.back().attempt.duration_ms = 0;
  }
  return units;
}

}  // namespace gprofhub::ci
