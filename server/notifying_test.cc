#include "server/notifying.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "absl/strings/match.h"
#include "absl/time/clock.h"

namespace gprofhub::server {

namespace {

using reporter::ChannelConfig;
using reporter::ChannelKind;

std::string FileWith(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + "/" + name;
  std::ofstream(path) << text;
  return path;
}

absl::Status Make(const ChannelConfig& channel) {
  reporter::NotifyConfig config;
  config.channels = {channel};
  const auto http = [](const base::HttpRequest&) -> absl::StatusOr<base::HttpResponse> {
    return base::HttpResponse{200, {}, ""};
  };
  return MakeChannels(config, {}, http, absl::Now).status();
}

ChannelConfig Slack(const std::string& url) {
  ChannelConfig channel;
  channel.name = "chat";
  channel.kind = ChannelKind::kSlack;
  channel.url_file = FileWith("slack-url", url);
  return channel;
}

TEST(MakeChannels, ReadsSecretsFromTheirFiles) {
  EXPECT_TRUE(Make(Slack("https://hooks.example.org/T0/B0/secret\n")).ok());
  ChannelConfig hook;
  hook.name = "hook";
  hook.url = "https://example.org/hook";
  hook.secret_file = FileWith("secret", "0123456789abcdef");
  EXPECT_TRUE(Make(hook).ok());
}

TEST(MakeChannels, ASecretThatIsNoneIsNamedByItsFileOnly) {
  const absl::Status plain = Make(Slack("http://hooks.example.org/T0/B0/secret"));
  EXPECT_EQ(plain.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(absl::StrContains(plain.message(), "B0")) << plain;
  EXPECT_TRUE(absl::StrContains(plain.message(), "slack-url")) << plain;
  ChannelConfig hook;
  hook.name = "hook";
  hook.url = "https://example.org/hook";
  hook.secret_file = FileWith("short", "hunter2");
  const absl::Status brief = Make(hook);
  EXPECT_EQ(brief.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(absl::StrContains(brief.message(), "hunter2")) << brief;
  EXPECT_EQ(Make(Slack(" \n")).code(), absl::StatusCode::kNotFound);
}

TEST(MakeChannels, ATokenIsOneLineOfAscii) {
  ChannelConfig matrix;
  matrix.name = "room";
  matrix.kind = ChannelKind::kMatrix;
  matrix.url = "https://matrix.example.org";
  matrix.token_file = FileWith("token", "secret-token\n");
  EXPECT_TRUE(Make(matrix).ok());
  for (const char* text : {"secret-token\r\nX-Other: 1", "\xEF\xBB\xBFsecret-token"}) {
    matrix.token_file = FileWith("bad-token", text);
    const absl::Status status = Make(matrix);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_TRUE(absl::StrContains(status.message(), "bad-token")) << status;
    EXPECT_FALSE(absl::StrContains(status.message(), "secret-token")) << status;
  }
}

TEST(MakeChannels, IssuesNeedAForge) {
  ChannelConfig issues;
  issues.name = "issues";
  issues.kind = ChannelKind::kIssue;
  const absl::Status status = Make(issues);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(absl::StrContains(status.message(), "--forge")) << status;
}

}  // namespace

}  // namespace gprofhub::server
