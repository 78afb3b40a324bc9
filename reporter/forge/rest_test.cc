#include "reporter/forge/rest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "absl/strings/str_cat.h"
#include "reporter/forge/forge.h"

namespace gprofhub::reporter {

namespace {

using Kind = RetryDecision::Kind;

const absl::Time kNow = absl::FromUnixSeconds(1700000000);

RetryDecision Decide(const absl::StatusOr<base::HttpResponse>& answer, bool idempotent = true,
                     int attempt = 1) {
  return DecideRetry(answer, idempotent, attempt, kNow, RetryPolicy());
}

TEST(DecideRetryTest, WhatWasAnsweredStands) {
  for (const int status : {200, 201, 204, 301, 400, 401, 403, 404, 409, 422}) {
    EXPECT_EQ(Decide(base::HttpResponse{status, {}, ""}).kind, Kind::kDone) << status;
  }
}

TEST(DecideRetryTest, ServerErrorsAndSilenceAreTriedAgainLaterAndLater) {
  for (const absl::StatusOr<base::HttpResponse>& answer :
       {absl::StatusOr<base::HttpResponse>(base::HttpResponse{502, {}, ""}),
        absl::StatusOr<base::HttpResponse>(absl::UnavailableError("refused"))}) {
    EXPECT_EQ(Decide(answer).kind, Kind::kWait);
    EXPECT_EQ(Decide(answer).wait, absl::Seconds(1));
    EXPECT_EQ(Decide(answer, true, 3).wait, absl::Seconds(4));
    EXPECT_EQ(Decide(answer, true, 4).kind, Kind::kGiveUp);
  }
}

TEST(DecideRetryTest, AServerThatHangsIsLeftToTheJob) {
  EXPECT_EQ(Decide(absl::DeadlineExceededError("slow")).kind, Kind::kGiveUp);
  EXPECT_EQ(Decide(absl::CancelledError("stopping")).kind, Kind::kDone);
}

TEST(DecideRetryTest, WhatMayHaveBeenDoneIsNotDoneTwice) {
  EXPECT_EQ(Decide(base::HttpResponse{502, {}, ""}, /*idempotent=*/false).kind, Kind::kGiveUp);
  EXPECT_EQ(Decide(absl::UnavailableError("cut"), /*idempotent=*/false).kind, Kind::kGiveUp);
}

TEST(DecideRetryTest, RetryAfterIsHonouredForEveryMethod) {
  for (const int status : {403, 429}) {
    const base::HttpResponse limited{status, {{"retry-after", "7"}}, ""};
    EXPECT_EQ(Decide(limited, false).kind, Kind::kWait);
    EXPECT_EQ(Decide(limited, false).wait, absl::Seconds(7));
  }
  const base::HttpResponse dated{429, {{"retry-after", "Tue, 14 Nov 2023 22:13:32 GMT"}}, ""};
  EXPECT_EQ(Decide(dated).wait, absl::Seconds(12));
}

TEST(DecideRetryTest, ASecondaryRateLimitWithoutHeadersIsWaitedFor) {
  for (const char* message :
       {"You have exceeded a secondary rate limit.", "API rate limit exceeded",
        "You have triggered an abuse detection mechanism"}) {
    const RetryDecision decision =
        Decide(base::HttpResponse{403, {}, nlohmann::json{{"message", message}}.dump()}, false);
    EXPECT_EQ(decision.kind, Kind::kGiveUp) << message;
    EXPECT_EQ(decision.wait, absl::Minutes(1));
  }
  EXPECT_EQ(Decide(base::HttpResponse{408, {}, ""}).kind, Kind::kWait);
}

TEST(DecideRetryTest, ALongWaitIsLeftToTheJob) {
  const RetryDecision decision = Decide(base::HttpResponse{429, {{"retry-after", "1800"}}, ""});
  EXPECT_EQ(decision.kind, Kind::kGiveUp);
  EXPECT_EQ(decision.wait, absl::Minutes(30));
  const base::HttpResponse absurd{429, {{"retry-after", "4000000000"}}, ""};
  EXPECT_EQ(Decide(absurd).wait, absl::Hours(1));
}

TEST(DecideRetryTest, AUsedUpLimitIsWaitedForUntilItsReset) {
  const base::HttpResponse used_up{
      403, {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "1700000009"}}, ""};
  EXPECT_EQ(Decide(used_up).kind, Kind::kWait);
  EXPECT_EQ(Decide(used_up).wait, absl::Seconds(10));
  const base::HttpResponse silent{429, {}, ""};
  EXPECT_EQ(Decide(silent).wait, absl::Minutes(1)) << "what GitHub asks for";
}

TEST(RetryAfterTest, TravelsWithTheStatus) {
  EXPECT_EQ(RetryAfterOf(WithRetryAfter(absl::UnavailableError("x"), absl::Seconds(90))),
            absl::Seconds(90));
  EXPECT_EQ(RetryAfterOf(absl::UnavailableError("x")), std::nullopt);
}

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Scripted responses; records the requests.
struct Script {
  std::deque<absl::StatusOr<base::HttpResponse>> answers;
  std::vector<base::HttpRequest> requests;
  std::vector<absl::Duration> slept;

  RestApi Api(const std::string& json_prefix = "") {
    RestOptions options;
    options.base_url = "https://forge.example/api";
    options.http = [this](const base::HttpRequest& request) -> absl::StatusOr<base::HttpResponse> {
      requests.push_back(request);
      if (answers.empty()) return absl::InternalError("nothing is left to answer");
      absl::StatusOr<base::HttpResponse> answer = answers.front();
      answers.pop_front();
      return answer;
    };
    options.clock = {[] { return absl::FromUnixSeconds(1700000000); },
                     [this](absl::Duration wait) { slept.push_back(wait); }};
    options.headers = [] { return base::HttpHeaders{{"Authorization", "Bearer secret"}}; };
    options.json_prefix = json_prefix;
    return RestApi(options);
  }
  std::vector<std::string> Urls() const {
    std::vector<std::string> urls;
    for (const base::HttpRequest& request : requests) urls.push_back(request.url);
    return urls;
  }
};

base::HttpResponse Ok(const std::string& body, const std::string& link = "") {
  base::HttpResponse response{200, {}, body};
  if (!link.empty()) response.headers["link"] = link;
  return response;
}

TEST(RestApiTest, SendsJsonWithCredentials) {
  Script script;
  script.answers = {base::HttpResponse{201, {}, R"({"id": 5})"}};
  const auto made = script.Api().Send("POST", "/notes", {{"body", "caf\xC3\xA9 \xFF"}});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(JsonNumber(*made, "id"), 5);
  const base::HttpRequest& request = script.requests.at(0);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.url, "https://forge.example/api/notes");
  EXPECT_EQ(request.headers.at("Authorization"), "Bearer secret");
  EXPECT_EQ(request.body, "{\"body\":\"caf\xC3\xA9 \xEF\xBF\xBD\"}");
}

TEST(RestApiTest, ListsFollowNextLinks) {
  Script script;
  script.answers = {Ok("[1,2]",
                       "<https://forge.example/api/l?page=9>; rel=\"last\", "
                       "<https://forge.example/api/l?page=2>; rel=\"next\""),
                    Ok("[3]", "<https://forge.example/api/l?page=1>; rel=\"prev\"")};
  const auto list = script.Api().List("/l");
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_THAT(*list, ElementsAre(1, 2, 3));
  EXPECT_EQ(script.Urls().at(1), "https://forge.example/api/l?page=2");
}

TEST(RestApiTest, ALinkThatNeverEndsIsLeftAtSomePoint) {
  Script script;
  for (int i = 0; i < 100; ++i) {
    script.answers.push_back(Ok("[0]", "<https://forge.example/api/l>; rel=\"next\""));
  }
  const auto list = script.Api().List("/l");
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_EQ(list->size(), 50u);
}

TEST(RestApiTest, CredentialsDoNotLeaveTheServer) {
  for (const char* elsewhere : {"https://evil.example/api/l", "http://forge.example/api/l",
                                "https://forge.example.evil/", "https://forge.example:444/api/l",
                                "//evil.example/api/l", "https://forge.example@evil.example/"}) {
    Script linked, redirected;
    linked.answers = {Ok("[1]", absl::StrCat("<", elsewhere, ">; rel=\"next\"")), Ok("[2]")};
    EXPECT_FALSE(linked.Api().List("/l").ok()) << elsewhere;
    EXPECT_EQ(linked.requests.size(), 1u) << elsewhere;
    redirected.answers = {base::HttpResponse{301, {{"location", elsewhere}}, ""}, Ok("{}")};
    EXPECT_FALSE(redirected.Api().Get("/l").ok()) << elsewhere;
    EXPECT_EQ(redirected.requests.size(), 1u) << elsewhere;
    Script sent;
    sent.answers = {base::HttpResponse{307, {{"location", elsewhere}}, ""}, Ok("{}")};
    EXPECT_FALSE(sent.Api().Send("POST", "/l", {{"a", 1}}).ok()) << elsewhere;
    EXPECT_EQ(sent.requests.size(), 1u) << elsewhere;
  }
}

TEST(RestApiTest, ARenamedRepositoryIsFollowedOnTheSameServer) {
  Script script;
  script.answers = {base::HttpResponse{301, {{"location", "https://forge.example/api/new"}}, ""},
                    base::HttpResponse{307, {{"location", "/api/newer"}}, ""}, Ok("{\"a\": true}")};
  const auto answer = script.Api().Get("/old");
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_TRUE(JsonTrue(*answer, "a"));
  EXPECT_THAT(script.Urls(),
              ElementsAre("https://forge.example/api/old", "https://forge.example/api/new",
                          "https://forge.example/api/newer"));
}

TEST(RestApiTest, RedirectsKeepMethodAndBody) {
  for (const char* method : {"POST", "PATCH", "PUT"}) {
    for (const int status : {301, 302, 307, 308}) {
      Script script;
      script.answers = {base::HttpResponse{status, {{"location", "/api/repositories/5"}}, ""},
                        Ok("{\"id\": 5}")};
      const auto answer = script.Api().Send(method, "/old", {{"a", 1}});
      ASSERT_TRUE(answer.ok()) << answer.status();
      EXPECT_EQ(JsonNumber(*answer, "id"), 5);
      ASSERT_EQ(script.requests.size(), 2u);
      EXPECT_EQ(script.requests[1].method, method);
      EXPECT_EQ(script.requests[1].body, "{\"a\":1}");
      EXPECT_EQ(script.requests[1].headers, script.requests[0].headers);
      EXPECT_EQ(script.requests[1].url, "https://forge.example/api/repositories/5");
    }
  }
  Script script;
  script.answers = {base::HttpResponse{307, {{"location", "/api/new"}}, ""}, Ok("")};
  EXPECT_TRUE(script.Api().Delete("/old").ok());
  EXPECT_EQ(script.requests.at(1).method, "DELETE");
}

TEST(RestApiTest, RedirectsAreRelativeToTheRequest) {
  for (const auto& [location, url] : std::vector<std::pair<std::string, std::string>>{
           {"new?a=b", "https://forge.example/api/v4/new?a=b"},
           {"?a=b", "https://forge.example/api/v4/old?a=b"},
           {"//forge.example/new", "https://forge.example/new"},
           {"/new#part", "https://forge.example/new"},
           {"HTTPS://Forge.example:443/new", "HTTPS://Forge.example:443/new"}}) {
    Script script;
    script.answers = {base::HttpResponse{307, {{"location", location}}, ""}, Ok("{}")};
    EXPECT_TRUE(script.Api().Send("POST", "/v4/old?x=y", {}).ok()) << location;
    EXPECT_EQ(script.Urls().back(), url);
  }
}

TEST(RestApiTest, RedirectsEnd) {
  Script script;
  for (int i = 0; i < 100; ++i) {
    script.answers.push_back(base::HttpResponse{308, {{"location", "/api/again"}}, ""});
  }
  const absl::Status error = script.Api().Send("POST", "/x", {}).status();
  EXPECT_THAT(std::string(error.message()), HasSubstr("too many redirects"));
  EXPECT_EQ(script.requests.size(), 4u);
}

TEST(RestApiTest, ErrorsKeepTheMissingPermission) {
  Script script;
  const std::string sentence = absl::StrCat("Resource not accessible", std::string(900, ' '), "x");
  script.answers = {
      base::HttpResponse{403,
                         {{"x-accepted-github-permissions", "actions=write"}},
                         nlohmann::json{{"message", sentence}}.dump()},
      base::HttpResponse{
          403,
          {},
          R"({"error": "insufficient_scope", "error_description": "more privileges", "scope": "api"})"},
      base::HttpResponse{
          422, {}, R"({"message": "Invalid", "errors": [{"message": "too long"}, "b"]})"}};
  const auto reason = [&script] {
    return std::string(ReasonOf(script.Api().Send("POST", "/x", {}).status().message()));
  };
  const std::string cut = reason();
  EXPECT_THAT(cut, testing::StartsWith("403 (needs actions=write) Resource not accessible"));
  EXPECT_THAT(cut, testing::EndsWith("…"));
  EXPECT_EQ(reason(), "403 (needs api) more privileges");
  EXPECT_EQ(reason(), "422 Invalid; too long; b");
}

TEST(ShortenedAtEndTest, CutsBetweenWordsWithAMark) {
  EXPECT_EQ(ShortenedAtEnd("one two", 7), "one two");
  EXPECT_EQ(ShortenedAtEnd("one two three", 9), "one two…");
  EXPECT_EQ(ShortenedAtEnd("ääääää", 5), "ää…");
}

TEST(RestApiTest, ErrorsSayWhatTheForgeSaidAndNoSecret) {
  const std::pair<int, absl::StatusCode> codes[] = {
      {400, absl::StatusCode::kInvalidArgument},  {401, absl::StatusCode::kUnauthenticated},
      {403, absl::StatusCode::kPermissionDenied}, {404, absl::StatusCode::kNotFound},
      {409, absl::StatusCode::kAborted},          {410, absl::StatusCode::kNotFound},
      {405, absl::StatusCode::kInvalidArgument},  {422, absl::StatusCode::kInvalidArgument},
      {451, absl::StatusCode::kInvalidArgument},  {304, absl::StatusCode::kInternal}};
  for (const auto& [status, code] : codes) {
    Script script;
    script.answers = {base::HttpResponse{status, {}, R"({"message": "no \u001b[31mway"})"}};
    const absl::Status error = script.Api().Get("/x?key=private").status();
    EXPECT_EQ(error.code(), code);
    EXPECT_THAT(std::string(error.message()), HasSubstr("GET https://forge.example/api/x: "));
    EXPECT_THAT(std::string(error.message()), HasSubstr("no <U+001B>[31mway"));
    EXPECT_THAT(std::string(error.message()), Not(HasSubstr("secret")));
    EXPECT_THAT(std::string(error.message()), Not(HasSubstr("private")));
  }
}

TEST(RestApiTest, WaitsAndAsksAgain) {
  Script script;
  script.answers = {base::HttpResponse{503, {}, ""},
                    base::HttpResponse{429, {{"retry-after", "3"}}, ""}, Ok("{}")};
  EXPECT_TRUE(script.Api().Get("/x").ok());
  EXPECT_THAT(script.slept, ElementsAre(absl::Seconds(1), absl::Seconds(3)));
}

TEST(RestApiTest, GivesUpSayingWhenToTryAgain) {
  Script script;
  script.answers = {
      base::HttpResponse{429, {{"retry-after", "600"}}, R"({"message": "slow down"})"}};
  const absl::Status error = script.Api().Send("POST", "/x", {{"a", 1}}).status();
  EXPECT_TRUE(absl::IsUnavailable(error));
  EXPECT_EQ(RetryAfterOf(error), absl::Minutes(10));
  EXPECT_THAT(std::string(error.message()), HasSubstr("slow down"));
  EXPECT_TRUE(script.slept.empty());
}

TEST(RestApiTest, WhatIsNoJsonIsAnError) {
  for (const char* body : {"<html>", "[1", "{\"a\":}"}) {
    Script script;
    script.answers = {Ok(body)};
    EXPECT_TRUE(absl::IsInternal(script.Api().Get("/x").status())) << body;
  }
  Script script;
  script.answers = {Ok("{}")};
  EXPECT_TRUE(absl::IsInternal(script.Api().List("/x").status()));
  script.answers = {Ok(")]}'\n{\"a\": \"b\"}")};
  EXPECT_EQ(JsonText(*script.Api(")]}'\n").Get("/x"), "a"), "b");
}

TEST(JsonFieldsTest, OtherTypesAreEmpty) {
  const nlohmann::json object = {{"text", 1}, {"number", "x"}, {"truth", "true"}};
  EXPECT_EQ(JsonText(object, "text"), "");
  EXPECT_EQ(JsonText(object, "missing"), "");
  EXPECT_EQ(JsonNumber(object, "number"), 0);
  EXPECT_FALSE(JsonTrue(object, "truth"));
  EXPECT_TRUE(JsonField(nlohmann::json::array(), "x").is_null());
}

}  // namespace

}  // namespace gprofhub::reporter
