// Sample uploads, as a client sends them, for tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proto/collector.pb.h"

namespace gprofhub::collector {

// An upload that tests modify: every message in order.
struct SampleUpload {
  v1::UploadHeader header;
  std::vector<v1::BlobChunk> chunks;

  // The stream's messages: the header, then the chunks.
  std::vector<v1::UploadRequest> Messages() const;
};

// One execution of target "//db:test_<seed>" in run "run-1" of project "default",
// with one profile (profile/testing/sample_profile.h) in two chunks and one symbol
// bundle. The same seed gives the same upload.
SampleUpload MakeSampleUpload(uint32_t seed);

// Replaces the i-th profile's bytes and sends them in one chunk.
void ReplaceProfile(SampleUpload& upload, int i, const std::string& bytes);

// Replaces the i-th image's bundle.
void ReplaceBundle(SampleUpload& upload, int i, const std::string& bytes);

}  // namespace gprofhub::collector
