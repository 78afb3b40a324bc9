#include "ci/upload/channel.h"

#include <gtest/gtest.h>

namespace gprofhub::ci {
namespace {

TEST(ParseServerAddress, TakesWhatTheDocumentsSay) {
  const struct {
    const char* server;
    const char* target;
    bool is_encrypted;
  } kCases[] = {
      {"127.0.0.1:7070", "127.0.0.1:7070", false},
      {"ci.example:7070", "ci.example:7070", false},
      {"https://ci.example", "ci.example:443", true},
      {"https://ci.example/", "ci.example:443", true},
      {"https://ci.example:7443", "ci.example:7443", true},
      {"https://ci.example:7443/", "ci.example:7443", true},
      {"https://[2001:db8::1]", "[2001:db8::1]:443", true},
      {"https://[2001:db8::1]:7443", "[2001:db8::1]:7443", true},
  };
  for (const auto& c : kCases) {
    const ServerAddress address = ParseServerAddress(c.server);
    EXPECT_EQ(address.target, c.target) << c.server;
    EXPECT_EQ(address.is_encrypted, c.is_encrypted) << c.server;
  }
}

TEST(SendsInTheClear, EncryptedAndOnThisMachineNobodyReadsAlong) {
  for (const char* server : {"https://ci.example", "https://ci.example:7070", "127.0.0.1:7070",
                             "127.8.0.1:1", "localhost:7070", "[::1]:7070", "unix:/run/socket"}) {
    EXPECT_FALSE(SendsInTheClear(server)) << server;
  }
}

TEST(SendsInTheClear, OnTheWayToAnotherMachineOthersDo) {
  for (const char* server :
       {"ci.example:7070", "10.0.0.1:7070", "localhost.example:7070", "[2001:db8::1]:7070"}) {
    EXPECT_TRUE(SendsInTheClear(server)) << server;
  }
}

}  // namespace
}  // namespace gprofhub::ci
