#include "store/objects/s3/connection.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "store/objects/s3/failures.h"
#include "store/objects/s3/signature.h"

namespace gprofhub::store {
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
  const absl::StatusOr<S3Credentials> credentials = credentials_.Get();
  if (!credentials.ok()) return credentials.status();
  const S3Request request{question.method, location_.host(), location_.path(question.key),
                          question.query,  question.headers, question.body};
  base::HttpRequest sent;
  sent.method = question.method;
  sent.url = absl::StrCat(location_.scheme, "://", location_.host(), EncodedPath(request.path));
  if (!question.query.empty()) absl::StrAppend(&sent.url, "?", EncodedQuery(question.query));
  sent.headers = SignedHeaders(request, *credentials, location_.region, clock_.now());
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

}  // namespace gprofhub::store
