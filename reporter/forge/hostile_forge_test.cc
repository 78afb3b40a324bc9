// Attacks by a forge's answers, and by strangers through its lists.
#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/http/http.h"
#include "reporter/forge/github.h"
#include "reporter/forge/rest.h"

namespace gprofhub::reporter {

namespace {

ForgeClock StillClock() {
  return {[] { return absl::FromUnixSeconds(1700000000); }, [](absl::Duration) {}};
}

// Answers every request by `handler`, from construction to destruction.
class LoopbackServer {
 public:
  LoopbackServer(const char* address, httplib::Server::Handler handler) {
    server_.Get(".*", handler);
    server_.Post(".*", handler);
    port_ = server_.bind_to_any_port(address);
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~LoopbackServer() {
    server_.stop();
    thread_.join();
  }
  int port() const { return port_; }

 private:
  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
};

// What a server inside the network may be called. PORT is its port, FORGE the forge's.
constexpr const char* kInnerAddresses[] = {
    "http://127.0.0.1:PORT/",
    "http://localhost:PORT/",
    "http://[::1]:PORT/",
    "http://[::ffff:127.0.0.1]:PORT/",
    "http://0:PORT/",
    "http://2130706433:PORT/",
    "http://0x7f.1:PORT/",
    "http://017700000001:PORT/",
    "http://127.1:PORT/",
    "//127.0.0.1:PORT/",
    "HTTP://127.0.0.1:PORT/",
    "http:/127.0.0.1:PORT/",
    "http:127.0.0.1:PORT/",
    "http:\\\\127.0.0.1:PORT/",
    "/\\127.0.0.1:PORT/",
    "http://127.0.0.1:FORGE@127.0.0.1:PORT/",
    "http://127.0.0.1:FORGE\\@127.0.0.1:PORT/",
    "http://127.0.0.1:FORGE#@127.0.0.1:PORT/",
    "http://user:secret@127.0.0.1:PORT/",
    " http://127.0.0.1:PORT/",
    "http://169.254.169.254/latest/meta-data/",
    "https://127.0.0.1:PORT/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:PORT/_x",
    "dict://127.0.0.1:PORT/x",
    "ftp://127.0.0.1:PORT/x",
};

TEST(HostileForgeTest, RedirectsAndLinksReachNoOtherServer) {
  std::atomic<int> arrived = 0;
  const auto count = [&arrived](const httplib::Request&, httplib::Response& response) {
    ++arrived;
    response.set_content("[]", "application/json");
  };
  const LoopbackServer inner("127.0.0.1", count), inner6("::1", count);
  std::string elsewhere;
  bool by_link = false;
  const LoopbackServer forge(
      "127.0.0.1", [&](const httplib::Request& request, httplib::Response& response) {
        response.set_content("[]", "application/json");
        // Where the address turns out to be a path of this server.
        if (request.path != "/start") return;
        if (by_link) {
          response.set_header("Link", absl::StrCat("<", elsewhere, ">; rel=\"next\""));
        } else {
          response.status = 307;
          response.set_header("Location", elsewhere);
        }
      });
  RestOptions options;
  options.base_url = absl::StrCat("http://127.0.0.1:", forge.port());
  options.http = base::MakeCurlClient({});
  options.clock = StillClock();
  options.retry.max_attempts = 1;
  options.headers = [] { return base::HttpHeaders{{"Authorization", "Bearer secret"}}; };
  const RestApi api(options);
  for (const LoopbackServer* target : {&inner, &inner6}) {
    for (const char* address : kInnerAddresses) {
      elsewhere = absl::StrReplaceAll(
          address, {{"PORT", absl::StrCat(target->port())}, {"FORGE", absl::StrCat(forge.port())}});
      by_link = false;
      (void)api.Get("/start");
      (void)api.Send("POST", "/start", {{"a", 1}});
      by_link = true;
      (void)api.List("/start");
      EXPECT_EQ(arrived, 0) << elsewhere;
    }
  }
}

// A forge whose answers are made on request.
using Answers = std::function<base::HttpResponse(const std::string& url)>;

std::unique_ptr<Forge> MakeForge(Answers answers, size_t most_bytes = 32 << 20) {
  GitHubOptions options;
  options.base_url = "https://forge.example";
  options.repository = "acme/db";
  options.credentials = std::string("secret");
  return MakeGitHub(
      options,
      [answers = std::move(answers),
       most_bytes](const base::HttpRequest& request) -> absl::StatusOr<base::HttpResponse> {
        base::HttpResponse answer = answers(request.url);
        if (answer.body.size() > most_bytes) return absl::ResourceExhaustedError("too long");
        return answer;
      },
      StillClock());
}

uint32_t NumberIn(const std::string& url, const std::string& field, uint32_t otherwise) {
  const size_t at = url.find(absl::StrCat("&", field, "="));
  const size_t start = at == std::string::npos ? url.find(absl::StrCat("?", field, "=")) : at;
  uint32_t number = otherwise;
  if (start == std::string::npos) return number;
  const std::string text = url.substr(start + field.size() + 2);
  EXPECT_TRUE(absl::SimpleAtoi(text.substr(0, text.find('&')), &number)) << url;
  return number;
}

// The pages of `total` comments with this body.
Answers CommentsOf(uint32_t total, const std::string& body) {
  return [total, body](const std::string& url) {
    if (absl::StrContains(url, "/user")) return base::HttpResponse{200, {}, R"({"login": "bot"})"};
    const uint32_t size = NumberIn(url, "per_page", 30), page = NumberIn(url, "page", 1);
    std::string list = "[";
    uint32_t i = (page - 1) * size;
    for (; i < std::min(page * size, total); ++i) {
      absl::StrAppend(&list, list.size() > 1 ? "," : "", "{\"id\":", i + 1,
                      ",\"user\":{\"login\":\"stranger\"},\"body\":\"", body, "\"}");
    }
    base::HttpResponse response{200, {}, list + "]"};
    if (i < total) {
      response.headers["link"] =
          absl::StrCat("<https://forge.example/repos/acme/db/issues/7/comments?per_page=", size,
                       "&page=", page + 1, ">; rel=\"next\"");
    }
    return response;
  };
}

size_t PeakKiB() {
  std::ifstream status("/proc/self/status");
  std::string line;
  size_t kib = 0;
  while (std::getline(status, line)) {
    if (absl::StartsWith(line, "VmHWM:")) sscanf(line.c_str(), "VmHWM: %zu", &kib);
  }
  return kib;
}

PullRequest Seven() {
  PullRequest pull_request;
  pull_request.number = "7";
  return pull_request;
}

TEST(HostileForgeTest, ManyLongCommentsAreNotHeldAtOnce) {
  const auto forge = MakeForge(CommentsOf(1000, std::string(65'536, 'x')));  // 63 MiB
  const size_t before = PeakKiB();
  int seen = 0;
  const absl::Status visited = forge->VisitComments(Seven(), [&seen](const Comment&) { ++seen; });
  EXPECT_TRUE(visited.ok()) << visited;
  EXPECT_EQ(seen, 1000);
  EXPECT_LT(PeakKiB() - before, 40u << 10);
}

TEST(HostileForgeTest, LongCommentsDoNotHideOthers) {
  const auto forge = MakeForge(CommentsOf(23, std::string(200'000, '[')), 1 << 20);
  std::vector<std::string> ids;
  const absl::Status visited =
      forge->VisitComments(Seven(), [&ids](const Comment& comment) { ids.push_back(comment.id); });
  EXPECT_TRUE(visited.ok()) << visited;
  ASSERT_EQ(ids.size(), 23u);
  for (int i = 0; i < 23; ++i) EXPECT_EQ(ids[i], absl::StrCat(i + 1));
}

TEST(HostileForgeTest, ValuesWithinTextsNeedNoMemory) {
  const auto forge = MakeForge(CommentsOf(1, std::string(1'000'000, '[')));
  int seen = 0;
  EXPECT_TRUE(forge->VisitComments(Seven(), [&seen](const Comment&) { ++seen; }).ok());
  EXPECT_EQ(seen, 1);
}

TEST(HostileForgeTest, AnswersOfMillionsOfValuesAreNotParsed) {
  for (const char* value : {"[],", "0,"}) {
    const auto forge = MakeForge([value](const std::string&) {
      std::string list = "[";
      while (list.size() < 8 << 20) list += value;
      return base::HttpResponse{200, {}, list + "0]"};
    });
    const size_t before = PeakKiB();
    EXPECT_EQ(forge->ReadPullRequest("7").status().code(), absl::StatusCode::kResourceExhausted);
    const absl::Status listed = forge->VisitComments(Seven(), [](const Comment&) {});
    EXPECT_EQ(listed.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_LT(PeakKiB() - before, 64u << 10) << value;
  }
}

}  // namespace

}  // namespace gprofhub::reporter
