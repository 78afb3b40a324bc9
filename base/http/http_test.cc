#include "base/http/http.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include <cstdlib>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "base/status.h"

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

using ::testing::HasSubstr;

// Serves from construction to destruction.
template <typename Server>
class Serving {
 public:
  explicit Serving(Server& server, const char* address = "127.0.0.1")
      : server_(server),
        port_(server.bind_to_any_port(address)),
        thread_([&server] { server.listen_after_bind(); }) {
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~Serving() {
    server_.stop();
    thread_.join();
  }
  int port() const { return port_; }

 private:
  Server& server_;
  const int port_;
  std::thread thread_;
};

TEST(CurlClientTest, SendsAndReceives) {
  httplib::Server server;
  server.Patch("/x", [](const httplib::Request& request, httplib::Response& response) {
    response.status = 422;
    response.set_header("X-Thing", "value");
    response.set_content(request.get_header_value("Authorization") + "|" + request.body, "a/b");
  });
  const Serving serving(server);
  const auto answer = MakeCurlClient({})({"PATCH",
                                          absl::StrCat("http://127.0.0.1:", serving.port(), "/x"),
                                          {{"Authorization", "Bearer t"}},
                                          "a body"});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->status, 422);
  EXPECT_EQ(answer->headers.at("x-thing"), "value");
  EXPECT_EQ(answer->body, "Bearer t|a body");
}

TEST(CurlClientTest, AHeaderThatIsNotAsciiIsNotSentAndNotShown) {
  for (const char* value : {"Bearer sec\r\nX-Other: ret", "Bearer \xEF\xBB\xBFsecret"}) {
    const absl::Status status =
        MakeCurlClient({})({"GET", "http://127.0.0.1:1/", {{"Authorization", value}}, ""}).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("Authorization"));
    EXPECT_THAT(std::string(status.message()), testing::Not(HasSubstr("sec")));
  }
}

TEST(CurlClientTest, LoopbackIsReachedDirectlyAndAFailingProxyIsNamed) {
  httplib::Server server;
  server.Get("/", [](const httplib::Request&, httplib::Response& response) {
    response.set_content("here", "text/plain");
  });
  const Serving serving(server);
  setenv("http_proxy", "http://127.0.0.1:1", 1);
  setenv("https_proxy", "http://me:secret@127.0.0.1:1", 1);
  unsetenv("no_proxy");
  unsetenv("NO_PROXY");
  const auto here =
      MakeCurlClient({})({"GET", absl::StrCat("http://127.0.0.1:", serving.port(), "/"), {}, ""});
  const absl::Status away = MakeCurlClient({})({"GET", "https://ci.invalid/", {}, ""}).status();
  unsetenv("http_proxy");
  unsetenv("https_proxy");
  ASSERT_TRUE(here.ok()) << here.status();
  EXPECT_EQ(here->body, "here");
  EXPECT_TRUE(absl::IsUnavailable(away)) << away;
  EXPECT_THAT(std::string(away.message()),
              HasSubstr("through the proxy http://127.0.0.1:1 (https_proxy)"));
  EXPECT_THAT(std::string(away.message()), testing::Not(HasSubstr("secret")));
}

TEST(CurlClientTest, TellsTheLengthOfAnEmptyBody) {
  httplib::Server server;
  server.Put("/x", [](const httplib::Request& request, httplib::Response& response) {
    response.set_content(request.get_header_value("Content-Length"), "text/plain");
  });
  const Serving serving(server);
  const auto answer =
      MakeCurlClient({})({"PUT", absl::StrCat("http://127.0.0.1:", serving.port(), "/x"), {}, ""});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->body, "0");
}

TEST(CurlClientTest, BorrowedBodyIsSentInPlaceOfTheBody) {
  httplib::Server server;
  server.Put("/x", [](const httplib::Request& request, httplib::Response& response) {
    response.set_content(absl::StrCat(request.body.size(), request.body.substr(0, 3)),
                         "text/plain");
  });
  const Serving serving(server);
  const std::string bytes(3 << 20, 'b');  // above 1 MiB libcurl waits for "100 Continue" first
  HttpRequest request = {"PUT", absl::StrCat("http://127.0.0.1:", serving.port(), "/x"), {}, "a"};
  // Not a form, of which httplib takes 8 KiB only.
  request.headers = {{"Content-Type", "application/octet-stream"}};
  request.borrowed_body = bytes;
  const auto answer = MakeCurlClient({})(request);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->body, "3145728bbb");
}

TEST(CurlClientTest, WaitsForNoBodyOfAHead) {
  httplib::Server server;
  server.Get("/x", [](const httplib::Request&, httplib::Response& response) {
    response.set_content("12345", "text/plain");
  });
  const Serving serving(server);
  const auto answer =
      MakeCurlClient({})({"HEAD", absl::StrCat("http://127.0.0.1:", serving.port(), "/x"), {}, ""});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->headers.at("content-length"), "5");
  EXPECT_EQ(answer->body, "");
}

TEST(CurlClientTest, KeepsAConnectionButNothingElseOfARequest) {
  httplib::Server server;
  const auto tell = [](const httplib::Request& request, httplib::Response& response) {
    response.set_content(absl::StrCat(request.method, " ", request.remote_port, " ",
                                      request.get_header_value("X-Once"), request.body),
                         "text/plain");
  };
  server.Put("/x", tell);
  server.Get("/x", tell);
  const Serving serving(server);
  CurlOptions options;
  options.keep_connections = true;
  const HttpClient client = MakeCurlClient(options);
  const std::string url = absl::StrCat("http://127.0.0.1:", serving.port(), "/x");
  const auto first = client({"PUT", url, {{"X-Once", "once"}}, "+body"});
  const auto second = client({"GET", url, {}, ""});
  ASSERT_TRUE(first.ok() && second.ok()) << first.status() << second.status();
  const std::string port = first->body.substr(4, first->body.find(' ', 4) - 4);
  EXPECT_EQ(first->body, absl::StrCat("PUT ", port, " once+body"));
  EXPECT_EQ(second->body, absl::StrCat("GET ", port, " "));
}

TEST(CurlClientTest, FollowsNoRedirect) {
  httplib::Server server;
  server.Get("/from", [](const httplib::Request&, httplib::Response& response) {
    response.set_redirect("/to");
  });
  server.Get("/to", [](const httplib::Request&, httplib::Response&) {
    ADD_FAILURE() << "the redirect was followed";
  });
  const Serving serving(server);
  const auto answer = MakeCurlClient({})(
      {"GET", absl::StrCat("http://127.0.0.1:", serving.port(), "/from"), {}, ""});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->status, 302);
  EXPECT_EQ(answer->headers.at("location"), "/to");
}

TEST(CurlClientTest, RefusesAnAnswerThatIsTooLong) {
  httplib::Server server;
  server.Get("/long", [](const httplib::Request&, httplib::Response& response) {
    response.set_content(std::string(100'000, 'x'), "text/plain");
  });
  const Serving serving(server);
  CurlOptions options;
  options.max_response_bytes = 50'000;
  const auto answer = MakeCurlClient(options)(
      {"GET", absl::StrCat("http://127.0.0.1:", serving.port(), "/long"), {}, ""});
  EXPECT_TRUE(absl::IsResourceExhausted(answer.status())) << answer.status();
  // Per-request options take precedence.
  EXPECT_TRUE(
      MakeCurlClient(options)(
          {"GET", absl::StrCat("http://127.0.0.1:", serving.port(), "/long"), {}, "", 200'000})
          .ok());
}

TEST(CurlClientTest, EndsWhenNobodyWaitsForTheAnswerAnyMore) {
  absl::Notification asked, over;
  httplib::Server server;
  server.Get("/never", [&](const httplib::Request&, httplib::Response&) {
    asked.Notify();
    over.WaitForNotification();
  });
  const Serving serving(server);
  CurlOptions options;
  options.timeout = absl::Minutes(10);
  options.cancelled = [&asked] { return asked.HasBeenNotified(); };
  const auto answer = MakeCurlClient(options)(
      {"GET", absl::StrCat("http://127.0.0.1:", serving.port(), "/never"), {}, ""});
  over.Notify();
  EXPECT_TRUE(absl::IsCancelled(answer.status())) << answer.status();
}

TEST(CurlClientTest, AServerThatNeverAnswersExceedsTheDeadline) {
  absl::Notification over;
  httplib::Server server;
  server.Get("/never",
             [&](const httplib::Request&, httplib::Response&) { over.WaitForNotification(); });
  const Serving serving(server);
  CurlOptions options;
  options.timeout = absl::Milliseconds(300);
  const auto answer = MakeCurlClient(options)(
      {"GET", absl::StrCat("http://127.0.0.1:", serving.port(), "/never"), {}, ""});
  over.Notify();
  EXPECT_TRUE(absl::IsDeadlineExceeded(answer.status())) << answer.status();
}

TEST(CurlClientTest, AnAnswerOfSingleBytesExceedsTheDeadline) {
  absl::Notification over;
  httplib::Server server;
  server.Get("/drip", [&](const httplib::Request&, httplib::Response& response) {
    response.set_chunked_content_provider("text/plain", [&](size_t, httplib::DataSink& sink) {
      return !over.WaitForNotificationWithTimeout(absl::Milliseconds(20)) && sink.write("x", 1);
    });
  });
  const Serving serving(server);
  CurlOptions options;
  options.timeout = absl::Milliseconds(300);
  const auto answer = MakeCurlClient(options)(
      {"GET", absl::StrCat("http://127.0.0.1:", serving.port(), "/drip"), {}, ""});
  over.Notify();
  EXPECT_TRUE(absl::IsDeadlineExceeded(answer.status())) << answer.status();
}

TEST(CurlClientTest, ExtraTimeOfARequestIsAddedToTheTimeout) {
  absl::Notification over;
  httplib::Server server;
  server.Get("/never",
             [&](const httplib::Request&, httplib::Response&) { over.WaitForNotification(); });
  const Serving serving(server);
  CurlOptions options;
  options.timeout = absl::Minutes(10);
  HttpRequest request = {
      "GET", absl::StrCat("http://127.0.0.1:", serving.port(), "/never"), {}, ""};
  request.extra_time = absl::Milliseconds(300) - options.timeout;
  const auto answer = MakeCurlClient(options)(request);
  over.Notify();
  EXPECT_TRUE(absl::IsDeadlineExceeded(answer.status())) << answer.status();
}

TEST(CurlClientTest, NobodyThereIsUnavailable) {
  int port = 0;
  {
    httplib::Server server;
    const Serving serving(server);
    port = serving.port();
  }
  const auto answer =
      MakeCurlClient({})({"GET", absl::StrCat("http://127.0.0.1:", port, "/"), {}, ""});
  EXPECT_TRUE(absl::IsUnavailable(answer.status())) << answer.status();
  EXPECT_EQ(PublicMessageOf(answer.status()), "Couldn't connect to server");
}

TEST(CurlClientTest, SpeaksInTheClearOnlyToThisMachine) {
  for (const char* url :
       {"http://forge.example/", "http://127.0.0.1.evil.example/", "http://localhost@evil.example/",
        "ftp://127.0.0.1/", "file:///etc/passwd", "forge.example"}) {
    const auto answer = MakeCurlClient({})({"GET", url, {}, ""});
    EXPECT_TRUE(absl::IsInvalidArgument(answer.status())) << url;
  }
}

TEST(CurlClientTest, SpeaksInTheClearToOthersWhereItIsAllowed) {
  httplib::Server server;
  server.Get("/", [](const httplib::Request&, httplib::Response&) {});
  // Loopback, too, but not an address that is always permitted.
  const Serving serving(server, "127.0.0.2");
  const std::string url = absl::StrCat("http://127.0.0.2:", serving.port(), "/");
  EXPECT_TRUE(absl::IsInvalidArgument(MakeCurlClient({})({"GET", url, {}, ""}).status()));
  CurlOptions options;
  options.allow_plain_http = true;
  const HttpClient client = MakeCurlClient(options);
  const auto answer = client({"GET", url, {}, ""});
  EXPECT_TRUE(answer.ok()) << answer.status();
  EXPECT_TRUE(absl::IsInvalidArgument(client({"GET", "http://a@127.0.0.2/", {}, ""}).status()));
}

TEST(CurlClientTest, RefusesACertificateThatNobodyVouchesFor) {
  EVP_PKEY* const key = EVP_RSA_gen(2048);
  X509* const certificate = X509_new();
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
  X509_set_issuer_name(certificate, X509_get_subject_name(certificate));
  X509_sign(certificate, key, EVP_sha256());
  {
    httplib::SSLServer server(certificate, key);
    ASSERT_TRUE(server.is_valid());
    server.Get("/", [](const httplib::Request&, httplib::Response&) {
      ADD_FAILURE() << "a request arrived";
    });
    const Serving serving(server);
    const auto answer = MakeCurlClient({})({"GET",
                                            absl::StrCat("https://localhost:", serving.port(), "/"),
                                            {{"Authorization", "Bearer t"}},
                                            ""});
    EXPECT_TRUE(absl::IsUnavailable(answer.status())) << answer.status();
    EXPECT_THAT(std::string(answer.status().message()), HasSubstr("certificate"));
  }
  X509_free(certificate);
  EVP_PKEY_free(key);
}

}  // namespace

}  // namespace gprofhub::base
