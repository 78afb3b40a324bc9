// Builds the collector's description of one execution from its profiles and their images.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "ci/upload/results/profile_files.h"
#include "ci/upload/results/test_attempt.h"
#include "proto/collector.pb.h"

namespace gprofhub::ci {

// An image as the collector's messages describe it.
struct ImageBundle {
  std::string build_id;
  std::string sha256;  // of its symbol bundle
  uint64_t size = 0;
};

struct ImageSources {
  // The images that the profile can be resolved against; none: the profile is skipped, and
  // `skipped` has a sentence for it. May change the profile's bytes.
  std::function<std::vector<ImageBundle>(ProfileFile& profile, std::vector<std::string>& skipped)>
      images_of;
  // The build-id of the test's own program; empty if unknown.
  std::function<std::string()> own_build_id;
};

// The header's run is unset, except for the kind of its profiles.
struct DescribedExecution {
  v1::UploadHeader header;
  std::vector<ProfileFile> profiles;  // in the order of the header
};

// Appends a sentence to `skipped` for each skipped profile.
DescribedExecution DescribeExecution(const TestAttempt& attempt, std::vector<ProfileFile> profiles,
                                     const ImageSources& sources,
                                     std::vector<std::string>& skipped);

// Whether to ask the server for the profile of a cached result that has no local profile: its
// outputs were skipped (`some_left_out`), or Bazel names no outputs of a profiled program, as Bazel
// 4 does with --remote_download_minimal. False for a test that writes no profile.
bool AsksForProfile(const TestAttempt& attempt, const v1::UploadHeader& header, bool some_left_out);

// Message for a missing profile if Bazel names no outputs.
inline constexpr absl::string_view kNoOutputsNamed =
    "Bazel names no outputs of this result out of its cache, and the server knows no profile of "
    "the same program: give "
    "--remote_download_toplevel in the place of --remote_download_minimal";

}  // namespace gprofhub::ci
