#include "store/objects/s3/s3_objects.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/http/curl_client.h"
#include "base/sha256.h"
#include "store/objects/object_key.h"
#include "store/objects/s3/answers.h"
#include "store/objects/s3/failures.h"
#include "store/objects/s3/location.h"

namespace gprofhub::store {
namespace {

constexpr size_t kLongestKey = 1024;
constexpr size_t kObjectsOfAPage = 1000;
constexpr size_t kLongestList = 16 << 20;
// Limit on consecutive pages without an object of ours: a faulty server might page without end.
constexpr int kMostEmptyPages = 1000;

// Chunk size of comparisons of an object with other bytes.
constexpr uint64_t kComparedAtOnce = 8 << 20;

absl::Status NotWhatWasAsked(absl::string_view what) {
  return absl::InternalError(absl::StrCat("the object store answers with ", what));
}

// SHA-256 in base64, as x-amz-checksum-sha256 has it.
std::string S3Checksum(absl::string_view bytes) {
  return absl::Base64Escape(absl::HexStringToBytes(base::Sha256Hex(bytes)));
}

// DATA_LOSS if the server returns another checksum than that of `bytes`. Not all servers return
// one.
absl::Status CheckReceived(const base::HttpResponse& answer, absl::string_view checksum) {
  const auto received = answer.headers.find("x-amz-checksum-sha256");
  if (received == answer.headers.end() || received->second == checksum) return absl::OkStatus();
  return absl::DataLossError("the object store received other bytes than were sent");
}

class S3Objects : public ObjectStore {
 public:
  S3Objects(S3Location location, base::HttpClient http, S3Options options)
      : connection_(std::move(location), std::move(http), std::move(options.environment),
                    std::move(options.clock), options.retries) {}

  absl::Status CheckCredentials() { return connection_.CheckCredentials(); }

  absl::Status Put(absl::string_view key, absl::string_view bytes) override;
  absl::StatusOr<std::string> Read(absl::string_view key, uint64_t offset,
                                   uint64_t length) override;
  absl::Status Delete(absl::string_view key) override;
  absl::StatusOr<ObjectPage> List(absl::string_view prefix, absl::string_view after) override;

 private:
  std::string Whole(absl::string_view key) const {
    return absl::StrCat(connection_.location().prefix, key);
  }
  absl::Status CheckKey(absl::string_view key) const;
  absl::StatusOr<base::HttpResponse> AskForBytes(absl::string_view key, uint64_t first,
                                                 uint64_t last);
  absl::StatusOr<uint64_t> Size(absl::string_view key);
  absl::Status CheckIsSame(absl::string_view key, absl::string_view bytes);
  absl::Status PutNew(absl::string_view key, absl::string_view bytes);
  absl::StatusOr<S3List> ListOnce(const std::string& prefix, const std::string& after);

  S3Connection connection_;
};

absl::Status S3Objects::CheckKey(absl::string_view key) const {
  if (absl::Status status = CheckObjectKey(key); !status.ok()) return status;
  if (Whole(key).size() <= kLongestKey) return absl::OkStatus();
  return absl::InvalidArgumentError("the key and the location's prefix are too long together");
}

absl::StatusOr<base::HttpResponse> S3Objects::AskForBytes(absl::string_view key, uint64_t first,
                                                          uint64_t last) {
  // An error response has a body, too.
  const size_t most = std::max<uint64_t>(last - first + 1, 64 << 10);
  return connection_.Ask(
      {"GET", Whole(key), {}, {{"range", absl::StrCat("bytes=", first, "-", last)}}, "", most});
}

absl::StatusOr<uint64_t> S3Objects::Size(absl::string_view key) {
  const absl::StatusOr<base::HttpResponse> head = connection_.Ask({"HEAD", Whole(key), {}, {}, ""});
  if (!head.ok()) return head.status();
  if (head->status == 200) {
    const auto header = head->headers.find("content-length");
    uint64_t size = 0;
    if (header != head->headers.end() && absl::SimpleAtoi(header->second, &size)) return size;
    return NotWhatWasAsked("an object without a length");
  }
  // A HEAD response has no body, so it cannot distinguish a missing object from a missing bucket.
  const absl::StatusOr<base::HttpResponse> answer = AskForBytes(key, 0, 1);
  if (!answer.ok()) return answer.status();
  if (answer->status >= 300) return StatusOf(*answer);
  return absl::UnavailableError("the object came while it was looked for");
}

absl::StatusOr<std::string> S3Objects::Read(absl::string_view key, uint64_t offset,
                                            uint64_t length) {
  if (absl::Status status = CheckKey(key); !status.ok()) return status;
  const absl::Status too_short = absl::OutOfRangeError("the object is shorter");
  if (length > std::numeric_limits<int64_t>::max() - std::min<uint64_t>(offset, INT64_MAX)) {
    return too_short;
  }
  if (length == 0) {
    const absl::StatusOr<uint64_t> size = Size(key);
    if (!size.ok()) return size.status();
    if (offset > *size) return too_short;
    return std::string();
  }
  const uint64_t last = offset + length - 1;
  absl::StatusOr<base::HttpResponse> answer = AskForBytes(key, offset, last);
  if (!answer.ok()) return answer.status();
  if (answer->status == 200) {  // the server ignored the range
    if (answer->body.size() <= last) return too_short;
    return answer->body.substr(offset, length);
  }
  if (answer->status != 206) return StatusOf(*answer);
  const auto header = answer->headers.find("content-range");
  if (header == answer->headers.end()) return NotWhatWasAsked("a part of no range");
  const absl::StatusOr<ContentRange> range = ParseContentRange(header->second);
  if (!range.ok()) return NotWhatWasAsked("a part of no range");
  if (range->total <= last) return too_short;
  if (range->first != offset || range->last != last || answer->body.size() != length) {
    return NotWhatWasAsked("another part of the object");
  }
  return std::move(answer->body);
}

// OK: `key` has these bytes. NOT_FOUND: the key is free. ALREADY_EXISTS: it has other bytes.
absl::Status S3Objects::CheckIsSame(absl::string_view key, absl::string_view bytes) {
  const absl::StatusOr<uint64_t> size = Size(key);
  if (!size.ok()) return size.status();
  bool is_same = *size == bytes.size();
  for (uint64_t begin = 0; is_same && begin < bytes.size(); begin += kComparedAtOnce) {
    const absl::string_view part = bytes.substr(begin, kComparedAtOnce);
    const absl::StatusOr<std::string> there = Read(key, begin, part.size());
    if (!there.ok()) return there.status();
    is_same = *there == part;
  }
  return is_same ? absl::OkStatus() : absl::AlreadyExistsError("another object has the key");
}

absl::Status S3Objects::PutNew(absl::string_view key, absl::string_view bytes) {
  const std::string checksum = S3Checksum(bytes);
  const absl::StatusOr<base::HttpResponse> answer = connection_.AskForNew(
      {"PUT",
       Whole(key),
       {},
       {{"content-type", "application/octet-stream"}, {"x-amz-checksum-sha256", checksum}},
       bytes});
  if (!answer.ok()) return answer.status();
  return answer->status == 200 ? CheckReceived(*answer, checksum) : StatusOf(*answer);
}

absl::Status S3Objects::Put(absl::string_view key, absl::string_view bytes) {
  if (absl::Status status = CheckKey(key); !status.ok()) return status;
  if (absl::Status status = CheckObjectSize(bytes); !status.ok()) return status;
  // Servers without conditional writes replace the old object, and some do so silently. An existing
  // identical object need not be sent.
  absl::Status there = CheckIsSame(key, bytes);
  if (!absl::IsNotFound(there)) return there;
  absl::Status put = PutNew(key, bytes);
  // The first of two attempts may have succeeded although its response was lost.
  if (!absl::IsAlreadyExists(put)) return put;
  there = CheckIsSame(key, bytes);
  if (!absl::IsNotFound(there)) return there;
  return absl::UnavailableError("the object was removed while it was put");
}

absl::Status S3Objects::Delete(absl::string_view key) {
  if (absl::Status status = CheckKey(key); !status.ok()) return status;
  const absl::StatusOr<base::HttpResponse> answer =
      connection_.Ask({"DELETE", Whole(key), {}, {}, ""});
  if (!answer.ok()) return answer.status();
  if (answer->status == 204 || answer->status == 200) return absl::OkStatus();
  absl::Status status = StatusOf(*answer);
  return absl::IsNotFound(status) ? absl::OkStatus() : status;
}

absl::StatusOr<S3List> S3Objects::ListOnce(const std::string& prefix, const std::string& after) {
  S3Question question{"GET",
                      "",
                      {{"list-type", "2"},
                       {"encoding-type", "url"},
                       {"max-keys", absl::StrCat(kObjectsOfAPage)},
                       {"prefix", prefix}},
                      {},
                      "",
                      kLongestList};
  if (!after.empty()) question.query["start-after"] = after;
  const absl::StatusOr<base::HttpResponse> answer = connection_.Ask(question);
  if (!answer.ok()) return answer.status();
  if (answer->status != 200) return StatusOf(*answer);
  absl::StatusOr<S3List> list = ParseList(answer->body);
  if (!list.ok()) return NotWhatWasAsked(list.status().message());
  if (list->objects.size() > kObjectsOfAPage) return NotWhatWasAsked("a list that is too long");
  for (const S3List::Object& object : list->objects) {
    if (object.key <= after || !absl::StartsWith(object.key, prefix)) {
      return NotWhatWasAsked("objects of another list");
    }
  }
  return list;
}

absl::StatusOr<ObjectPage> S3Objects::List(absl::string_view prefix, absl::string_view after) {
  std::string from = after.empty() ? std::string() : Whole(after);
  for (int pages = 0; pages < kMostEmptyPages; ++pages) {
    absl::StatusOr<S3List> list = ListOnce(Whole(prefix), from);
    if (!list.ok()) return list.status();
    ObjectPage page;
    page.is_last = !list->is_truncated;
    for (const S3List::Object& object : list->objects) {
      std::string key = object.key.substr(connection_.location().prefix.size());
      // The bucket may contain foreign objects, such as the "folders" that consoles make.
      if (!CheckObjectKey(key).ok()) continue;
      page.objects.push_back({std::move(key), object.size, object.changed});
    }
    if (page.is_last || !page.objects.empty()) return page;
    from = list->objects.back().key;
  }
  return NotWhatWasAsked("a list without an end");
}

}  // namespace

absl::StatusOr<std::unique_ptr<ObjectStore>> OpenS3Objects(absl::string_view location,
                                                           S3Options options) {
  absl::StatusOr<S3Location> parsed = ParseS3Location(location);
  if (!parsed.ok()) return parsed.status();
  base::HttpClient http = options.http;
  if (!http) {
    base::CurlOptions curl;
    curl.connect_timeout = options.connect_timeout;
    curl.timeout = options.timeout;
    curl.ca_file = options.ca_file;
    curl.allow_plain_http = parsed->insecure;
    curl.keep_connections = true;
    http = base::MakeCurlClient(curl);
  }
  auto objects =
      std::make_unique<S3Objects>(*std::move(parsed), std::move(http), std::move(options));
  if (absl::Status status = objects->CheckCredentials(); !status.ok()) return status;
  return std::unique_ptr<ObjectStore>(std::move(objects));
}

}  // namespace gprofhub::store
