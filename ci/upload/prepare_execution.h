// One execution of a test in the collector's format.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ci/upload/collector_client.h"
#include "ci/upload/image_search.h"
#include "ci/upload/results/profile_files.h"
#include "ci/upload/results/test_events.h"
#include "proto/collector.pb.h"

namespace gprofhub::ci {

// An execution ready to be sent; owns the bytes that `blobs` points to. Without profiles there is
// nothing to send, unless it is a cached result: the server may have its profile.
struct PreparedExecution {
  v1::UploadHeader header;  // of its run, only the kind of its profiles is set
  BlobBytes blobs;
  std::vector<ProfileFile> profiles;
  std::map<std::string, std::shared_ptr<const Image>> images;  // by build-id
};

// Finds the execution's profiles, assigns each to its images and checks that they match. A case
// that is measured separately is an execution of its own (results/cases.h); the result is never
// empty. Appends a sentence to `skipped` for each skipped profile.
std::vector<PreparedExecution> PrepareExecutions(const TestAttempt& attempt, ImageSearch& search,
                                                 ImageBundles& bundles,
                                                 std::vector<std::string>& skipped);

}  // namespace gprofhub::ci
