#include "reporter/notify/mail_address.h"

#include <gtest/gtest.h>

#include <string>

namespace gprofhub::reporter {
namespace {

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

}  // namespace
}  // namespace gprofhub::reporter
