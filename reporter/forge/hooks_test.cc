#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/hash.h"
#include "base/http/percent_coding.h"
#include "reporter/forge/hook_request.h"

namespace gprofhub::reporter {

namespace {

using Json = nlohmann::json;

constexpr char kSecret[] = "a secret of the webhook";

HookRequest FromGitHub(const Json& body, const std::string& event = "issue_comment") {
  HookRequest request;
  request.body = body.dump();
  request.headers = {
      {"x-github-event", event},
      {"x-hub-signature-256", absl::StrCat("sha256=", base::HmacSha256Hex(kSecret, request.body))}};
  return request;
}

HookRequest FromGitLab(const Json& body) {
  return {{{"x-gitlab-event", "Note Hook"}, {"x-gitlab-token", kSecret}}, body.dump()};
}

Json Comment() {
  return {{"action", "created"},
          {"issue", {{"number", 17}, {"pull_request", {{"url", "u"}}}}},
          {"comment", {{"body", "/gprofhub ack f because"}, {"user", {{"login", "mallory"}}}}},
          {"repository", {{"full_name", "acme/db"}}}};
}

Json Note() {
  return {{"object_attributes", {{"noteable_type", "MergeRequest"}}},
          {"merge_request", {{"iid", 17}}},
          {"project", {{"path_with_namespace", "group/sub/db"}}}};
}

TEST(ReadHook, AComment) {
  const auto github = ReadHook(FromGitHub(Comment()), kSecret);
  ASSERT_TRUE(github.ok() && github->has_value()) << github.status();
  EXPECT_EQ((*github)->forge, HookForge::kGitHub);
  EXPECT_EQ((*github)->repository, "acme/db");
  EXPECT_EQ((*github)->pull_request, "17");
  const auto gitlab = ReadHook(FromGitLab(Note()), kSecret);
  ASSERT_TRUE(gitlab.ok() && gitlab->has_value()) << gitlab.status();
  EXPECT_EQ((*gitlab)->forge, HookForge::kGitLab);
  EXPECT_EQ((*gitlab)->repository, "group/sub/db");
  EXPECT_EQ((*gitlab)->pull_request, "17");
}

TEST(ReadHook, WhoDoesNotKnowTheSecretIsNotRead) {
  HookRequest changed = FromGitHub(Comment());
  changed.body[changed.body.find("17")] = '9';
  HookRequest other_secret = FromGitHub(Comment());
  other_secret.headers["x-hub-signature-256"] =
      absl::StrCat("sha256=", base::HmacSha256Hex("guess", other_secret.body));
  HookRequest old_kind = FromGitHub(Comment());
  old_kind.headers["x-hub-signature"] = old_kind.headers["x-hub-signature-256"];
  old_kind.headers.erase("x-hub-signature-256");
  HookRequest cut = FromGitHub(Comment());
  cut.headers["x-hub-signature-256"].pop_back();
  HookRequest token = FromGitLab(Note());
  token.headers["x-gitlab-token"] = "a secret of the webhooK";
  HookRequest none = FromGitLab(Note());
  none.headers.erase("x-gitlab-token");
  HookRequest no_json = none;
  no_json.body = "{";
  for (const HookRequest& request :
       {changed, other_secret, old_kind, cut, token, none, no_json, HookRequest()}) {
    EXPECT_EQ(ReadHook(request, kSecret).status().code(), absl::StatusCode::kUnauthenticated);
  }
}

TEST(ReadHook, OtherEventsAndIssuesAreNothing) {
  Json issue = Comment();
  issue["issue"].erase("pull_request");
  Json commit = Note();
  commit["object_attributes"]["noteable_type"] = "Commit";
  for (const HookRequest& request :
       {FromGitHub(Comment(), "ping"), FromGitHub(Comment(), "pull_request"), FromGitHub(issue),
        FromGitLab(commit)}) {
    const auto read = ReadHook(request, kSecret);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_FALSE(read->has_value());
  }
}

TEST(ReadHook, WhatIsNoEventIsAnInvalidArgument) {
  Json without = Comment(), negative = Comment(), text = Comment(), nowhere = Comment();
  without["issue"].erase("number");
  negative["issue"]["number"] = -17;
  text["issue"]["number"] = "17/../../1";
  nowhere.erase("repository");
  HookRequest broken = FromGitHub(Json());
  broken.body = R"({"issue": )";
  broken.headers["x-hub-signature-256"] =
      absl::StrCat("sha256=", base::HmacSha256Hex(kSecret, broken.body));
  for (const HookRequest& request : {FromGitHub(without), FromGitHub(negative), FromGitHub(text),
                                     FromGitHub(nowhere), FromGitHub(Json::array()), broken}) {
    EXPECT_EQ(ReadHook(request, kSecret).status().code(), absl::StatusCode::kInvalidArgument)
        << request.body;
  }
}

// As GitHub sends it unless another content type is chosen.
HookRequest AsForm(HookRequest request) {
  request.body = absl::StrCat(
      "payload=", absl::StrReplaceAll(base::PercentEncoded(request.body), {{"%20", "+"}}));
  request.headers["content-type"] = "application/x-www-form-urlencoded";
  request.headers["x-hub-signature-256"] =
      absl::StrCat("sha256=", base::HmacSha256Hex(kSecret, request.body));
  return request;
}

TEST(ReadHook, AFormOfGitHub) {
  Json comment = Comment();
  comment["comment"]["body"] = "100% a+b&c=d \u00e4";
  const auto read = ReadHook(AsForm(FromGitHub(comment)), kSecret);
  ASSERT_TRUE(read.ok() && read->has_value()) << read.status();
  EXPECT_EQ((*read)->repository, "acme/db");
  EXPECT_EQ((*read)->pull_request, "17");
  const auto ping = ReadHook(AsForm(FromGitHub(comment, "ping")), kSecret);
  ASSERT_TRUE(ping.ok()) << ping.status();
  EXPECT_FALSE(ping->has_value());
  HookRequest changed = AsForm(FromGitHub(comment));
  changed.body += "&payload=%7B%7D";
  EXPECT_TRUE(absl::IsUnauthenticated(ReadHook(changed, kSecret).status()));
  HookRequest other_field = AsForm(FromGitHub(comment));
  other_field.body.replace(0, 7, "content");
  other_field.headers["x-hub-signature-256"] =
      absl::StrCat("sha256=", base::HmacSha256Hex(kSecret, other_field.body));
  EXPECT_TRUE(absl::IsInvalidArgument(ReadHook(other_field, kSecret).status()));
}

TEST(ReadHook, ContentTypes) {
  for (const char* good : {"application/json", "Application/JSON; charset=utf-8"}) {
    HookRequest request = FromGitHub(Comment());
    request.headers["content-type"] = good;
    EXPECT_TRUE(ReadHook(request, kSecret).ok()) << good;
  }
  for (const char* event : {"issue_comment", "ping"}) {
    for (const char* bad : {"text/plain", "multipart/form-data; boundary=x", "application/jsonp"}) {
      HookRequest request = FromGitHub(Comment(), event);
      request.headers["content-type"] = bad;
      const absl::Status status = ReadHook(request, kSecret).status();
      EXPECT_TRUE(absl::IsUnimplemented(status)) << bad;
      EXPECT_TRUE(absl::StrContains(status.message(), "choose application/json"));
      request.headers["x-hub-signature-256"] = "sha256=";
      EXPECT_TRUE(absl::IsUnauthenticated(ReadHook(request, kSecret).status()));
    }
  }
  HookRequest gitlab = FromGitLab(Note());
  gitlab.headers["content-type"] = "application/x-www-form-urlencoded";
  EXPECT_TRUE(absl::IsUnimplemented(ReadHook(gitlab, kSecret).status()));
}

TEST(ReplayMemory, KnowsWhatItWasTold) {
  const absl::Time now = absl::FromUnixSeconds(1700000000);
  ReplayMemory memory(3, absl::Hours(1));
  EXPECT_FALSE(memory.Knows("a", now));
  memory.Remember("a", now);
  EXPECT_TRUE(memory.Knows("a", now));
  EXPECT_TRUE(memory.Knows("a", now + absl::Minutes(59)));
  EXPECT_FALSE(memory.Knows("a", now + absl::Hours(1)));
}

TEST(ReplayMemory, ForgetsTheOldestOfTooMany) {
  const absl::Time now = absl::FromUnixSeconds(1700000000);
  ReplayMemory memory(2, absl::Hours(1));
  for (const char* key : {"a", "b", "a", "c"}) memory.Remember(key, now);
  EXPECT_FALSE(memory.Knows("a", now));
  EXPECT_TRUE(memory.Knows("b", now));
  EXPECT_TRUE(memory.Knows("c", now));
}

}  // namespace

}  // namespace gprofhub::reporter
