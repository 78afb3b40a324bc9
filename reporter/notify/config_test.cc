#include "reporter/notify/config.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace gprofhub::reporter {

namespace {

absl::Time At(const std::string& text) {
  absl::Time time;
  std::string error;
  EXPECT_TRUE(absl::ParseTime("%Y-%m-%d %H:%M", text, &time, &error)) << error;
  return time;
}

constexpr QuietHours kNights = {20 * 60, 8 * 60 + 30, false};
constexpr QuietHours kNightsAndWeekends = {20 * 60, 8 * 60, true};

TEST(NextAllowed, ByDayItIsNow) {
  EXPECT_EQ(NextAllowed(kNights, {}, At("2026-11-23 08:30")), At("2026-11-23 08:30"));
  EXPECT_EQ(NextAllowed(kNights, {}, At("2026-11-23 19:59")), At("2026-11-23 19:59"));
  const absl::Time odd = At("2026-11-23 12:00") + absl::Seconds(59.5);
  EXPECT_EQ(NextAllowed(kNights, {}, odd), odd);
}

TEST(NextAllowed, AtNightItIsTheMorning) {
  EXPECT_EQ(NextAllowed(kNights, {}, At("2026-11-23 20:00")), At("2026-11-24 08:30"));
  EXPECT_EQ(NextAllowed(kNights, {}, At("2026-11-24 02:00")), At("2026-11-24 08:30"));
  EXPECT_EQ(NextAllowed(kNights, {}, At("2026-11-24 08:29")), At("2026-11-24 08:30"));
}

TEST(NextAllowed, QuietHoursMayLieWithinADay) {
  const QuietHours noon = {12 * 60, 13 * 60, false};
  EXPECT_EQ(NextAllowed(noon, {}, At("2026-11-23 12:30")), At("2026-11-23 13:00"));
  EXPECT_EQ(NextAllowed(noon, {}, At("2026-11-23 13:00")), At("2026-11-23 13:00"));
}

TEST(NextAllowed, LocalTimeCounts) {
  const absl::Duration india = absl::Hours(5) + absl::Minutes(30);
  // 20:10 local time.
  EXPECT_EQ(NextAllowed(kNights, india, At("2026-11-23 14:40")), At("2026-11-24 03:00"));
  EXPECT_EQ(NextAllowed(kNights, -absl::Hours(8), At("2026-11-23 05:00")), At("2026-11-23 16:30"));
}

TEST(NextAllowed, AWeekendEndsOnMondayMorning) {
  // 2026-11-21 is a Saturday.
  EXPECT_EQ(NextAllowed(kNightsAndWeekends, {}, At("2026-11-21 12:00")), At("2026-11-23 08:00"));
  EXPECT_EQ(NextAllowed(kNightsAndWeekends, {}, At("2026-11-20 21:00")), At("2026-11-23 08:00"));
  EXPECT_EQ(NextAllowed(kNightsAndWeekends, {}, At("2026-11-20 12:00")), At("2026-11-20 12:00"));
  const QuietHours only_weekends = {0, 0, true};
  EXPECT_EQ(NextAllowed(only_weekends, {}, At("2026-11-22 12:00")), At("2026-11-23 00:00"));
  EXPECT_EQ(NextAllowed(only_weekends, {}, At("2026-11-23 03:00")), At("2026-11-23 03:00"));
}

TEST(LastDigest, IsTheNewestThatIsPast) {
  const DigestHour monday = {absl::Weekday::monday, 8};
  EXPECT_EQ(LastDigest(monday, {}, At("2026-11-23 08:00")), At("2026-11-23 08:00"));
  EXPECT_EQ(LastDigest(monday, {}, At("2026-11-23 07:59")), At("2026-11-16 08:00"));
  EXPECT_EQ(LastDigest(monday, {}, At("2026-11-29 23:00")), At("2026-11-23 08:00"));
  EXPECT_EQ(LastDigest(monday, absl::Hours(2), At("2026-11-23 06:00")), At("2026-11-23 06:00"));
  const DigestHour sunday = {absl::Weekday::sunday, 0};
  EXPECT_EQ(LastDigest(sunday, {}, At("2026-11-28 23:59")), At("2026-11-22 00:00"));
}

TEST(IsMailAddress, ThePlainKind) {
  EXPECT_TRUE(IsMailAddress("perf@example.org"));
  EXPECT_TRUE(IsMailAddress("perf+db.team@mail-1.example.org"));
  for (const char* text : {"", "perf", "@example.org", "perf@", "perf@-x", "a b@example.org",
                           "perf@example.org,other@example.org", "\"a\"@example.org",
                           "<perf@example.org>", "perf@exam@ple.org", "perf@[127.0.0.1]"}) {
    EXPECT_FALSE(IsMailAddress(text)) << text;
  }
}

TEST(IsMailAddress, NoLineEndsInIt) {
  EXPECT_FALSE(IsMailAddress("perf@example.org\r\nRCPT TO:<other@example.org>"));
  EXPECT_FALSE(IsMailAddress("perf\n@example.org"));
  EXPECT_FALSE(IsMailAddress(std::string("perf@example.org\0", 17)));
  EXPECT_FALSE(IsMailAddress(std::string(70, 'a') + "@example.org"));
}

TEST(CheckSmtpUrl, HostAndPort) {
  for (const char* url : {"smtp://mail.example.org", "smtp://mail.example.org:587",
                          "smtps://mail.example.org/", "smtp://127.0.0.1:25", "smtp://[::1]:25"}) {
    EXPECT_TRUE(CheckSmtpUrl(url).ok()) << url;
  }
  for (const char* url : {"", "smtp://", "http://mail.example.org", "smtp://user@mail.example.org",
                          "smtp://mail.example.org:0", "smtp://mail.example.org:99999",
                          "smtp://mail.example.org/path", "smtp://mail.example.org:587\r\n"}) {
    EXPECT_FALSE(CheckSmtpUrl(url).ok()) << url;
  }
}

TEST(IsLoopbackSmtp, ThisMachineOnly) {
  EXPECT_TRUE(IsLoopbackSmtp("smtp://localhost:25"));
  EXPECT_TRUE(IsLoopbackSmtp("smtp://[::1]:25"));
  EXPECT_FALSE(IsLoopbackSmtp("smtp://localhost.example.org"));
  EXPECT_FALSE(IsLoopbackSmtp("smtp://127.0.0.1.example.org"));
}

constexpr char kAll[] = R"({
  "version": 1, "branches": ["main", "release/*"], "utc_offset": "+01:00", "max_age_days": 7,
  "channels": [
    {"name": "hook", "kind": "webhook", "url": "https://ci.example.org/hook", "secret_file": "s"},
    {"name": "slack", "kind": "slack", "url_file": "u", "utc_offset": "-08:00",
     "quiet_hours": {"from": "20:00", "to": "08:30", "weekends": true}},
    {"name": "mattermost", "kind": "mattermost", "url_file": "u"},
    {"name": "matrix", "kind": "matrix", "url": "https://matrix.example.org", "room": "!r:x",
     "token_file": "t"},
    {"name": "mail", "kind": "email", "url": "smtp://mail.example.org:587", "user": "u",
     "password_file": "p", "from": "perf@example.org", "to": ["team@example.org"],
     "events": false, "digest": {"day": "friday", "hour": 16}},
    {"name": "issues", "kind": "issue"}],
  "routes": [
    {"channels": ["slack", "issues"], "projects": ["db"], "targets": ["//db/*"],
     "functions": ["Lexer::*"], "files": ["db/*"], "owners": ["@db"],
     "verdicts": ["regressed", "new"], "min_cpu_percent": 0.5, "min_calls_percent": 10},
    {"channels": ["mail"]}],
  "owners": [{"files": ["db/*"], "owners": ["@db"]}]
})";

TEST(ParseNotifyConfig, ReadsAllFields) {
  const auto config = ParseNotifyConfig(kAll, "n.json");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->branches, (std::vector<std::string>{"main", "release/*"}));
  EXPECT_EQ(config->max_age, absl::Hours(24 * 7));
  ASSERT_EQ(config->channels.size(), 6u);
  EXPECT_EQ(config->channels[0].utc_offset, absl::Hours(1));
  const ChannelConfig& slack = config->channels[1];
  EXPECT_EQ(slack.kind, ChannelKind::kSlack);
  EXPECT_EQ(slack.url_file, "u");
  EXPECT_EQ(slack.utc_offset, -absl::Hours(8));
  ASSERT_TRUE(slack.quiet.has_value());
  EXPECT_EQ(slack.quiet->from, 20 * 60);
  EXPECT_EQ(slack.quiet->to, 8 * 60 + 30);
  EXPECT_TRUE(slack.quiet->weekends);
  const ChannelConfig& mail = config->channels[4];
  EXPECT_EQ(mail.to, std::vector<std::string>{"team@example.org"});
  EXPECT_FALSE(mail.events);
  ASSERT_TRUE(mail.digest.has_value());
  EXPECT_EQ(mail.digest->day, absl::Weekday::friday);
  EXPECT_EQ(mail.digest->hour, 16);
  ASSERT_EQ(config->routes.size(), 2u);
  EXPECT_EQ(config->routes[0].verdicts.size(), 2u);
  EXPECT_EQ(config->routes[0].min_calls_percent, 10);
  EXPECT_EQ(config->routes[1].min_cpu_percent, 1);
  EXPECT_FALSE(config->routes[1].min_calls_percent.has_value());
  ASSERT_EQ(config->owners.size(), 1u);
}

TEST(ParseNotifyConfig, SaysWhichFieldIsWrongAndWhatIsAllowed) {
  const std::vector<std::tuple<const char*, const char*, const char*>> changes = {
      {R"("version": 1)", R"("version": 2)", "n.json: version: must be 1"},
      {R"("kind": "slack")", R"("kind": "irc")",
       "channels[1].kind: must be one of webhook, slack, mattermost, matrix, email, issue"},
      {R"("utc_offset": "+01:00")", R"("utc_offset": "CET")", "utc_offset: must be like"},
      {R"("utc_offset": "-08:00")", R"("utc_offset": "-18:00")", "channels[1].utc_offset"},
      {R"("20:00")", R"("24:00")", "channels[1].quiet_hours.from: must be a time"},
      {R"("08:30")", R"("20:00")", "channels[1].quiet_hours.to"},
      {R"("day": "friday")", R"("day": "Friday")", "channels[4].digest.day: must be one of"},
      {R"(, "digest": {"day": "friday", "hour": 16})", "", "channels[4].events"},
      {"https://ci.example.org", "http://ci.example.org", "channels[0].url: must be an https URL"},
      {"https://matrix.example.org", "https://u@matrix.example.org", "channels[3].url"},
      {"smtp://mail.example.org:587", "https://mail.example.org", "channels[4].url"},
      {R"("user": "u",)", "", "channels[4].password_file: goes with user"},
      {R"("perf@example.org")", R"("perf@example.org\r\nBcc: x@y")", "channels[4].from"},
      {R"(["team@example.org"])", R"(["a@b.c", "team"])", "channels[4].to[1]"},
      {R"("name": "matrix")", R"("name": "hook")", "channels[3].name: is there twice"},
      {R"("kind": "issue")", R"("kind": "issue", "url": "https://x")",
       "channels[5].url: unknown field"},
      {R"("secret_file": "s")", R"("secret": "s")", "channels[0].secret: unknown field"},
      {R"(["mail"])", R"(["post"])", "routes[1].channels[0]: is no channel's name"},
      {R"(["regressed", "new"])", R"(["worse"])", "routes[0].verdicts[0]: must be one of"},
      {R"("min_cpu_percent": 0.5)", R"("min_cpu_percent": 101)", "routes[0].min_cpu_percent"},
      {R"("max_age_days": 7)", R"("max_age_days": "7")", "max_age_days: must be a number"},
      {R"("owners": [{"files")", R"("owners": [{"file")", "owners[0].file: unknown field"},
  };
  for (const auto& [from, to, words] : changes) {
    const std::string text = absl::StrReplaceAll(kAll, {{from, to}});
    ASSERT_NE(text, kAll) << from;
    const auto config = ParseNotifyConfig(text, "n.json");
    EXPECT_EQ(config.status().code(), absl::StatusCode::kInvalidArgument) << to;
    EXPECT_TRUE(absl::StrContains(config.status().message(), words)) << config.status();
  }
}

TEST(ParseNotifyConfig, WithoutChannelsOrRoutesItTellsNobody) {
  EXPECT_FALSE(ParseNotifyConfig(R"({"version": 1})", "n.json").ok());
  EXPECT_FALSE(
      ParseNotifyConfig(R"({"version": 1, "channels": [{"name": "i", "kind": "issue"}]})", "n.json")
          .ok());
  EXPECT_FALSE(ParseNotifyConfig("[]", "n.json").ok());
  std::string channels;
  for (int i = 0; i < 51; ++i) {
    absl::StrAppend(&channels, i == 0 ? "" : ", ", R"({"kind": "issue", "name": "c)", i, R"("})");
  }
  const absl::Status many =
      ParseNotifyConfig(absl::StrCat(R"({"version": 1, "channels": [)", channels,
                                     R"(], "routes": [{"channels": ["c0"]}]})"),
                        "n.json")
          .status();
  EXPECT_TRUE(absl::StrContains(many.message(), "channels: there may be 50 at most")) << many;
  EXPECT_FALSE(ParseNotifyConfig(std::string((1 << 20) + 1, ' '), "n.json").ok());
}

}  // namespace

}  // namespace gprofhub::reporter
