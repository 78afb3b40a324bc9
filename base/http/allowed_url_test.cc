#include "base/http/allowed_url.h"

#include <gtest/gtest.h>

namespace gprofhub::base {
namespace {

TEST(CheckHttpUrl, HttpsGoesAnywhereAndHttpStaysHere) {
  for (const char* url : {"https://api.example.org", "https://api.example.org:8443/v4?x=1",
                          "http://127.0.0.1", "http://localhost:80/", "http://[::1]:3000/api"}) {
    EXPECT_TRUE(CheckHttpUrl(url).ok()) << url;
  }
  for (const char* url : {"http://example.org", "http://127.0.0.1.example.org", "ftp://localhost",
                          "file:///etc/passwd", "https://", "", "//localhost"}) {
    EXPECT_EQ(CheckHttpUrl(url).code(), absl::StatusCode::kInvalidArgument) << url;
  }
}

TEST(CheckHttpUrl, AUserCannotHideTheHost) {
  for (const char* url : {"http://localhost:80@example.org/", "http://localhost@example.org",
                          "https://token@example.org/", "http://localhost\\@example.org",
                          "http://[::1]@example.org", "http://[::1].example.org"}) {
    EXPECT_FALSE(CheckHttpUrl(url).ok()) << url;
  }
}

TEST(CheckHttpUrl, NoLineEndsInIt) {
  EXPECT_FALSE(CheckHttpUrl("https://example.org/\r\nHost: other").ok());
  EXPECT_FALSE(CheckHttpUrl("https://example.org/a b").ok());
}

}  // namespace
}  // namespace gprofhub::base
