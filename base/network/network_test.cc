#include "base/network/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::base {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(HeaderSecret, SurroundingWhiteSpaceIsDropped) {
  for (const char* value : {"gph_1", "gph_1\n", "gph_1\r\n", " \tgph_1 ", "\n\ngph_1\n\n"}) {
    EXPECT_EQ(*HeaderSecret("GPROFHUB_TOKEN", value), "gph_1") << value;
  }
  EXPECT_EQ(*HeaderSecret("GPROFHUB_TOKEN", " \r\n"), "");
}

TEST(HeaderSecret, OtherBytesAreRefusedWithTheSourceOnly) {
  const std::pair<std::string, std::string> kCases[] = {
      {"\xEF\xBB\xBFgph_1", "byte order mark"}, {"\xE2\x80\x9Cgph_1\xE2\x80\x9D", "quote"},
      {"gph_1\xC2\xA0", "not ASCII"},           {"gph_1\xFF", "not ASCII"},
      {"gph_1\r\ngph_2", "a line end"},         {std::string("gph_1\0x", 7), "control character"},
      {"gph_1\x7Fx", "control character"},
  };
  for (const auto& [value, why] : kCases) {
    const absl::Status status = HeaderSecret("tokens/ci.txt", value).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("tokens/ci.txt"));
    EXPECT_THAT(std::string(status.message()), HasSubstr(why));
    EXPECT_THAT(std::string(status.message()), Not(HasSubstr("gph")));
  }
}

TEST(ParseServerAddress, DocumentedFormsAreAccepted) {
  const struct {
    const char* server;
    const char* target;
    bool is_encrypted;
  } kCases[] = {
      {"127.0.0.1:7070", "127.0.0.1:7070", false},
      {"ci.example:7070", "ci.example:7070", false},
      {" ci.example:7070/\r\n", "ci.example:7070", false},
      {"[::1]:7070", "[::1]:7070", false},
      {"https://ci.example", "ci.example:443", true},
      {"HTTPS://ci.example/", "ci.example:443", true},
      {"https://ci.example:7443", "ci.example:7443", true},
      {"https://ci.example:7443/", "ci.example:7443", true},
      {"grpc://ci.example:7070", "ci.example:7070", false},
      {"GRPC://ci.example:7070/", "ci.example:7070", false},
      {"grpcs://ci.example", "ci.example:443", true},
      {"https://[2001:db8::1]", "[2001:db8::1]:443", true},
      {"https://[2001:db8::1]:7443", "[2001:db8::1]:7443", true},
  };
  for (const auto& c : kCases) {
    const absl::StatusOr<ServerAddress> address = ParseServerAddress(c.server);
    ASSERT_TRUE(address.ok()) << address.status();
    EXPECT_EQ(address->target, c.target) << c.server;
    EXPECT_EQ(address->is_encrypted, c.is_encrypted) << c.server;
  }
}

TEST(ParseServerAddress, OtherFormsAreRefusedWithTheFormToUse) {
  const std::pair<std::string, std::string> kCases[] = {
      {"grpc://ci", "grpc://ci has no port: write ci:7070"},
      {"http://ci:8080/",
       "(--http of gprofhub serve); give that of its --listen, such as ci:7070;"},
      {"HTTP://[::1]:8080/p/db/compare/7", "such as [::1]:7070;"},
      {"dns:///ci:7070", "must not begin with dns://"},
      {"ci.example", "ci.example has no port: write ci.example:7070"},
      {"[::1]", "has no port: write [::1]:7070"},
      {"2001:db8::1:7070", "[ADDRESS]:PORT"},
      {"ci:", "from 1 to 65535"},
      {"ci:http", "from 1 to 65535"},
      {"ci:70700", "from 1 to 65535"},
      {"https://ci:0", "from 1 to 65535"},
      {"https://ci/gprofhub", "path"},
      {"https://", "has no host"},
      {":7070", "has no host"},
      {"", "has no host"},
      {"ci 7070", "blank"},
      {"ci\xE2\x80\x8B:7070", "not printable ASCII"},
  };
  for (const auto& [server, hint] : kCases) {
    const absl::Status status = ParseServerAddress(server).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << server;
    EXPECT_THAT(std::string(status.message()), HasSubstr(hint)) << server;
    EXPECT_THAT(std::string(status.message()), HasSubstr("use HOST:PORT")) << server;
  }
  EXPECT_THAT(std::string(ParseServerAddress("https://me:secret@ci").status().message()),
              Not(HasSubstr("secret")));
}

TEST(IsLoopbackHost, IsThisMachineByNameOrAddress) {
  for (const char* host : {"localhost", "LOCALHOST.", "db.localhost", "127.0.0.1", "127.8.0.1",
                           "127.1", "::1", "[::1]", "::ffff:127.0.0.1", "0.0.0.0", "[::]"}) {
    EXPECT_TRUE(IsLoopbackHost(host)) << host;
  }
  for (const char* host : {"", "ci.example", "localhost.example", "127.0.0.1.example", "10.0.0.1",
                           "128.0.0.1", "::2", "[2001:db8::1]", "notlocalhost"}) {
    EXPECT_FALSE(IsLoopbackHost(host)) << host;
  }
}

using Variables = std::map<std::string, std::string>;

// "URL (VARIABLE)"; empty: direct.
std::string Decided(const std::string& url, const Variables& variables) {
  const std::optional<Proxy> proxy = ProxyFor(url, [&variables](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
  return proxy.has_value() ? proxy->Display() : "";
}

TEST(ProxyFor, TheSchemeSelectsTheVariable) {
  const struct {
    const char* url;
    Variables variables;
    const char* wanted;
  } kCases[] = {
      {"https://a.example/x", {}, ""},
      {"https://a.example/x", {{"https_proxy", "http://p:3128"}}, "http://p:3128 (https_proxy)"},
      {"https://a.example", {{"HTTPS_PROXY", "p:3128/"}}, "http://p:3128 (HTTPS_PROXY)"},
      {"https://a.example", {{"https_proxy", "p"}}, "http://p:1080 (https_proxy)"},
      {"https://a.example", {{"https_proxy", " p:1\n"}}, "http://p:1 (https_proxy)"},
      {"https://a.example",
       {{"https_proxy", "a:1"}, {"HTTPS_PROXY", "b:1"}},
       "http://a:1 (https_proxy)"},
      {"https://a.example", {{"https_proxy", ""}, {"ALL_PROXY", "b:1"}}, "http://b:1 (ALL_PROXY)"},
      {"https://a.example", {{"http_proxy", "p:1"}}, ""},
      {"https://a.example", {{"all_proxy", "socks5h://s"}}, "socks5h://s (all_proxy)"},
      {"http://a.example", {{"http_proxy", "p:1"}}, "http://p:1 (http_proxy)"},
      {"http://a.example", {{"HTTP_PROXY", "p:1"}}, ""},
      {"HTTPS://a.example", {{"https_proxy", "http://u:p@ss@p:1"}}, "http://p:1 (https_proxy)"},
      {"https://a.example", {{"https_proxy", "http://[::2]:1"}}, "http://[::2]:1 (https_proxy)"},
      {"smtp://a.example", {{"https_proxy", "p:1"}}, ""},
      {"smtps://a.example", {{"ALL_PROXY", "p:1"}}, "http://p:1 (ALL_PROXY)"},
      {"grpcs://a.example:443", {{"HTTPS_PROXY", "p:1"}}, "http://p:1 (HTTPS_PROXY)"},
      {"grpcs://a.example:443", {{"http_proxy", "p:1"}}, ""},
      {"grpc://a.example:7070", {{"http_proxy", "p:1"}}, "http://p:1 (http_proxy)"},
      {"grpc://a.example:7070", {{"https_proxy", "p:1"}}, ""},
      {"grpc://a.example:7070",
       {{"grpc_proxy", "g:1"}, {"http_proxy", "p:1"}},
       "http://g:1 (grpc_proxy)"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Decided(c.url, c.variables), c.wanted)
        << c.url << " " << ::testing::PrintToString(c.variables);
  }
}

TEST(ProxyFor, ExceptionsConnectDirectly) {
  const struct {
    const char* exceptions;
    const char* host;
    bool is_direct;
  } kCases[] = {
      {"*", "a.example", true},
      {"b.example,*", "a.example", true},
      {"a.example", "a.example", true},
      {"A.Example", "a.eXample.", true},
      {"a.example.", "a.example", true},
      {"example", "a.example", true},
      {".example", "a.example", true},
      {".a.example", "a.example", true},
      {"*.example", "a.example", true},
      {"b.example a.example", "a.example", true},
      {" b.example , a.example ", "a.example", true},
      {"ample", "a.example", false},
      {"b.a.example", "a.example", false},
      {".", "a.example", false},
      {",,", "a.example", false},
      {"a.example:7443", "a.example:7443", true},
      {".example:7443", "a.example:7443", true},
      {"a.example:7443", "a.example:7444", false},
      {"a.example:443", "a.example", true},
      {"10.1.2.3", "10.1.2.3", true},
      {"10.1.2.3:80", "10.1.2.3:7070", false},
      {"10.0.0.0/8", "10.1.2.3:7070", true},
      {"10.0.0.0/8", "11.1.2.3:7070", false},
      {"192.168.4.0/22", "192.168.7.255", true},
      {"192.168.4.0/22", "192.168.8.0", false},
      {"10.0.0.0/33", "10.1.2.3", false},
      {"10.0.0.0/x", "10.1.2.3", false},
      {"0.0.0.0/0", "10.1.2.3", true},
      {"10.0.0.0/8", "a.example", false},
      {".2.3", "10.1.2.3", false},
      {"2001:db8::/32", "[2001:db8::7]:7070", true},
      {"2001:db9::/32", "[2001:db8::7]:7070", false},
      {"[2001:db8::7]", "[2001:db8:0::7]:7070", true},
      {"2001:db8::7", "[2001:db8::7]", true},
      {"[2001:db8::7]:7070", "[2001:db8::7]:7071", false},
  };
  for (const auto& c : kCases) {
    for (const char* name : {"no_proxy", "NO_PROXY"}) {
      const Variables variables = {{"https_proxy", "p:1"}, {name, c.exceptions}};
      EXPECT_EQ(Decided(absl::StrCat("https://", c.host, "/x"), variables).empty(), c.is_direct)
          << c.exceptions << " for " << c.host;
    }
  }
}

TEST(ProxyFor, LowerCaseAndOwnExceptionsComeFirst) {
  const Variables both = {{"https_proxy", "p:1"}, {"no_proxy", "a.example"}, {"NO_PROXY", "*"}};
  EXPECT_EQ(Decided("https://a.example", both), "");
  EXPECT_NE(Decided("https://b.example", both), "");
  const Variables grpc = {{"grpc_proxy", "p:1"}, {"no_grpc_proxy", "a"}, {"no_proxy", "b"}};
  EXPECT_EQ(Decided("grpc://a:1", grpc), "");
  EXPECT_NE(Decided("grpc://b:1", grpc), "");
}

TEST(ClientAt, IsAnIpv4AddressOrAnIpv6NetworkOf64Bits) {
  EXPECT_EQ(ClientAt("10.0.0.7"), ClientAt("::ffff:10.0.0.7"));
  EXPECT_EQ(ClientAt("10.0.0.7"), ClientAt("[::FFFF:a00:7]"));
  EXPECT_NE(ClientAt("10.0.0.7"), ClientAt("10.0.0.8"));
  EXPECT_EQ(ClientAt("2001:db8:1:2::1"), ClientAt("[2001:db8:1:2:3:4:5:6]"));
  EXPECT_NE(ClientAt("2001:db8:1:2::1"), ClientAt("2001:db8:1:3::1"));
  EXPECT_EQ(ClientAt("fe80::1%eth0"), ClientAt("fe80::2"));
  EXPECT_NE(ClientAt("::1"), ClientAt("::ffff:0.0.0.1"));
  EXPECT_EQ(ClientAt("unix:@a"), "unix:@a");
  EXPECT_EQ(ClientAt(""), "");
}

TEST(ProxyFor, LoopbackIsNeverProxied) {
  const Variables all = {{"all_proxy", "p:1"}, {"http_proxy", "p:1"}, {"grpc_proxy", "p:1"}};
  for (const char* url : {"http://localhost:80/", "https://127.0.0.1:8443", "grpc://127.0.0.1:7070",
                          "grpcs://localhost:7070", "grpc://[::1]:7070", "smtp://localhost"}) {
    EXPECT_EQ(Decided(url, all), "") << url;
  }
}

}  // namespace

}  // namespace gprofhub::base
