#include "ci/upload/upload.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/read_file.h"
#include "base/sha256.h"
#include "base/status_context.h"
#include "ci/upload/results/profile_files.h"
#include "ci/upload/results/recordings.h"
#include "ci/upload/stacks.h"
#include "profile/codec/recording.h"
#include "profile/gmon/options_for.h"
#include "profile/gmon/reader.h"
#include "profile/image/belongs.h"
#include "profile/stacks/perf_text.h"

namespace gprofhub::ci {
namespace {

namespace fs = std::filesystem;

// What the collector takes in one upload.
constexpr size_t kMaxProfiles = 10'000;
constexpr uint64_t kMaxArchiveBytes = 2ULL << 30;
// The text; what is sent is a small part of it.
constexpr uint64_t kMaxStacksBytes = 1ULL << 30;

// File systems may keep whole seconds only.
constexpr int64_t kClockSlackMs = 2000;

// Names the programs that an execution ran, by their build-ids; empty where one is not
// known.
std::string DigestOfPrograms(const std::vector<ProfileFile>& profiles) {
  std::set<std::string> build_ids;
  for (const ProfileFile& profile : profiles) {
    if (profile.build_id.empty()) return "";
    build_ids.insert(profile.build_id);
  }
  if (build_ids.empty()) return "";
  if (build_ids.size() == 1) return absl::StrCat("build-id:", *build_ids.begin());
  return absl::StrCat("build-ids:", base::Sha256Hex(absl::StrJoin(build_ids, ",")));
}

// An execution ready to be sent; owns the bytes that `blobs` points to.
struct Prepared {
  v1::UploadHeader header;
  BlobBytes blobs;
  std::vector<ProfileFile> profiles;
  std::map<std::string, std::shared_ptr<const Image>> images;  // by build-id
};

// When the file was written, Unix time in milliseconds; 0 if that is not known.
int64_t WrittenUnixMs(const std::string& path) {
  std::error_code error;
  const fs::file_time_type written = fs::last_write_time(path, error);
  if (error) return 0;
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::file_clock::to_sys(written).time_since_epoch())
      .count();
}

// The profiles in one of an execution's outputs: an archive, a folder, or a
// profile given by the user, whatever its name.
absl::StatusOr<FoundProfiles> ReadOutputs(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return ReadProfilesInFolder(path);
  if (absl::EndsWith(path, ".zip")) return ReadProfilesInZip(path);
  if (!fs::is_regular_file(path, error)) {
    return absl::NotFoundError(
        absl::StrCat(path, ": ", error ? error.message() : std::string("is not a regular file")));
  }
  const bool is_stacks = profile::HoldsSampledStacks(path);
  absl::StatusOr<std::string> bytes =
      base::ReadFile(path, is_stacks ? kMaxStacksBytes : OutputLimits().file_bytes);
  if (!bytes.ok()) return bytes.status();
  if (absl::StartsWith(*bytes, "PERFILE")) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": is perf's own data; upload what `perf script -i ", path, "` prints of it"));
  }
  const std::string name = fs::path(path).filename();
  FoundProfiles found;
  found.profiles.push_back({.name = name,
                            .origin = path,
                            .build_id = ParseProfileName(name).value_or(ProfileName()).build_id,
                            .bytes = *std::move(bytes),
                            .is_stacks = is_stacks});
  return found;
}

std::vector<ProfileFile> CollectProfiles(const TestAttempt& attempt,
                                         std::vector<std::string>& skipped) {
  for (const std::string& uri : attempt.remote_outputs) {
    skipped.push_back(
        absl::StrCat(Describe(attempt), ": its outputs are not on this machine (", uri,
                     "); build with --remote_download_outputs=toplevel to have them here"));
  }
  std::vector<ProfileFile> profiles;
  std::set<std::string> names;
  for (const std::string& path : attempt.outputs) {
    if (attempt.build_ended_unix_ms != 0 &&
        WrittenUnixMs(path) > attempt.build_ended_unix_ms + kClockSlackMs) {
      skipped.push_back(absl::StrCat(Describe(attempt), ": ", path,
                                     " was written after this build had ended: another build took "
                                     "its place. Upload after each `bazel test`."));
      continue;
    }
    absl::StatusOr<FoundProfiles> found = ReadOutputs(path);
    if (!found.ok()) {
      skipped.push_back(absl::StrCat(Describe(attempt), ": ", found.status().message()));
      continue;
    }
    PackRecordings(*found);
    skipped.insert(skipped.end(), found->problems.begin(), found->problems.end());
    for (ProfileFile& profile : found->profiles) {
      // Files of one name from several folders are different processes.
      const std::string name = profile.name;
      for (int i = 2; !names.insert(profile.name).second; ++i) {
        profile.name = absl::StrCat(name, "~", i);
      }
      profiles.push_back(std::move(profile));
    }
  }
  return profiles;
}

absl::StatusOr<std::shared_ptr<const Image>> FindImage(const std::string& build_id,
                                                       const ProfileFile& profile,
                                                       const TestAttempt& attempt,
                                                       const UploadSteps& steps) {
  absl::StatusOr<std::string> path = build_id.empty()
                                         ? steps.search.TestBinary(attempt)
                                         : steps.search.FindByBuildId(build_id, attempt);
  if (!path.ok()) {
    return base::WithContext(path.status(), profile.origin);
  }
  return steps.bundles.Load(*path, build_id);
}

// The part of a profile that is the image's.
absl::StatusOr<profile::RawProfile> ReadPart(const ProfileFile& profile, const Image& image) {
  if (profile::IsPackedRecording(profile.bytes)) {
    const absl::StatusOr<profile::Recording> recording =
        profile::UnpackRecording(profile.bytes, profile.origin);
    if (!recording.ok()) return recording.status();
    const profile::RecordedModule* module = profile::FindModule(*recording, image.build_id);
    if (module == nullptr) {
      return absl::FailedPreconditionError(absl::StrCat(profile.origin, ": has nothing of ",
                                                        image.symbols.image_name, " (build-id ",
                                                        image.build_id, ")"));
    }
    return module->profile;
  }
  const absl::StatusOr<profile::GmonReadOptions> options =
      profile::GmonOptionsFor(image.symbols.architecture);
  if (!options.ok()) return options.status();
  return profile::ReadGmon(profile.bytes, profile.origin, *options);
}

// What the server would find out too, but then refuse the whole execution for.
absl::Status CheckProfile(const ProfileFile& profile, const Image& image) {
  if (profile.bytes.empty()) {
    return absl::DataLossError(absl::StrCat(
        profile.origin, ": is empty; the process was ended while it wrote its profile"));
  }
  const absl::StatusOr<profile::RawProfile> raw = ReadPart(profile, image);
  if (!raw.ok()) return raw.status();
  return profile::CheckBelongs(*raw, image.symbols, profile.origin, image.symbols.image_name);
}

// The images that the profile can be resolved against. Those of a recording that
// nobody can name, such as libc's, are left out: their time is still theirs.
std::vector<std::shared_ptr<const Image>> FindImages(const ProfileFile& profile,
                                                     const TestAttempt& attempt,
                                                     const UploadSteps& steps,
                                                     std::vector<std::string>& skipped) {
  std::vector<RecordedImage> wanted = profile.images;
  if (wanted.empty()) wanted.push_back({profile.build_id, true});
  std::vector<std::shared_ptr<const Image>> images;
  for (const RecordedImage& one : wanted) {
    absl::StatusOr<std::shared_ptr<const Image>> image =
        FindImage(one.build_id, profile, attempt, steps);
    const absl::Status status = image.ok() ? CheckProfile(profile, **image) : image.status();
    if (status.ok()) {
      images.push_back(*std::move(image));
    } else if (one.is_wanted) {
      skipped.push_back(absl::StrCat(attempt.label, ": ", status.message()));
    }
  }
  return images;
}

// Packs the stacks for the image that the user named.
std::vector<std::shared_ptr<const Image>> PackStacksForImage(ProfileFile& profile,
                                                             const TestAttempt& attempt,
                                                             const UploadSteps& steps,
                                                             std::vector<std::string>& skipped) {
  absl::StatusOr<std::shared_ptr<const Image>> image = FindImage("", profile, attempt, steps);
  const absl::Status status = image.ok() ? PackStacks(profile, **image) : image.status();
  if (status.ok()) return {*std::move(image)};
  skipped.push_back(absl::StrCat(attempt.label, ": ", status.message()));
  return {};
}

bool IsStacks(const ProfileFile& profile) { return profile.is_stacks; }

Prepared Prepare(const TestAttempt& attempt, const UploadSteps& steps,
                 std::vector<std::string>& skipped) {
  Prepared prepared;
  std::vector<ProfileFile> profiles = CollectProfiles(attempt, skipped);
  const bool is_sampled = std::any_of(profiles.begin(), profiles.end(), IsStacks);
  if (is_sampled && !std::all_of(profiles.begin(), profiles.end(), IsStacks)) {
    skipped.push_back(absl::StrCat(Describe(attempt),
                                   ": sampled stacks and counted profiles cannot be one run, "
                                   "for only counts are exact: upload them one by one"));
    return prepared;
  }
  if (is_sampled) prepared.header.mutable_run()->set_profile_kind(v1::SAMPLED);
  for (ProfileFile& profile : profiles) {
    const auto images = is_sampled ? PackStacksForImage(profile, attempt, steps, skipped)
                                   : FindImages(profile, attempt, steps, skipped);
    if (images.empty()) continue;
    if (prepared.header.profiles_size() + images.size() > kMaxProfiles) {
      skipped.push_back(absl::StrCat(Describe(attempt), ": has more than ", kMaxProfiles,
                                     " profiles; the rest is left out"));
      break;
    }
    const std::string sha256 = base::Sha256Hex(profile.bytes);
    for (const std::shared_ptr<const Image>& image : images) {
      v1::ProfileRef& ref = *prepared.header.add_profiles();
      ref.set_process(profile.name);
      ref.set_build_id(image->build_id);
      ref.mutable_contents()->set_sha256(sha256);
      ref.mutable_contents()->set_size(profile.bytes.size());
      prepared.images[image->build_id] = image;
    }
    prepared.profiles.push_back(std::move(profile));
  }
  // Only now do the bytes stay where they are.
  for (const ProfileFile& profile : prepared.profiles) {
    prepared.blobs[base::Sha256Hex(profile.bytes)] = profile.bytes;
  }
  v1::ExecutionInfo& execution = *prepared.header.mutable_execution();
  execution.set_target(attempt.label);
  execution.set_run_number(attempt.run);
  execution.set_shard(attempt.shard);
  execution.set_attempt(attempt.attempt);
  execution.set_cached(attempt.cached);
  execution.set_status(attempt.status);
  execution.set_test_binary_digest(DigestOfPrograms(prepared.profiles));
  for (const auto& [build_id, image] : prepared.images) {
    v1::ImageRef& ref = *prepared.header.add_images();
    ref.set_build_id(build_id);
    ref.mutable_bundle()->set_sha256(image->bundle_sha256);
    ref.mutable_bundle()->set_size(image->bundle.size());
    prepared.blobs[image->bundle_sha256] = image->bundle;
  }
  return prepared;
}

// Whether the next execution may fare better.
bool ConcernsThisExecutionOnly(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kFailedPrecondition:
      return true;
    default:
      return false;
  }
}

bool InOrder(const TestAttempt& a, const TestAttempt& b) {
  return std::tie(a.label, a.configuration, a.run, a.shard, a.attempt) <
         std::tie(b.label, b.configuration, b.run, b.shard, b.attempt);
}

}  // namespace

absl::Status CompleteRun(const std::vector<TestAttempt>& attempts, v1::RunInfo& run) {
  if (!run.run_key().empty() && run.started_unix_ms() != 0) return absl::OkStatus();
  std::vector<std::string> contents;
  int64_t oldest = 0;
  for (const TestAttempt& attempt : attempts) {
    for (const std::string& output : attempt.outputs) {
      std::error_code error;
      std::vector<std::string> files = {output};
      if (fs::is_directory(output, error)) {
        files.clear();
        for (fs::recursive_directory_iterator entry(output, error), end; entry != end;
             entry.increment(error)) {
          if (fs::is_regular_file(entry->symlink_status())) files.push_back(entry->path());
        }
      }
      for (const std::string& file : files) {
        const absl::StatusOr<std::string> bytes = base::ReadFile(file, kMaxArchiveBytes);
        if (!bytes.ok()) return bytes.status();
        contents.push_back(absl::StrCat(Describe(attempt), " ", base::Sha256Hex(*bytes)));
        const int64_t unix_ms = WrittenUnixMs(file);
        if (unix_ms != 0 && (oldest == 0 || unix_ms < oldest)) oldest = unix_ms;
      }
    }
  }
  if (run.run_key().empty()) {
    std::sort(contents.begin(), contents.end());
    std::string all = absl::StrCat(run.commit(), "\n", run.configuration(), "\n");
    for (const std::string& line : contents) absl::StrAppend(&all, line, "\n");
    run.set_run_key("files-" + base::Sha256Hex(all).substr(0, 32));
  }
  if (run.started_unix_ms() == 0) run.set_started_unix_ms(std::max<int64_t>(oldest, 1));
  return absl::OkStatus();
}

UploadSummary UploadAttempts(UploadPlan plan, const UploadSteps& steps) {
  UploadSummary summary;
  // Executions of one test share its image.
  std::sort(plan.attempts.begin(), plan.attempts.end(), InOrder);
  std::set<std::string> configurations;
  for (const TestAttempt& attempt : plan.attempts) configurations.insert(attempt.configuration);

  size_t done = 0;
  for (const TestAttempt& attempt : plan.attempts) {
    Prepared prepared = Prepare(attempt, steps, summary.skipped);
    ++done;
    if (prepared.profiles.empty()) {
      ++summary.without_profiles;
      steps.progress(done, plan.attempts.size(), Describe(attempt) + ": no profiles");
      continue;
    }
    v1::RunInfo& run = *prepared.header.mutable_run();
    const v1::ProfileKind kind = run.profile_kind();
    run = plan.run;
    run.set_profile_kind(kind);
    if (run.configuration().empty()) {
      run.set_configuration(attempt.configuration);
      if (configurations.size() > 1) {
        run.set_run_key(absl::StrCat(run.run_key(), "/", attempt.configuration));
      }
    }
    for (const auto& [sha256, bytes] : prepared.blobs) summary.bytes_total += bytes.size();
    std::string said = absl::StrCat(prepared.profiles.size(),
                                    prepared.profiles.size() == 1 ? " profile" : " profiles");
    if (steps.send) {
      const absl::StatusOr<UploadOutcome> outcome = steps.send(prepared.header, prepared.blobs);
      if (!outcome.ok()) {
        if (!ConcernsThisExecutionOnly(outcome.status())) {
          summary.status = outcome.status();
          return summary;
        }
        summary.skipped.push_back(
            absl::StrCat(Describe(attempt), ": ", outcome.status().message()));
        continue;
      }
      summary.run_ids.insert(outcome->response.run_id());
      summary.bytes_sent += outcome->bytes_sent;
      if (outcome->response.already_present()) {
        ++summary.already_present;
        absl::StrAppend(&said, ", already there");
      } else {
        absl::StrAppend(&said, ", ", outcome->bytes_sent, " bytes sent");
      }
    }
    ++summary.executions;
    summary.cached += attempt.cached ? 1 : 0;
    summary.profiles += prepared.profiles.size();
    for (const auto& [build_id, image] : prepared.images) summary.images.insert(build_id);
    steps.progress(done, plan.attempts.size(), absl::StrCat(Describe(attempt), ": ", said));
  }
  return summary;
}

}  // namespace gprofhub::ci
