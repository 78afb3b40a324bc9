#include "server/other_services.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"

namespace gprofhub::server {

namespace {

using collector::CallHeaders;

std::string HeadersFile(const std::string& text) {
  const std::string path = testing::TempDir() + "/headers";
  std::ofstream(path) << text;
  return path;
}

TEST(OtherServicesTest, WithoutOptionsThereAreNone) {
  const auto services = OtherServices::Make({});
  ASSERT_TRUE(services.ok()) << services.status();
  EXPECT_EQ((*services)->forwarder_of(), nullptr);
  EXPECT_TRUE((*services)->caches().empty());
}

TEST(OtherServicesTest, AProjectHasItsOwnServiceOrThatOfAll) {
  const auto services =
      OtherServices::Make({{"db=grpc://127.0.0.1:1", "grpc://127.0.0.1:2"}, {}, ""});
  ASSERT_TRUE(services.ok()) << services.status();
  const collector::ForwarderOf of = (*services)->forwarder_of();
  EXPECT_NE(of("db"), of("web"));
  EXPECT_EQ(of("docs"), of("web"));
  const auto of_one = OtherServices::Make({{"db=grpc://127.0.0.1:1"}, {}, ""});
  ASSERT_TRUE(of_one.ok()) << of_one.status();
  EXPECT_EQ((*of_one)->forwarder_of()("web"), nullptr);
}

TEST(OtherServicesTest, ACacheIsNamedAsBazelNamesIt) {
  const auto services =
      OtherServices::Make({{}, {"db=grpcs://cache.example.com/main", "db=grpc://[::1]:9092"}, ""});
  ASSERT_TRUE(services.ok()) << services.status();
  const std::vector<collector::RemoteCache>& caches = (*services)->caches();
  ASSERT_EQ(caches.size(), 2u);
  EXPECT_EQ(caches[0].project, "db");
  EXPECT_EQ(caches[0].instance, "main");
  EXPECT_EQ(caches[0].places,
            (std::vector<std::string>{"cache.example.com/main", "cache.example.com:443/main"}));
  EXPECT_EQ(caches[1].places, std::vector<std::string>{"[::1]:9092"});
}

TEST(OtherServicesTest, AHeaderGoesToItsHostOnly) {
  const std::string file = HeadersFile(
      "# tokens\n"
      "cache.example.com x-key: one: two\n"
      "other.example.com X-Key: of another\n");
  const auto services = OtherServices::Make(
      {{}, {"db=grpcs://cache.example.com:443", "db=grpcs://third.example.com"}, file});
  ASSERT_TRUE(services.ok()) << services.status();
  EXPECT_EQ((*services)->caches()[0].headers, (CallHeaders{{"x-key", "one: two"}}));
  EXPECT_EQ((*services)->caches()[1].headers, CallHeaders());
}

TEST(OtherServicesTest, AValueThatIsNotAsciiIsRefusedAndNotShown) {
  const auto services =
      OtherServices::Make({{}, {}, HeadersFile("a.example x-key: \xEF\xBB\xBFsecret\n")});
  EXPECT_TRUE(absl::StrContains(services.status().message(), "headers:1: not a valid"))
      << services.status();
  EXPECT_FALSE(absl::StrContains(services.status().message(), "secret"));
}

TEST(OtherServicesTest, WhatIsWrongIsNamedAndNoSecretIs) {
  for (const auto& [options, words] : std::vector<std::pair<OtherServiceOptions, std::string>>{
           {{{"http://bes.example.com"}, {}, ""}, "grpcs://"},
           {{{"grpc://bes.example.com"}, {}, ""}, "has no port"},
           {{{"grpcs://"}, {}, ""}, "has no host"},
           {{{"grpc://bes.example.com:bes"}, {}, ""}, "port is not valid"},
           {{{"grpcs://me:secret@bes.example.com"}, {}, ""}, "--bazel-headers"},
           {{{"grpcs://bes.example.com/path"}, {}, ""}, "must not have a path"},
           {{{"grpcs://a.example.com", "grpcs://b.example.com"}, {}, ""}, "has two of them"},
           {{{}, {"grpcs://cache.example.com"}, ""}, "PROJECT="},
           {{{}, {" =grpcs://cache.example.com"}, ""}, "--read-cache"},
           {{{}, {}, HeadersFile("secret\n")}, "headers:1: must be HOST"},
       }) {
    const auto services = OtherServices::Make(options);
    ASSERT_FALSE(services.ok()) << words;
    EXPECT_TRUE(absl::StrContains(services.status().message(), words)) << services.status();
    EXPECT_FALSE(absl::StrContains(services.status().message(), "secret"));
  }
  for (const char* line : {"h grpc-timeout: 1S", "h a-bin: x", "h : x", "h a b: x"}) {
    EXPECT_FALSE(OtherServices::Make({{}, {}, HeadersFile(line)}).ok()) << line;
  }
}

}  // namespace

}  // namespace gprofhub::server
