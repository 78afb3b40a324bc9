#include "ci/upload/results/describe_execution.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/sha256.h"

namespace gprofhub::ci {
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
                                     " profiles; the rest is left out"));
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
                                   ": sampled stacks and counted profiles cannot be one run, "
                                   "for only counts are exact: upload them one by one"));
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
  const bool is_named = !attempt.outputs.empty() || !attempt.remote_outputs.empty();
  return !is_named && !header.execution().test_binary_digest().empty();
}

}  // namespace gprofhub::ci
