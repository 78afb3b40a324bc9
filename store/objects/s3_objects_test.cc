// Requests to a server and the handling of its responses. The server is a function here; a real one
// is in tests/s3, and cut connections are in s3_faults_test.cc.
#include "store/objects/s3_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "store/testing/temp_store.h"

namespace gprofhub::store {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using Variables = std::map<std::string, std::string>;

S3CredentialSource::Environment Of(const Variables& variables) {
  return [variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  };
}

void Write(const std::string& path, const std::string& text) {
  // Replaced by rename, so that a reader sees the old or the new content.
  std::ofstream(path + ".new") << text;
  std::filesystem::rename(path + ".new", path);
}

TEST(ParseCredentialsFileTest, ReadsTheProfileThatIsAskedFor) {
  constexpr char kText[] =
      "# keys\n[default]\naws_access_key_id = A\naws_secret_access_key=S=/+\n\n"
      "[ other ]\r\n  aws_access_key_id = B\r\naws_secret_access_key = T\r\n; token\n"
      "aws_session_token = U\nregion = x\n";
  const auto standard = ParseCredentialsFile(kText, "default");
  ASSERT_TRUE(standard.ok()) << standard.status();
  EXPECT_EQ(standard->access_key, "A");
  EXPECT_EQ(standard->secret_key, "S=/+");
  EXPECT_EQ(standard->session_token, "");
  const auto other = ParseCredentialsFile(kText, "other");
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_EQ(other->access_key, "B");
  EXPECT_EQ(other->secret_key, "T");
  EXPECT_EQ(other->session_token, "U");
}

TEST(ParseCredentialsFileTest, RefusesWhatIsNoneAndShowsNoSecret) {
  for (const std::string& text :
       {std::string("[other]\naws_access_key_id=A\naws_secret_access_key=hidden"),
        std::string("[default]\naws_secret_access_key=hidden"),
        std::string("[default]\naws_access_key_id=A"),
        std::string("[default\naws_access_key_id=A\naws_secret_access_key=hidden"),
        std::string("[default]\naws_access_key_id=A\naws_secret_access_key=hidden hidden"),
        std::string("[default]\naws_access_key_id=A\x01\naws_secret_access_key=hidden")}) {
    const auto parsed = ParseCredentialsFile(text, "default");
    EXPECT_TRUE(absl::IsInvalidArgument(parsed.status())) << text;
    EXPECT_THAT(std::string(parsed.status().message()), Not(HasSubstr("hidden")));
  }
}

TEST(S3CredentialSourceTest, PrefersTheEnvironment) {
  S3CredentialSource source(Of({{"AWS_ACCESS_KEY_ID", "A"},
                                {"AWS_SECRET_ACCESS_KEY", "S"},
                                {"AWS_SESSION_TOKEN", "T"},
                                {"AWS_SHARED_CREDENTIALS_FILE", "/nowhere"}}));
  const auto got = source.Get();
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(got->access_key + got->secret_key + got->session_token, "AST");
}

TEST(S3CredentialSourceTest, ReadsAFileThatChangedAgain) {
  const std::string folder = MakeTempDir();
  const std::string path = absl::StrCat(folder, "/credentials");
  Write(path, "[ci]\naws_access_key_id=A\naws_secret_access_key=S\n");
  S3CredentialSource source(Of({{"AWS_SHARED_CREDENTIALS_FILE", path}, {"AWS_PROFILE", "ci"}}));
  EXPECT_EQ(source.Get()->access_key, "A");
  Write(path, "[ci]\naws_access_key_id=LONGER\naws_secret_access_key=S\n");
  EXPECT_EQ(source.Get()->access_key, "LONGER");
  Write(path, "[ci");
  EXPECT_EQ(source.Get()->access_key, "LONGER");
  std::filesystem::remove(path);
  EXPECT_EQ(source.Get()->access_key, "LONGER");
}

TEST(S3CredentialSourceTest, SaysWhereKeysMayBe) {
  S3CredentialSource none(Of({{"HOME", "/nowhere"}}));
  const absl::Status status = none.Get().status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("AWS_ACCESS_KEY_ID"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("/nowhere/.aws/credentials"));
  S3CredentialSource half(Of({{"AWS_ACCESS_KEY_ID", "A"}}));
  EXPECT_TRUE(absl::IsFailedPrecondition(half.Get().status()));
}

using ::testing::HasSubstr;
using ::testing::Not;

base::HttpResponse Answer(int status, const std::string& code = "") {
  if (code.empty()) return {status, {}, ""};
  return {status,
          {},
          absl::StrCat("<Error><Code>", code, "</Code><Message>host.example</Message></Error>")};
}

TEST(StatusOfTest, SaysWhatAnAnswerMeans) {
  using Code = absl::StatusCode;
  const auto code = [](const base::HttpResponse& answer) { return StatusOf(answer).code(); };
  EXPECT_EQ(code(Answer(404, "NoSuchKey")), Code::kNotFound);
  EXPECT_EQ(code(Answer(404, "NoSuchBucket")), Code::kFailedPrecondition);
  EXPECT_EQ(code(Answer(404)), Code::kFailedPrecondition);
  EXPECT_EQ(code(Answer(416, "InvalidRange")), Code::kOutOfRange);
  EXPECT_EQ(code(Answer(412, "PreconditionFailed")), Code::kAlreadyExists);
  EXPECT_EQ(code(Answer(501, "NotImplemented")), Code::kUnimplemented);
  EXPECT_EQ(code(Answer(403, "SignatureDoesNotMatch")), Code::kPermissionDenied);
  EXPECT_EQ(code(Answer(403, "RequestTimeTooSkewed")), Code::kPermissionDenied);
  EXPECT_EQ(code(Answer(403)), Code::kPermissionDenied);
  EXPECT_EQ(code(Answer(400, "ExpiredToken")), Code::kPermissionDenied);
  EXPECT_EQ(code(Answer(301, "PermanentRedirect")), Code::kFailedPrecondition);
  EXPECT_EQ(code(Answer(307)), Code::kFailedPrecondition);
  EXPECT_EQ(code(Answer(400, "AuthorizationHeaderMalformed")), Code::kFailedPrecondition);
  EXPECT_EQ(code(Answer(503, "SlowDown")), Code::kUnavailable);
  EXPECT_EQ(code(Answer(400, "RequestTimeout")), Code::kUnavailable);
  EXPECT_EQ(code(Answer(409, "ConditionalRequestConflict")), Code::kUnavailable);
  EXPECT_EQ(code(Answer(200)), Code::kInternal);
  EXPECT_EQ(code(Answer(400, "EntityTooLarge")), Code::kFailedPrecondition);
  EXPECT_EQ(code(Answer(413)), Code::kFailedPrecondition);
  EXPECT_EQ(code(Answer(400, "InvalidDigest")), Code::kInternal);
}

TEST(StatusOfTest, TellsTheCodeAndNotTheServersWords) {
  const std::string message(StatusOf(Answer(403, "AccessDenied")).message());
  EXPECT_THAT(message, HasSubstr("AccessDenied"));
  EXPECT_THAT(message, Not(HasSubstr("host.example")));
}

TEST(MayGoBetterTest, IsSoForServersThatAreBusy) {
  EXPECT_TRUE(MayGoBetter(Answer(500)));
  EXPECT_TRUE(MayGoBetter(Answer(429)));
  EXPECT_TRUE(MayGoBetter(Answer(400, "BadDigest")));
  EXPECT_FALSE(MayGoBetter(Answer(403, "AccessDenied")));
  EXPECT_FALSE(MayGoBetter(Answer(404, "NoSuchKey")));
}

TEST(MayGoBetterTest, LeavesTheBytesOfAnObjectAlone) {
  EXPECT_FALSE(MayGoBetter(Answer(200, "InternalError")));
}

TEST(WithoutUrlTest, SaysWhyAndNotWhere) {
  const absl::Status status = WithoutUrl(base::WithPublicMessage(
      absl::DeadlineExceededError("GET https://host.example/: too slow"), "Timeout was reached"));
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_EQ(status.message(), "the object store does not respond: Timeout was reached");
  // Nor if the error has no public message.
  const absl::Status plain = WithoutUrl(absl::InvalidArgumentError("https://host.example/"));
  EXPECT_THAT(std::string(plain.message()), Not(HasSubstr("host.example")));
}

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

base::HttpResponse AnswerWith(int status, const std::string& body = "",
                              const base::HttpHeaders& headers = {}) {
  return {status, headers, body};
}

base::HttpResponse Failure(int status, const std::string& code) {
  return AnswerWith(status, absl::StrCat("<Error><Code>", code, "</Code></Error>"));
}

std::string ListOf(bool is_truncated, const std::vector<std::string>& keys) {
  std::string body = absl::StrCat("<ListBucketResult><IsTruncated>",
                                  is_truncated ? "true" : "false", "</IsTruncated>");
  for (const std::string& key : keys) {
    absl::StrAppend(&body, "<Contents><Key>", key,
                    "</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified>"
                    "<Size>7</Size></Contents>");
  }
  return absl::StrCat(body, "</ListBucketResult>");
}

// Returns scripted responses in order, and records the requests.
class S3ObjectsTest : public testing::Test {
 protected:
  std::unique_ptr<ObjectStore> Open(
      const std::string& location = "s3://profiles/team?endpoint=https://s3.example") {
    S3Options options;
    options.environment = [](const char* name) {
      return absl::StartsWith(name, "AWS_SE") ? "s3cret" : "AKIA";
    };
    options.clock.now = [this] { return now_; };
    options.clock.sleep = [this](absl::Duration wait) {
      waits_.push_back(wait);
      now_ += wait;
    };
    options.clock.random = [] { return 0.5; };
    options.http = [this](const base::HttpRequest& request) {
      asked_.push_back(absl::StrCat(request.method, " ", request.url));
      requests_.push_back(request);
      now_ += takes_;
      if (answers_.empty()) return absl::StatusOr<base::HttpResponse>(Failure(500, "Empty"));
      absl::StatusOr<base::HttpResponse> answer = answers_.front();
      answers_.pop_front();
      return answer;
    };
    auto objects = OpenS3Objects(location, std::move(options));
    EXPECT_TRUE(objects.ok()) << objects.status();
    return *std::move(objects);
  }

  // The response to Put's first check: the object does not exist.
  void AnswerThatThereIsNone() {
    answers_.push_back(AnswerWith(404));
    answers_.push_back(Failure(404, "NoSuchKey"));
  }
  void AnswerWithObject(const std::string& bytes) {
    answers_.push_back(AnswerWith(200, "", {{"content-length", absl::StrCat(bytes.size())}}));
    if (bytes.empty()) return;
    answers_.push_back(AnswerWith(
        206, bytes,
        {{"content-range", absl::StrCat("bytes 0-", bytes.size() - 1, "/", bytes.size())}}));
  }

  absl::Time now_ = absl::FromUnixSeconds(1'700'000'000);
  absl::Duration takes_ = absl::ZeroDuration();
  std::deque<absl::StatusOr<base::HttpResponse>> answers_;
  std::vector<std::string> asked_;
  std::vector<base::HttpRequest> requests_;
  std::vector<absl::Duration> waits_;
};

TEST_F(S3ObjectsTest, PutsWithChecksumsAndOnlyWhatIsNew) {
  AnswerThatThereIsNone();
  answers_.push_back(AnswerWith(200));
  EXPECT_TRUE(Open()->Put("a/b", "abc").ok());
  EXPECT_THAT(asked_, ElementsAre("HEAD https://s3.example/profiles/team/a/b",
                                  "GET https://s3.example/profiles/team/a/b",
                                  "PUT https://s3.example/profiles/team/a/b"));
  const base::HttpRequest& put = requests_.back();
  EXPECT_EQ(put.borrowed_body, "abc");
  EXPECT_EQ(put.headers.at("if-none-match"), "*");
  EXPECT_EQ(put.headers.at("x-amz-checksum-sha256"),
            "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
  EXPECT_EQ(put.headers.at("x-amz-content-sha256"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_THAT(put.headers.at("authorization"),
              HasSubstr("SignedHeaders=content-type;host;if-none-match;x-amz-checksum-sha256;"));
}

TEST_F(S3ObjectsTest, HasTheBucketInTheHostsNameWhereTheLocationSaysSo) {
  answers_.push_back(AnswerWith(204));
  EXPECT_TRUE(Open("s3://profiles?region=eu-west-1")->Delete("a").ok());
  EXPECT_THAT(asked_, ElementsAre("DELETE https://profiles.s3.eu-west-1.amazonaws.com/a"));
  EXPECT_EQ(requests_[0].headers.at("host"), "profiles.s3.eu-west-1.amazonaws.com");
}

TEST_F(S3ObjectsTest, GoesOnWithoutTheConditionWhereAServerDoesNotKnowIt) {
  const auto objects = Open();
  AnswerThatThereIsNone();
  answers_.push_back(Failure(501, "NotImplemented"));
  answers_.push_back(AnswerWith(200));
  EXPECT_TRUE(objects->Put("a", "abc").ok());
  EXPECT_EQ(requests_.back().headers.count("if-none-match"), 0u);
  AnswerThatThereIsNone();
  answers_.push_back(AnswerWith(200));
  EXPECT_TRUE(objects->Put("b", "abc").ok());
  EXPECT_EQ(requests_.size(), 7u) << "it is not asked again";
}

TEST_F(S3ObjectsTest, ComparesWithWhoWasFaster) {
  for (const auto& [there, code] : std::initializer_list<std::pair<std::string, absl::StatusCode>>{
           {"abc", absl::StatusCode::kOk},
           {"abd", absl::StatusCode::kAlreadyExists},
           {"abcd", absl::StatusCode::kAlreadyExists}}) {
    AnswerThatThereIsNone();
    answers_.push_back(Failure(412, "PreconditionFailed"));
    AnswerWithObject(there);
    EXPECT_EQ(Open()->Put("a", "abc").code(), code) << there;
    answers_.clear();
  }
}

TEST_F(S3ObjectsTest, DoesNotBelieveAServerThatReceivedSomethingElse) {
  AnswerThatThereIsNone();
  answers_.push_back(AnswerWith(200, "", {{"x-amz-checksum-sha256", "b3RoZXI="}}));
  EXPECT_TRUE(absl::IsDataLoss(Open()->Put("a", "abc")));
}

TEST_F(S3ObjectsTest, LargeObjectIsOneRequestWithoutACopy) {
  const std::string bytes((9 << 20) + 1, 'x');
  AnswerThatThereIsNone();
  answers_.push_back(AnswerWith(200));
  EXPECT_TRUE(Open()->Put("a", bytes).ok());
  EXPECT_THAT(asked_, ElementsAre("HEAD https://s3.example/profiles/team/a",
                                  "GET https://s3.example/profiles/team/a",
                                  "PUT https://s3.example/profiles/team/a"));
  EXPECT_EQ(requests_.back().borrowed_body.data(), bytes.data());
  EXPECT_EQ(requests_.back().borrowed_body.size(), bytes.size());
  EXPECT_EQ(requests_.back().extra_time, absl::Seconds(72)) << "128 KiB/s";
}

TEST_F(S3ObjectsTest, LargeObjectIsComparedInPieces) {
  const std::string bytes((8 << 20) + 3, 'x');
  answers_.push_back(AnswerWith(200, "", {{"content-length", absl::StrCat(bytes.size())}}));
  answers_.push_back(
      AnswerWith(206, bytes.substr(3), {{"content-range", "bytes 0-8388607/8388611"}}));
  answers_.push_back(AnswerWith(206, "xxx", {{"content-range", "bytes 8388608-8388610/8388611"}}));
  const absl::Status status = Open()->Put("a", bytes);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(answers_, IsEmpty());
}

TEST_F(S3ObjectsTest, LostResponseOfAPutIsNotAnError) {
  AnswerThatThereIsNone();
  answers_.push_back(absl::UnavailableError("https://s3.example"));
  // The first attempt had stored the object.
  answers_.push_back(Failure(412, "PreconditionFailed"));
  AnswerWithObject("abc");
  const absl::Status status = Open()->Put("a", "abc");
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(S3ObjectsTest, ServerWithALowerLimitNamesIt) {
  AnswerThatThereIsNone();
  answers_.push_back(AnswerWith(413));
  const absl::Status status = Open()->Put("a", "abc");
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("raise its limit on request bodies"));
}

TEST_F(S3ObjectsTest, ReadsTheRangeThatIsAskedFor) {
  answers_.push_back(AnswerWith(206, "cd", {{"content-range", "bytes 2-3/7"}}));
  EXPECT_EQ(*Open()->Read("a", 2, 2), "cd");
  EXPECT_EQ(requests_[0].headers.at("range"), "bytes=2-3");
}

TEST_F(S3ObjectsTest, TakesAWholeObjectFromAServerWithoutRanges) {
  answers_.push_back(AnswerWith(200, "abcdefg"));
  EXPECT_EQ(*Open()->Read("a", 2, 2), "cd");
  answers_.push_back(AnswerWith(200, "abc"));
  EXPECT_TRUE(absl::IsOutOfRange(Open()->Read("a", 2, 2).status()));
}

TEST_F(S3ObjectsTest, DoesNotTakeAnotherPart) {
  for (const base::HttpResponse& answer :
       {AnswerWith(206, "cd"), AnswerWith(206, "cd", {{"content-range", "bytes 1-2/7"}}),
        AnswerWith(206, "cd", {{"content-range", "bytes 2-2/7"}}),
        AnswerWith(206, "c", {{"content-range", "bytes 2-3/7"}}),
        AnswerWith(206, "cde", {{"content-range", "bytes 2-3/7"}}),
        AnswerWith(206, "cd", {{"content-range", "bytes 2-3/*"}})}) {
    answers_.push_back(answer);
    const absl::Status status = Open()->Read("a", 2, 2).status();
    EXPECT_TRUE(absl::IsInternal(status)) << status;
  }
}

TEST_F(S3ObjectsTest, GivesBackWhatLooksLikeAnError) {
  const std::string bytes = "<Error><Code>SlowDown</Code></Error>";
  answers_.push_back(AnswerWith(
      206, bytes,
      {{"content-range", absl::StrCat("bytes 0-", bytes.size() - 1, "/", bytes.size())}}));
  EXPECT_EQ(*Open()->Read("a", 0, bytes.size()), bytes);
}

TEST_F(S3ObjectsTest, ListsWhatIsBehindThePrefix) {
  answers_.push_back(AnswerWith(200, ListOf(true, {"team/a/1", "team/a/2"})));
  const auto page = Open()->List("a/", "a/0");
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_THAT(asked_, ElementsAre("GET https://s3.example/profiles/?encoding-type=url&list-type=2&"
                                  "max-keys=1000&prefix=team%2Fa%2F&start-after=team%2Fa%2F0"));
  EXPECT_FALSE(page->is_last);
  ASSERT_EQ(page->objects.size(), 2u);
  EXPECT_EQ(page->objects[0].key, "a/1");
  EXPECT_EQ(page->objects[0].size, 7u);
}

TEST_F(S3ObjectsTest, LeavesOthersObjectsOutOfItsLists) {
  answers_.push_back(AnswerWith(200, ListOf(true, {"team/", "team/not a key"})));
  answers_.push_back(AnswerWith(200, ListOf(false, {"team/x", "team/y/"})));
  const auto page = Open()->List("", "");
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_THAT(asked_.back(), HasSubstr("start-after=team%2Fnot%20a%20key"));
  EXPECT_TRUE(page->is_last);
  ASSERT_EQ(page->objects.size(), 1u);
  EXPECT_EQ(page->objects[0].key, "x");
}

TEST_F(S3ObjectsTest, DoesNotTakeAnotherList) {
  for (const std::string& body :
       {ListOf(false, {"other/a"}), ListOf(false, {"team/a"}), ListOf(false, {"team/c", "team/b"}),
        std::string("<ListBucketResult/>"), std::string("<html/>"), std::string(),
        std::string("<!DOCTYPE a [<!ENTITY b 'b'>]><ListBucketResult>&b;</ListBucketResult>"),
        ListOf(true, {})}) {
    answers_.push_back(AnswerWith(200, body));
    const absl::Status status = Open()->List("", "b").status();
    EXPECT_TRUE(absl::IsInternal(status)) << status << body;
  }
}

TEST_F(S3ObjectsTest, WaitsLongerFromTimeToTime) {
  for (int i = 0; i < 5; ++i) answers_.push_back(Failure(503, "SlowDown"));
  answers_.push_back(AnswerWith(204));
  EXPECT_TRUE(Open()->Delete("a").ok());
  // The waits are half of 200 ms and so on: the random number is 0.5.
  EXPECT_THAT(waits_,
              ElementsAre(absl::Milliseconds(100), absl::Milliseconds(200), absl::Milliseconds(400),
                          absl::Milliseconds(800), absl::Milliseconds(1600)));
}

TEST_F(S3ObjectsTest, GivesUpAfterSoManyAttempts) {
  for (int i = 0; i < 6; ++i) answers_.push_back(absl::UnavailableError("https://s3.example"));
  const absl::Status status = Open()->Delete("a");
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_EQ(asked_.size(), 6u);
}

TEST_F(S3ObjectsTest, GivesUpAfterSoMuchTime) {
  takes_ = absl::Seconds(40);
  for (int i = 0; i < 6; ++i) answers_.push_back(absl::DeadlineExceededError("slow"));
  EXPECT_TRUE(absl::IsUnavailable(Open()->Delete("a")));
  EXPECT_EQ(asked_.size(), 2u);
}

TEST_F(S3ObjectsTest, DoesNotAskAgainWhereThatCannotHelp) {
  for (const base::HttpResponse& answer :
       {Failure(403, "AccessDenied"), Failure(400, "InvalidArgument"), AnswerWith(301),
        AnswerWith(307)}) {
    answers_.push_back(answer);
    EXPECT_FALSE(Open()->Delete("a").ok());
  }
  EXPECT_EQ(asked_.size(), 4u);
  EXPECT_THAT(waits_, IsEmpty());
}

TEST_F(S3ObjectsTest, DeletesWhatIsNotThere) {
  answers_.push_back(Failure(404, "NoSuchKey"));
  EXPECT_TRUE(Open()->Delete("a").ok());
  answers_.push_back(Failure(404, "NoSuchBucket"));
  EXPECT_TRUE(absl::IsFailedPrecondition(Open()->Delete("a")));
}

TEST_F(S3ObjectsTest, DoesNotOpenWithoutKeysOrAGoodLocation) {
  S3Options options;
  options.environment = [](const char*) { return ""; };
  EXPECT_TRUE(absl::IsFailedPrecondition(
      OpenS3Objects("s3://profiles?region=eu-west-1", options).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(OpenS3Objects("s3://profiles", options).status()));
}

}  // namespace

}  // namespace gprofhub::store
