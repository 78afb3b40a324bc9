#include "ci/upload/prepare_execution.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/sha256.h"
#include "base/status_context.h"
#include "ci/upload/check_profile.h"
#include "ci/upload/results/cases.h"
#include "ci/upload/results/outputs.h"
#include "ci/upload/stacks.h"

namespace gprofhub::ci {
namespace {

// What the collector takes in one upload.
constexpr size_t kMaxProfiles = 10'000;

constexpr absl::string_view kBuildIdPrefix = "build-id:";

// Where images come from.
struct ImageSource {
  ImageSearch& search;
  ImageBundles& bundles;
};

// Names the programs that an execution ran, by their build-ids; empty where one is not
// known.
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

// The program's file, as far as the profile's name says it.
std::string ProgramOf(const ProfileFile& profile) {
  const std::string base_name = profile.name.substr(profile.name.rfind('/') + 1);
  return ParseProfileName(base_name).value_or(ProfileName()).program;
}

absl::StatusOr<std::shared_ptr<const Image>> FindImage(const RecordedImage& wanted,
                                                       const ProfileFile& profile,
                                                       const TestAttempt& attempt,
                                                       const ImageSource& source) {
  if (!wanted.build_id.empty()) {
    auto built = source.bundles.FindBuilt(attempt.symbol_bundles, wanted.build_id);
    if (built != nullptr) return built;
  }
  absl::StatusOr<std::string> path =
      wanted.build_id.empty()
          ? source.search.TestBinary(attempt)
          : source.search.FindByBuildId(wanted.build_id, wanted.file_name, attempt);
  if (!path.ok()) {
    return base::WithContext(path.status(), profile.origin);
  }
  return source.bundles.Load(*path, wanted.build_id);
}

// The images that the profile can be resolved against. Those of a recording that
// nobody can name, such as libc's, are left out: their time is still theirs.
std::vector<std::shared_ptr<const Image>> FindImages(const ProfileFile& profile,
                                                     const TestAttempt& attempt,
                                                     const ImageSource& source,
                                                     std::vector<std::string>& skipped) {
  std::vector<RecordedImage> wanted = profile.images;
  if (wanted.empty()) wanted.push_back({profile.build_id, true, ProgramOf(profile)});
  std::vector<std::shared_ptr<const Image>> images;
  for (const RecordedImage& one : wanted) {
    absl::StatusOr<std::shared_ptr<const Image>> image = FindImage(one, profile, attempt, source);
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
                                                             const ImageSource& source,
                                                             std::vector<std::string>& skipped) {
  absl::StatusOr<std::shared_ptr<const Image>> image = FindImage({}, profile, attempt, source);
  const absl::Status status = image.ok() ? PackStacks(profile, **image) : image.status();
  if (status.ok()) return {*std::move(image)};
  skipped.push_back(absl::StrCat(attempt.label, ": ", status.message()));
  return {};
}

bool IsStacks(const ProfileFile& profile) { return profile.is_stacks; }

// Ties the profiles to their images, as far as there are any.
void AddProfiles(std::vector<ProfileFile> profiles, const TestAttempt& attempt,
                 const ImageSource& source, std::vector<std::string>& skipped,
                 PreparedExecution& prepared) {
  const bool is_sampled = prepared.header.run().profile_kind() == v1::SAMPLED;
  for (ProfileFile& profile : profiles) {
    const auto images = is_sampled ? PackStacksForImage(profile, attempt, source, skipped)
                                   : FindImages(profile, attempt, source, skipped);
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
      ref.mutable_data()->set_sha256(sha256);
      ref.mutable_data()->set_size(profile.bytes.size());
      prepared.images[image->build_id] = image;
    }
    prepared.profiles.push_back(std::move(profile));
  }
}

// The programs of the profiles; without any, that of a result out of a cache is the test's own.
std::string DigestOf(const TestAttempt& attempt, const std::vector<ProfileFile>& profiles,
                     ImageSearch& search) {
  if (!profiles.empty() || !attempt.cached) return DigestOfPrograms(profiles);
  const std::string build_id = search.TestBuildId(attempt);
  return build_id.empty() ? "" : absl::StrCat(kBuildIdPrefix, build_id);
}

void DescribeExecution(const TestAttempt& attempt, ImageSearch& search,
                       PreparedExecution& prepared) {
  v1::ExecutionInfo& execution = *prepared.header.mutable_execution();
  execution.set_target(attempt.label);
  execution.set_run_number(attempt.run);
  execution.set_shard(attempt.shard);
  execution.set_attempt(attempt.attempt);
  execution.set_cached(attempt.cached);
  execution.set_status(attempt.status);
  execution.set_test_binary_digest(DigestOf(attempt, prepared.profiles, search));
}

PreparedExecution Prepare(const TestAttempt& attempt, std::vector<ProfileFile> profiles,
                          ImageSearch& search, ImageBundles& bundles,
                          std::vector<std::string>& skipped) {
  PreparedExecution prepared;
  const bool is_sampled = std::any_of(profiles.begin(), profiles.end(), IsStacks);
  if (is_sampled && !std::all_of(profiles.begin(), profiles.end(), IsStacks)) {
    skipped.push_back(absl::StrCat(Describe(attempt),
                                   ": sampled stacks and counted profiles cannot be one run, "
                                   "for only counts are exact: upload them one by one"));
    return prepared;
  }
  if (is_sampled) prepared.header.mutable_run()->set_profile_kind(v1::SAMPLED);
  AddProfiles(std::move(profiles), attempt, {search, bundles}, skipped, prepared);
  DescribeExecution(attempt, search, prepared);
  // Only now do the bytes stay where they are.
  for (const ProfileFile& profile : prepared.profiles) {
    prepared.blobs[base::Sha256Hex(profile.bytes)] = profile.bytes;
  }
  for (const auto& [build_id, image] : prepared.images) {
    v1::ImageRef& ref = *prepared.header.add_images();
    ref.set_build_id(build_id);
    ref.mutable_bundle()->set_sha256(image->bundle_sha256);
    ref.mutable_bundle()->set_size(image->bundle.size());
    prepared.blobs[image->bundle_sha256] = image->bundle;
  }
  return prepared;
}

}  // namespace

std::vector<PreparedExecution> PrepareExecutions(const TestAttempt& attempt, ImageSearch& search,
                                                 ImageBundles& bundles,
                                                 std::vector<std::string>& skipped) {
  std::map<std::string, std::vector<ProfileFile>> parts;
  for (ProfileFile& profile : CollectProfiles(attempt, skipped)) {
    parts[CaseOf(profile.name)].push_back(std::move(profile));
  }
  if (parts.empty()) parts[""];
  std::vector<PreparedExecution> prepared;
  prepared.reserve(parts.size());  // what `blobs` points to stays where it is
  for (auto& [part, profiles] : parts) {
    TestAttempt unit = attempt;
    unit.label = TargetOf(attempt.label, part);
    prepared.push_back(Prepare(unit, std::move(profiles), search, bundles, skipped));
  }
  return prepared;
}

}  // namespace gprofhub::ci
