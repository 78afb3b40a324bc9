#include "store/objects/s3_objects.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/http/http.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "store/objects/location.h"
#include "store/objects/object_store.h"

namespace gprofhub::store {

namespace {

constexpr uint64_t kLongestFile = 1 << 20;

// Whether a value can be sent in a header. Other characters could inject a second header or
// truncate the value.
bool IsSendable(absl::string_view value) {
  return !value.empty() && value.size() <= 8192 &&
         std::all_of(value.begin(), value.end(), absl::ascii_isgraph);
}

absl::StatusOr<S3Credentials> Checked(S3Credentials credentials) {
  if (!IsSendable(credentials.access_key) || !IsSendable(credentials.secret_key)) {
    return absl::InvalidArgumentError("the access key or its secret is missing or invalid");
  }
  if (!credentials.session_token.empty() && !IsSendable(credentials.session_token)) {
    return absl::InvalidArgumentError("the session token is invalid");
  }
  return credentials;
}

std::string FileOf(const S3CredentialSource::Environment& environment) {
  const std::string named = environment("AWS_SHARED_CREDENTIALS_FILE");
  return named.empty() ? absl::StrCat(environment("HOME"), "/.aws/credentials") : named;
}

}  // namespace

absl::StatusOr<S3Credentials> ParseCredentialsFile(absl::string_view text,
                                                   absl::string_view profile) {
  S3Credentials credentials;
  bool is_in_profile = false;
  bool found = false;
  int number = 0;
  for (const absl::string_view whole : absl::StrSplit(text, '\n')) {
    ++number;
    const absl::string_view line = absl::StripAsciiWhitespace(whole);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[') {
      if (line.back() != ']') {
        return absl::InvalidArgumentError(
            absl::StrCat("line ", number, " is not a valid [PROFILE]"));
      }
      is_in_profile = absl::StripAsciiWhitespace(line.substr(1, line.size() - 2)) == profile;
      found = found || is_in_profile;
      continue;
    }
    if (!is_in_profile) continue;
    const std::pair<absl::string_view, absl::string_view> setting =
        absl::StrSplit(line, absl::MaxSplits('=', 1));
    const absl::string_view name = absl::StripAsciiWhitespace(setting.first);
    const std::string value(absl::StripAsciiWhitespace(setting.second));
    if (name == "aws_access_key_id") credentials.access_key = value;
    if (name == "aws_secret_access_key") credentials.secret_key = value;
    if (name == "aws_session_token") credentials.session_token = value;
  }
  if (!found) return absl::InvalidArgumentError("no such profile");
  return Checked(std::move(credentials));
}

S3CredentialSource::S3CredentialSource(Environment environment)
    : environment_(std::move(environment)) {}

S3CredentialSource::Environment S3CredentialSource::OfThisProcess() {
  return [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
}

std::string S3CredentialSource::State() const {
  if (!environment_("AWS_ACCESS_KEY_ID").empty()) return "environment";
  struct stat about = {};
  if (stat(FileOf(environment_).c_str(), &about) != 0) return "";
  return absl::StrCat(about.st_ino, " ", about.st_size, " ", about.st_mtim.tv_sec, " ",
                      about.st_mtim.tv_nsec);
}

absl::StatusOr<S3Credentials> S3CredentialSource::Read() const {
  const auto trimmed = [this](const char* name) {
    return std::string(absl::StripAsciiWhitespace(environment_(name)));
  };
  S3Credentials given{trimmed("AWS_ACCESS_KEY_ID"), trimmed("AWS_SECRET_ACCESS_KEY"),
                      trimmed("AWS_SESSION_TOKEN")};
  if (!given.access_key.empty() || !given.secret_key.empty()) {
    absl::StatusOr<S3Credentials> checked = Checked(std::move(given));
    if (checked.ok()) return checked;
    return absl::FailedPreconditionError(
        absl::StrCat("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: ", checked.status().message()));
  }
  const std::string path = FileOf(environment_);
  const absl::StatusOr<std::string> text = base::ReadFile(path, kLongestFile);
  if (!text.ok()) {
    return absl::FailedPreconditionError(
        absl::StrCat("no credentials for the object store: neither AWS_ACCESS_KEY_ID and "
                     "AWS_SECRET_ACCESS_KEY nor a credentials file: ",
                     text.status().message()));
  }
  const std::string named = environment_("AWS_PROFILE");
  const std::string profile = named.empty() ? "default" : named;
  absl::StatusOr<S3Credentials> parsed = ParseCredentialsFile(*text, profile);
  if (parsed.ok()) return parsed;
  return absl::FailedPreconditionError(
      absl::StrCat(path, ", profile ", profile, ": ", parsed.status().message()));
}

absl::StatusOr<S3Credentials> S3CredentialSource::Get() {
  const absl::MutexLock lock(&mutex_);
  // Taken before the file is read, so that a change in between is noticed at the next call.
  const std::string state = State();
  if (known_.has_value() && state == known_state_) return *known_;
  absl::StatusOr<S3Credentials> read = Read();
  if (read.ok()) {
    known_ = *read;
    known_state_ = state;
  } else if (known_.has_value()) {
    return *known_;
  }
  return read;
}

namespace {

// Transient errors: "Error responses", Amazon S3 API Reference. The last three are transmission
// errors: the digest of the received bytes is not that of the sent ones, or the server timed out
// waiting for them.
constexpr std::array<absl::string_view, 9> kPassing = {
    "InternalError",    "ServiceUnavailable",         "SlowDown",
    "OperationAborted", "ConditionalRequestConflict", "RequestLimitExceeded",
    "RequestTimeout",   "XAmzContentSHA256Mismatch",  "BadDigest"};
constexpr std::array<absl::string_view, 4> kOfKeys = {"ExpiredToken", "InvalidToken",
                                                      "TokenRefreshRequired", "AccessDenied"};
constexpr std::array<absl::string_view, 4> kElsewhere = {"PermanentRedirect", "TemporaryRedirect",
                                                         "AuthorizationHeaderMalformed",
                                                         "IllegalLocationConstraintException"};

template <size_t kSize>
bool IsOneOf(absl::string_view code, const std::array<absl::string_view, kSize>& codes) {
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

bool IsPassing(int status, absl::string_view code) {
  return status == 429 || status == 500 || status == 502 || status == 503 || status == 504 ||
         IsOneOf(code, kPassing);
}

}  // namespace

bool MayGoBetter(const base::HttpResponse& answer) {
  return IsPassing(answer.status, answer.status >= 300 ? ErrorCodeOf(answer.body) : "");
}

absl::Status StatusOf(const base::HttpResponse& answer) {
  const std::string code = ErrorCodeOf(answer.body);
  const int status = answer.status;
  const std::string said = code.empty() ? absl::StrCat("status ", status) : code;
  if (IsPassing(status, code)) {
    return absl::UnavailableError(absl::StrCat("the object store is busy: ", said));
  }
  if (code == "NoSuchKey") return absl::NotFoundError("no such object");
  if (code == "NoSuchBucket") {
    return absl::FailedPreconditionError("the object store has no such bucket");
  }
  if (status == 413 || code == "EntityTooLarge") {
    return absl::FailedPreconditionError(
        absl::StrCat("the object store does not accept an object of this size (", said,
                     "); raise its limit on request bodies, or that of a proxy in front of it"));
  }
  if (status == 416) return absl::OutOfRangeError("the object is shorter");
  if (status == 412) return absl::AlreadyExistsError("another object has the key");
  if (status == 501) {
    return absl::UnimplementedError(
        absl::StrCat("the object store does not support this request: ", said));
  }
  if ((status >= 300 && status < 400) || IsOneOf(code, kElsewhere)) {
    return absl::FailedPreconditionError(absl::StrCat("the bucket is at another location (", said,
                                                      "); check endpoint, region and style"));
  }
  if (code == "RequestTimeTooSkewed") {
    return absl::PermissionDeniedError(
        "the object store rejects the time of the request: the clocks differ by minutes");
  }
  if (status == 401 || status == 403 || IsOneOf(code, kOfKeys)) {
    return absl::PermissionDeniedError(
        absl::StrCat("the object store rejects the credentials: ", said));
  }
  if (status == 404) {
    return absl::FailedPreconditionError(absl::StrCat("the server is not an object store: ", said));
  }
  return absl::InternalError(absl::StrCat("the object store responded with ", said));
}

absl::Status WithoutUrl(const absl::Status& status) {
  const std::string why = base::PublicMessageOf(status);
  if (absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status)) {
    return absl::UnavailableError(absl::StrCat("the object store does not respond: ", why));
  }
  if (absl::IsResourceExhausted(status)) {
    return absl::InternalError(absl::StrCat("the object store: ", why));
  }
  return absl::Status(status.code(), "cannot send a request to the object store");
}

namespace {

// Response headers count towards the limit, too.
constexpr size_t kMostHeaderBytes = 64 << 10;
// Bytes per second. A request body extends the timeout by its size at this rate.
constexpr uint64_t kSlowestUpload = 128 << 10;

std::function<double()> GoodRandom() {
  struct State {
    absl::Mutex mutex;
    std::mt19937_64 bits{std::random_device{}()};
  };
  return [state = std::make_shared<State>()] {
    const absl::MutexLock lock(&state->mutex);
    return std::uniform_real_distribution<double>()(state->bits);
  };
}

S3Clock Complete(S3Clock clock) {
  if (!clock.random) clock.random = GoodRandom();
  return clock;
}

}  // namespace

S3Connection::S3Connection(S3Location location, base::HttpClient http,
                           S3CredentialSource::Environment environment, S3Clock clock,
                           S3Retries retries)
    : location_(std::move(location)),
      http_(std::move(http)),
      clock_(Complete(std::move(clock))),
      retries_(retries),
      credentials_(std::move(environment)) {}

absl::Status S3Connection::CheckCredentials() { return credentials_.Get().status(); }

absl::StatusOr<base::HttpResponse> S3Connection::AskOnce(const S3Question& question) {
  ASSIGN_OR_RETURN(const S3Credentials credentials, credentials_.Get());
  const S3Request request{question.method, location_.host(), location_.path(question.key),
                          question.query,  question.headers, question.body};
  base::HttpRequest sent;
  sent.method = question.method;
  sent.url = absl::StrCat(location_.scheme, "://", location_.host(), EncodedPath(request.path));
  if (!question.query.empty()) absl::StrAppend(&sent.url, "?", EncodedQuery(question.query));
  sent.headers = SignedHeaders(request, credentials, location_.region, clock_.now());
  sent.borrowed_body = question.body;
  sent.max_response_bytes = question.most_bytes + kMostHeaderBytes;
  sent.extra_time = absl::Seconds(question.body.size() / kSlowestUpload);
  absl::StatusOr<base::HttpResponse> answer = http_(sent);
  if (!answer.ok()) return WithoutUrl(answer.status());
  return answer;
}

absl::StatusOr<base::HttpResponse> S3Connection::Ask(const S3Question& question) {
  const absl::Time begin = clock_.now();
  absl::Duration most = retries_.first_wait;
  for (int attempt = 1;; ++attempt) {
    absl::StatusOr<base::HttpResponse> answer = AskOnce(question);
    const bool again = answer.ok() ? MayGoBetter(*answer) : absl::IsUnavailable(answer.status());
    if (!again) return answer;
    const absl::Duration wait = most * clock_.random();
    if (attempt >= retries_.attempts || clock_.now() + wait - begin > retries_.total) {
      return answer.ok() ? StatusOf(*answer) : answer.status();
    }
    clock_.sleep(wait);
    most = std::min(most * 2, retries_.longest_wait);
  }
}

absl::StatusOr<base::HttpResponse> S3Connection::AskForNew(S3Question question) {
  if (knows_condition_) {
    question.headers["if-none-match"] = "*";
    absl::StatusOr<base::HttpResponse> answer = Ask(question);
    if (!answer.ok() || answer->status != 501) return answer;
    knows_condition_ = false;
    question.headers.erase("if-none-match");
  }
  return Ask(question);
}

namespace {

constexpr size_t kLongestKey = 1024;
constexpr size_t kObjectsOfAPage = 1000;
constexpr size_t kLongestList = 16 << 20;
// Limit on consecutive pages without an object of ours: a faulty server might page without end.
constexpr int kMostEmptyPages = 1000;

// Chunk size of comparisons of an object with other bytes.
constexpr uint64_t kComparedAtOnce = 8 << 20;

absl::Status NotWhatWasAsked(absl::string_view what) {
  return absl::InternalError(absl::StrCat("the object store responded with ", what));
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
  return absl::DataLossError("the object store received corrupted bytes");
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
  RETURN_IF_ERROR(CheckObjectKey(key));
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
  ASSIGN_OR_RETURN(const base::HttpResponse head,
                   connection_.Ask({"HEAD", Whole(key), {}, {}, ""}));
  if (head.status == 200) {
    const auto header = head.headers.find("content-length");
    uint64_t size = 0;
    if (header != head.headers.end() && absl::SimpleAtoi(header->second, &size)) return size;
    return NotWhatWasAsked("an object without a length");
  }
  // A HEAD response has no body, so it cannot distinguish a missing object from a missing bucket.
  ASSIGN_OR_RETURN(const base::HttpResponse answer, AskForBytes(key, 0, 1));
  if (answer.status >= 300) return StatusOf(answer);
  return absl::UnavailableError("the object appeared during the lookup");
}

absl::StatusOr<std::string> S3Objects::Read(absl::string_view key, uint64_t offset,
                                            uint64_t length) {
  RETURN_IF_ERROR(CheckKey(key));
  const absl::Status too_short = absl::OutOfRangeError("the object is shorter");
  if (length > std::numeric_limits<int64_t>::max() - std::min<uint64_t>(offset, INT64_MAX)) {
    return too_short;
  }
  if (length == 0) {
    ASSIGN_OR_RETURN(const uint64_t size, Size(key));
    if (offset > size) return too_short;
    return std::string();
  }
  const uint64_t last = offset + length - 1;
  ASSIGN_OR_RETURN(base::HttpResponse answer, AskForBytes(key, offset, last));
  if (answer.status == 200) {  // the server ignored the range
    if (answer.body.size() <= last) return too_short;
    return answer.body.substr(offset, length);
  }
  if (answer.status != 206) return StatusOf(answer);
  const auto header = answer.headers.find("content-range");
  if (header == answer.headers.end()) return NotWhatWasAsked("a part of no range");
  const absl::StatusOr<ContentRange> range = ParseContentRange(header->second);
  if (!range.ok()) return NotWhatWasAsked("a part of no range");
  if (range->total <= last) return too_short;
  if (range->first != offset || range->last != last || answer.body.size() != length) {
    return NotWhatWasAsked("another part of the object");
  }
  return std::move(answer.body);
}

// OK: `key` has these bytes. NOT_FOUND: the key is free. ALREADY_EXISTS: it has other bytes.
absl::Status S3Objects::CheckIsSame(absl::string_view key, absl::string_view bytes) {
  ASSIGN_OR_RETURN(const uint64_t size, Size(key));
  bool is_same = size == bytes.size();
  for (uint64_t begin = 0; is_same && begin < bytes.size(); begin += kComparedAtOnce) {
    const absl::string_view part = bytes.substr(begin, kComparedAtOnce);
    ASSIGN_OR_RETURN(const std::string there, Read(key, begin, part.size()));
    is_same = there == part;
  }
  return is_same ? absl::OkStatus() : absl::AlreadyExistsError("another object has the key");
}

absl::Status S3Objects::PutNew(absl::string_view key, absl::string_view bytes) {
  const std::string checksum = S3Checksum(bytes);
  ASSIGN_OR_RETURN(const base::HttpResponse answer,
                   connection_.AskForNew({"PUT",
                                          Whole(key),
                                          {},
                                          {{"content-type", "application/octet-stream"},
                                           {"x-amz-checksum-sha256", checksum}},
                                          bytes}));
  return answer.status == 200 ? CheckReceived(answer, checksum) : StatusOf(answer);
}

absl::Status S3Objects::Put(absl::string_view key, absl::string_view bytes) {
  RETURN_IF_ERROR(CheckKey(key));
  RETURN_IF_ERROR(CheckObjectSize(bytes));
  // Servers without conditional writes replace the old object, and some do so silently. An existing
  // identical object need not be sent.
  absl::Status there = CheckIsSame(key, bytes);
  if (!absl::IsNotFound(there)) return there;
  absl::Status put = PutNew(key, bytes);
  // The first of two attempts may have succeeded although its response was lost.
  if (!absl::IsAlreadyExists(put)) return put;
  there = CheckIsSame(key, bytes);
  if (!absl::IsNotFound(there)) return there;
  return absl::UnavailableError("the object was removed during the upload");
}

absl::Status S3Objects::Delete(absl::string_view key) {
  RETURN_IF_ERROR(CheckKey(key));
  ASSIGN_OR_RETURN(const base::HttpResponse answer,
                   connection_.Ask({"DELETE", Whole(key), {}, {}, ""}));
  if (answer.status == 204 || answer.status == 200) return absl::OkStatus();
  absl::Status status = StatusOf(answer);
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
  ASSIGN_OR_RETURN(const base::HttpResponse answer, connection_.Ask(question));
  if (answer.status != 200) return StatusOf(answer);
  absl::StatusOr<S3List> list = ParseList(answer.body);
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
    ASSIGN_OR_RETURN(S3List list, ListOnce(Whole(prefix), from));
    ObjectPage page;
    page.is_last = !list.is_truncated;
    for (const S3List::Object& object : list.objects) {
      std::string key = object.key.substr(connection_.location().prefix.size());
      // The bucket may contain foreign objects, such as the "folders" that consoles make.
      if (!CheckObjectKey(key).ok()) continue;
      page.objects.push_back({std::move(key), object.size, object.changed});
    }
    if (page.is_last || !page.objects.empty()) return page;
    from = list.objects.back().key;
  }
  return NotWhatWasAsked("a list without an end");
}

}  // namespace

absl::StatusOr<std::unique_ptr<ObjectStore>> OpenS3Objects(absl::string_view location,
                                                           S3Options options) {
  ASSIGN_OR_RETURN(S3Location parsed, ParseS3Location(location));
  base::HttpClient http = options.http;
  if (!http) {
    base::CurlOptions curl;
    curl.connect_timeout = options.connect_timeout;
    curl.timeout = options.timeout;
    curl.ca_file = options.ca_file;
    curl.allow_plain_http = parsed.insecure;
    curl.keep_connections = true;
    http = base::MakeCurlClient(curl);
  }
  auto objects =
      std::make_unique<S3Objects>(std::move(parsed), std::move(http), std::move(options));
  RETURN_IF_ERROR(objects->CheckCredentials());
  return std::unique_ptr<ObjectStore>(std::move(objects));
}

}  // namespace gprofhub::store
