// The log of a real server: every line is an object, for any input of untrusted clients, and one
// request can be followed from the upload to the report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "store/testing/temp_store.h"
#include "tests/fault/client.h"
#include "tests/fault/serve_process.h"
#include "tests/operator/calls.h"

namespace gprofhub::tests {
namespace {

using Json = nlohmann::json;

// Each line of the log; fails the test if a line is not an object.
std::vector<Json> Lines(const std::string& log) {
  std::vector<Json> lines;
  for (const absl::string_view line : absl::StrSplit(log, '\n', absl::SkipEmpty())) {
    Json object = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    EXPECT_TRUE(object.is_object()) << line;
    if (!object.is_object()) continue;
    for (const char* name : {"time", "level", "logger", "message"}) {
      EXPECT_TRUE(object.contains(name)) << line;
    }
    lines.push_back(std::move(object));
  }
  return lines;
}

// The messages of the lines that belong to the request.
std::vector<std::string> MessagesOf(const std::vector<Json>& lines, const std::string& request) {
  std::vector<std::string> messages;
  for (const Json& line : lines) {
    if (line.value("request", "") == request) messages.push_back(line["message"]);
  }
  return messages;
}

bool Has(const std::vector<std::string>& messages, absl::string_view words) {
  return std::any_of(messages.begin(), messages.end(), [words](const std::string& message) {
    return absl::StrContains(message, words);
  });
}

TEST(LogsTest, ARequestIsFollowedFromTheUploadToTheReport) {
  const std::string folder = store::MakeTempDir();
  const std::string notify = folder + "/notify.json";
  std::ofstream(folder + "/secret") << std::string(40, 's');
  std::ofstream(notify) << R"({"version": 1, "channels": [{"name": "nobody", "kind": "webhook",
    "url": "http://127.0.0.1:9/", "secret_file": ")"
                        << folder << R"(/secret"}], "routes": [{"channels": ["nobody"]}]})";
  ServeProcess server({"--data-dir", folder + "/data", "--log-format", "json", "--notify", notify});
  ASSERT_NE(server.address(), "") << server.Log();
  UploadTraced(server.Connect(), FaultTestUpload(1));
  // The report is due some seconds after the analysis.
  const absl::Time deadline = absl::Now() + absl::Minutes(15);
  while (!absl::StrContains(server.Log(), "for changes") && absl::Now() < deadline) {
    absl::SleepFor(absl::Milliseconds(100));
  }
  const Ended ended = server.Stop();
  EXPECT_EQ(ended.exit_code, 0);
  const std::vector<std::string> messages = MessagesOf(Lines(ended.err), kTraceId);
  EXPECT_TRUE(Has(messages, "received")) << ended.err;
  EXPECT_TRUE(Has(messages, "analysed")) << ended.err;
  EXPECT_TRUE(Has(messages, "looked at run")) << ended.err;
}

TEST(LogsTest, WhatStrangersSendBreaksNoLine) {
  ServeProcess server({"--data-dir", store::MakeTempDir(), "--log-format", "json"});
  const auto channel = server.Connect();
  collector::SampleUpload hostile = FaultTestUpload(1);
  hostile.header.mutable_execution()->set_target(
      "//a\n{\"level\": \"forged\"}\x1b[2J\"\\\xE2\x80\xAE");
  hostile.header.mutable_run()->set_commit("\n{\"level\": \"forged\"}");
  v1::UploadResponse response;
  EXPECT_FALSE(Send(
                   channel, hostile, "", [] {}, response)
                   .ok());
  EXPECT_FALSE(AskForBlobs(channel, "a\n{\"level\": \"forged\"}\x01").ok());
  const std::vector<Json> lines = Lines(server.Stop().err);
  std::vector<std::string> messages;
  for (const Json& line : lines) {
    EXPECT_NE(line["level"], "forged");
    messages.push_back(line["message"]);
  }
  EXPECT_TRUE(Has(messages, "Collector/Upload")) << "the refused upload has a line";
  EXPECT_TRUE(Has(messages, "Collector/FindMissingBlobs")) << "and so has the refused question";
}

TEST(LogsTest, AFloodOfRefusalsIsAFewLines) {
  ServeProcess server({"--data-dir", store::MakeTempDir(), "--log-format", "json"});
  const auto channel = server.Connect();
  constexpr int kCalls = 2000;
  const absl::Time begun = absl::Now();
  for (int i = 0; i < kCalls; ++i) {
    EXPECT_EQ(AskForBlobs(channel, "").error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  }
  const double seconds = absl::ToDoubleSeconds(absl::Now() - begun);
  const std::vector<Json> lines = Lines(server.Stop().err);
  int refused = 0;
  for (const Json& line : lines) {
    refused += absl::StrContains(line["message"].get<std::string>(), "FindMissingBlobs");
  }
  EXPECT_GE(refused, 50) << "the first ones are all shown";
  EXPECT_LE(refused, 52 + seconds) << "then one a second";
}

}  // namespace
}  // namespace gprofhub::tests
