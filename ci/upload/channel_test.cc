#include "ci/upload/channel.h"

#include <gtest/gtest.h>

namespace gprofhub::ci {
namespace {

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
