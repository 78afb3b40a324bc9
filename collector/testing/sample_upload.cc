#include "collector/testing/sample_upload.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "profile/testing/sample_profile.h"

namespace gprofhub::collector {

namespace {

void Describe(const std::string& bytes, v1::BlobRef& blob) {
  blob.set_sha256(base::Sha256Hex(bytes));
  blob.set_size(bytes.size());
}

// Adds `bytes` as chunks of at most `piece` bytes.
void AddChunks(const std::string& bytes, size_t piece, std::vector<v1::BlobChunk>& chunks) {
  for (size_t offset = 0; offset < bytes.size(); offset += piece) {
    v1::BlobChunk chunk;
    chunk.set_sha256(base::Sha256Hex(bytes));
    chunk.set_offset(offset);
    chunk.set_data(bytes.substr(offset, piece));
    chunks.push_back(chunk);
  }
}

void Replace(SampleUpload& upload, v1::BlobRef& blob, const std::string& bytes) {
  const std::string old_name = blob.sha256();
  upload.chunks.erase(
      std::remove_if(upload.chunks.begin(), upload.chunks.end(),
                     [&](const v1::BlobChunk& chunk) { return chunk.sha256() == old_name; }),
      upload.chunks.end());
  Describe(bytes, blob);
  AddChunks(bytes, bytes.size(), upload.chunks);
}

}  // namespace

std::vector<v1::UploadRequest> SampleUpload::Messages() const {
  std::vector<v1::UploadRequest> messages(1);
  *messages[0].mutable_header() = header;
  for (const v1::BlobChunk& chunk : chunks) *messages.emplace_back().mutable_chunk() = chunk;
  return messages;
}

SampleUpload MakeSampleUpload(uint32_t seed) {
  SampleUpload upload;
  v1::RunInfo& run = *upload.header.mutable_run();
  run.set_project("default");
  run.set_run_key("run-1");
  run.set_commit(std::string(40, 'a'));
  run.set_branch("main");
  run.set_configuration("k8-opt");
  run.set_started_unix_ms(1'700'000'000'000);
  v1::ExecutionInfo& execution = *upload.header.mutable_execution();
  execution.set_target(absl::StrCat("//db:test_", seed));
  execution.set_run_number(1);
  execution.set_shard(1);
  execution.set_attempt(1);
  execution.set_status("PASSED");

  const std::string bundle = profile::SampleBundle(seed);
  v1::ImageRef& image = *upload.header.add_images();
  image.set_build_id(profile::SampleSymbols(seed).build_id);
  Describe(bundle, *image.mutable_bundle());
  AddChunks(bundle, bundle.size(), upload.chunks);

  const std::string gmon = profile::SampleGmon(100 + seed);
  v1::ProfileRef& profile = *upload.header.add_profiles();
  profile.set_process("gmon.17");
  profile.set_build_id(image.build_id());
  Describe(gmon, *profile.mutable_data());
  AddChunks(gmon, gmon.size() / 2 + 1, upload.chunks);
  return upload;
}

void ReplaceProfile(SampleUpload& upload, int i, const std::string& bytes) {
  Replace(upload, *upload.header.mutable_profiles(i)->mutable_data(), bytes);
}

void ReplaceBundle(SampleUpload& upload, int i, const std::string& bytes) {
  Replace(upload, *upload.header.mutable_images(i)->mutable_bundle(), bytes);
}

}  // namespace gprofhub::collector
