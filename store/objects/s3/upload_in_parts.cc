// Amazon S3 User Guide, "Uploading and copying objects using multipart upload": an upload is begun
// and has an id; parts are numbered from 1, at most 10,000, and each but the last has at least 5
// MiB; the object is there once the upload is completed, and not before. Parts of an upload that
// nobody completes are kept, and paid for.

#include "store/objects/s3/upload_in_parts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/sha256.h"
#include "store/objects/s3/answers.h"
#include "store/objects/s3/failures.h"

namespace gprofhub::store {
namespace {

constexpr uint64_t kMostParts = 10'000;

absl::StatusOr<std::string> Begin(S3Connection& connection, const std::string& key) {
  const S3Question question{
      "POST",
      key,
      {{"uploads", ""}},
      {{"content-type", "application/octet-stream"}, {"x-amz-checksum-algorithm", "SHA256"}},
      ""};
  const absl::StatusOr<base::HttpResponse> answer = connection.Ask(question);
  if (!answer.ok()) return answer.status();
  if (answer->status != 200) return StatusOf(*answer);
  absl::StatusOr<std::string> id = ParseUploadId(answer->body);
  if (!id.ok()) return StatusOf(*answer);
  return id;
}

absl::StatusOr<S3Part> SendPart(S3Connection& connection, const std::string& key,
                                const std::string& upload, size_t number, absl::string_view bytes) {
  S3Part part;
  part.checksum = S3Checksum(bytes);
  const S3Question question{
      "PUT",
      key,
      {{"partNumber", absl::StrCat(number)}, {"uploadId", upload}},
      {{"content-type", "application/octet-stream"}, {"x-amz-checksum-sha256", part.checksum}},
      bytes};
  const absl::StatusOr<base::HttpResponse> answer = connection.Ask(question);
  if (!answer.ok()) return answer.status();
  const auto etag = answer->headers.find("etag");
  if (answer->status != 200) return StatusOf(*answer);
  if (etag == answer->headers.end()) {
    return absl::InternalError("the object store gives a part no ETag");
  }
  if (absl::Status status = CheckReceived(*answer, bytes); !status.ok()) return status;
  part.etag = etag->second;
  return part;
}

absl::Status Complete(S3Connection& connection, const std::string& key, const std::string& upload,
                      const std::vector<S3Part>& parts) {
  const std::string body = CompleteUploadBody(parts);
  const absl::StatusOr<base::HttpResponse> answer = connection.AskForNew(
      {"POST", key, {{"uploadId", upload}}, {{"content-type", "application/xml"}}, body});
  if (!answer.ok()) return answer.status();
  if (answer->status == 200 && IsCompleted(answer->body)) return absl::OkStatus();
  return StatusOf(*answer);
}

absl::Status SendAll(S3Connection& connection, const std::string& key, const std::string& upload,
                     absl::string_view bytes, uint64_t part_bytes) {
  std::vector<S3Part> parts;
  for (uint64_t begin = 0; begin < bytes.size(); begin += part_bytes) {
    absl::StatusOr<S3Part> part =
        SendPart(connection, key, upload, parts.size() + 1, bytes.substr(begin, part_bytes));
    if (!part.ok()) return part.status();
    parts.push_back(*std::move(part));
  }
  return Complete(connection, key, upload, parts);
}

}  // namespace

std::string S3Checksum(absl::string_view bytes) {
  return absl::Base64Escape(absl::HexStringToBytes(base::Sha256Hex(bytes)));
}

absl::Status CheckReceived(const base::HttpResponse& answer, absl::string_view bytes) {
  const auto received = answer.headers.find("x-amz-checksum-sha256");
  if (received == answer.headers.end() || received->second == S3Checksum(bytes)) {
    return absl::OkStatus();
  }
  return absl::DataLossError("the object store received other bytes than were sent");
}

absl::Status UploadInParts(S3Connection& connection, const std::string& key,
                           absl::string_view bytes, uint64_t part_bytes) {
  const absl::StatusOr<std::string> upload = Begin(connection, key);
  if (!upload.ok()) return upload.status();
  const uint64_t needed = (bytes.size() + kMostParts - 1) / kMostParts;
  absl::Status status = SendAll(connection, key, *upload, bytes, std::max(part_bytes, needed));
  // What matters is why it failed, and not whether the rest could be removed.
  if (!status.ok()) (void)connection.Ask({"DELETE", key, {{"uploadId", *upload}}, {}, ""});
  return status;
}

}  // namespace gprofhub::store
