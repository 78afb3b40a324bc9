// One execution as the collector takes it, out of its profiles and what is known of their images.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ci/upload/results/profile_files.h"
#include "ci/upload/results/test_attempt.h"
#include "proto/collector.pb.h"

namespace gprofhub::ci {

// What the collector is told of an image.
struct ImageBundle {
  std::string build_id;
  std::string sha256;  // of its symbol bundle
  uint64_t size = 0;
};

struct ImageSources {
  // The images that the profile can be resolved against; none: the profile is left out, and
  // `skipped` has a sentence for it. May change the profile's bytes.
  std::function<std::vector<ImageBundle>(ProfileFile& profile, std::vector<std::string>& skipped)>
      images_of;
  // The build-id of the test's own program; empty if it is not known.
  std::function<std::string()> own_build_id;
};

// The header names no run yet, but for the kind of its profiles.
struct DescribedExecution {
  v1::UploadHeader header;
  std::vector<ProfileFile> profiles;  // those that the header names
};

// `skipped` gets a sentence for each profile left out.
DescribedExecution DescribeExecution(const TestAttempt& attempt, std::vector<ProfileFile> profiles,
                                     const ImageSources& sources,
                                     std::vector<std::string>& skipped);

}  // namespace gprofhub::ci
