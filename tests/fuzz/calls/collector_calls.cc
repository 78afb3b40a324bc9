// The collector's methods, from bytes to the store. The first byte is the kind of the rest:
//   0  a message of FindMissingBlobs
//   1  messages of Upload, each behind its length in two bytes, the low one first
//   2  the profile of an upload that is right in all else
//   3  the symbol bundle of such an upload

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "collector/testing/sample_upload.h"
#include "collector/upload_session.h"
#include "tests/fuzz/calls/called_method.h"

namespace gprofhub::tests {
namespace {

std::vector<std::string> Pieces(absl::string_view bytes) {
  std::vector<std::string> pieces;
  while (bytes.size() >= 2) {
    const size_t size = static_cast<uint8_t>(bytes[0]) | static_cast<uint8_t>(bytes[1]) << 8;
    pieces.emplace_back(bytes.substr(2, size));
    bytes.remove_prefix(std::min(bytes.size(), 2 + size));
  }
  return pieces;
}

std::vector<std::string> Messages(const collector::SampleUpload& upload) {
  std::vector<std::string> messages;
  for (const v1::UploadRequest& message : upload.Messages()) {
    messages.push_back(message.SerializeAsString());
  }
  return messages;
}

}  // namespace
}  // namespace gprofhub::tests

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gprofhub;
  static collector::CollectorService service(
      tests::FuzzedStore().blobs, tests::FuzzedStore().ingest, tests::FuzzedStore().reading, {});
  static const std::vector<collector::Method> methods = service.Methods();
  static const collector::Method& find = tests::MethodNamed(methods, "/FindMissingBlobs");
  static const collector::Method& upload = tests::MethodNamed(methods, "/Upload");
  if (size == 0) return 0;
  const absl::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      (void)tests::Call(find, {std::string(rest)});
      break;
    case 1:
      (void)tests::Call(upload, tests::Pieces(rest));
      break;
    default: {
      if (rest.empty()) break;
      collector::SampleUpload sample = collector::MakeSampleUpload(2);
      if (data[0] % 4 == 2) {
        collector::ReplaceProfile(sample, 0, std::string(rest));
      } else {
        collector::ReplaceBundle(sample, 0, std::string(rest));
      }
      (void)tests::Call(upload, tests::Messages(sample));
    }
  }
  return 0;
}
