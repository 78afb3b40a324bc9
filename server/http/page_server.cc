#include "server/http/page_server.h"

#include <httplib.h>
#include <spdlog/spdlog.h>
#include <zlib.h>

#include <chrono>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "base/memory_budget.h"
#include "base/network/network.h"
#include "base/status_macros.h"
#include "collector/fair_pool.h"
#include "server/http/api.h"
#include "server/http/function_page.h"
#include "server/http/pages.h"
#include "server/listen/listen_address.h"

namespace gprofhub::server {

namespace {

// Request line, headers, and the longest form.
constexpr size_t kMaxRequestBytes = 32 << 10;
constexpr size_t kMaxFormBytes = 8 << 10;
constexpr size_t kWorthPacking = 1 << 10;

// No script but ours, from files; nothing from elsewhere; no frame around it.
// https://www.w3.org/TR/CSP3
std::string PolicyFor(bool wasm) {
  return absl::StrCat(
      "default-src 'none'; script-src 'self'", wasm ? " 'wasm-unsafe-eval'" : "",
      "; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; "
      "base-uri 'none'; frame-ancestors 'none'");
}

// Forbids everything: a picture loads nothing.
constexpr char kPicturePolicy[] = "default-src 'none'; sandbox; frame-ancestors 'none'";

// As gzip; empty where that fails.
std::string Packed(const std::string& text) {
  z_stream stream = {};
  constexpr int kGzip = 15 + 16;
  if (deflateInit2(&stream, 5, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK) return "";
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const bool is_whole = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return is_whole ? packed : "";
}

bool TakesGzip(const httplib::Request& request) {
  return absl::StrContains(request.get_header_value(kAcceptedEncodings), "gzip");
}

std::string HostOf(const httplib::Request& request) {
  std::string host = request.get_header_value("Host");
  const size_t colon = host.rfind(':');
  const size_t bracket = host.rfind(']');
  if (colon != std::string::npos && (bracket == std::string::npos || colon > bracket)) {
    host.resize(colon);
  }
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  return host;
}

page::Context ContextBelow(const std::string& path_prefix) {
  page::Context context;
  context.path_prefix = path_prefix;
  return context;
}

PageAnswer AnswerAsset(const PageRequest& request, const std::string& path_prefix) {
  const Asset* const asset = request.path.size() == 3 && request.path[1] == AssetsVersion()
                                 ? FindAsset(request.path[2])
                                 : nullptr;
  if (asset == nullptr) {
    return ErrorPage(absl::NotFoundError("file not found"), ContextBelow(path_prefix));
  }
  PageAnswer answer;
  answer.type = std::string(asset->type);
  answer.body = std::string(asset->packed);
  answer.is_asset = true;
  return answer;
}

// 0, or how a request is refused before its body is read.
int RefusalOf(const httplib::Request& request) {
  if (request.method == "GET" || request.method == "HEAD") return 0;
  if (request.method != "POST") return 405;
  if (request.has_header("Content-Encoding")) return 415;
  if (request.has_header("Transfer-Encoding") || !request.has_header("Content-Length")) return 411;
  return request.get_header_value<uint64_t>("Content-Length") > kMaxFormBytes ? 413 : 0;
}

// The reason of a response that httplib or RefusalOf chose.
absl::Status WhyRefused(const httplib::Request& request, int code) {
  switch (code) {
    case 405:
      return absl::InvalidArgumentError(
          absl::StrCat("method ", request.method, " is not supported"));
    case 411:
      return absl::InvalidArgumentError("the form has no Content-Length");
    case 413:
      return absl::InvalidArgumentError(
          absl::StrCat("the form has more than ", kMaxFormBytes, " bytes"));
    case 414:
      return absl::InvalidArgumentError("the address is too long");
    case 415:
      return absl::InvalidArgumentError("the form is compressed");
    default:
      return absl::InvalidArgumentError("the request is not valid HTTP");
  }
}

}  // namespace

class PageServer::Impl {
 public:
  Impl(const PageServerOptions& options, PageSources sources, std::unique_ptr<Visits> visits)
      : user_header_(options.user_header),
        sources_(std::move(sources)),
        visits_(std::move(visits)),
        decoding_(*options.decoding),
        longest_(absl::ToChronoNanoseconds(options.patience)),
        pool_(options.threads),
        strangers_(options.threads),
        strangers_places_(options.peers / 2) {}

  absl::Status Listen(const PageServerOptions& options) {
    HttpPeers::Options bounds;
    bounds.peers = options.peers;
    bounds.patience = options.patience;
    bounds.max_bytes = kMaxRequestBytes;
    ASSIGN_OR_RETURN(std::unique_ptr<HttpPeers> peers,
                     HttpPeers::Start(options.listen, bounds,
                                      [this](httplib::Server& server) { AddRoutes(server); }));
    peers_ = std::move(peers);
    return absl::OkStatus();
  }

  const ListenAddress& address() const { return peers_->address(); }

 private:
  void AddRoutes(httplib::Server& server) {
    // GET needs no routes of httplib's; a POST's body is read for a route only.
    server.set_pre_routing_handler(
        [this](const httplib::Request& request, httplib::Response& response) {
          const int refusal = RefusalOf(request);
          if (refusal == 0 && request.method == "POST") {
            return httplib::Server::HandlerResponse::Unhandled;
          }
          if (refusal != 0) {
            response.status = refusal;
          } else {
            Answer(request, response);
          }
          return httplib::Server::HandlerResponse::Handled;
        });
    const auto answer = [this](const httplib::Request& request, httplib::Response& response) {
      Answer(request, response);
    };
    // httplib matches a decoded path, in which a project's name may have any character. Pages.cc
    // has the routes.
    server.Post("[\\s\\S]*", answer);
    server.set_error_handler([this](const httplib::Request& request, httplib::Response& response) {
      if (response.body.empty()) Refuse(request, response);
    });
  }

  // Completes a response that has a status only.
  void Refuse(const httplib::Request& from, httplib::Response& response) const {
    const absl::Status why = WhyRefused(from, response.status);
    PageRequest request;
    const bool is_api =
        ParseTarget(WithoutPathPrefix(from.target, visits_->path_prefix()), request).ok() &&
        request.is_api();
    PageAnswer answer = is_api
                            ? ErrorJson(why)
                            : ErrorPage(why, ContextBelow(visits_->path_prefix()), response.status);
    answer.code = response.status;
    Send(from, std::move(answer), response);
  }

  void Answer(const httplib::Request& from, httplib::Response& response) {
    PageRequest request;
    request.is_post = from.method == "POST";
    request.peer = from.remote_addr;
    request.host = HostOf(from);
    request.authority = from.get_header_value("Host");
    request.origin = from.get_header_value("Origin");
    request.fetch_site = from.get_header_value("Sec-Fetch-Site");
    request.authorization = from.get_header_value("Authorization");
    if (!user_header_.empty()) request.proxy_user = from.get_header_value(user_header_);
    request.cookies = ParseCookies(from.get_header_value("Cookie"));
    if (request.is_post) request.form = ParseForm(from.body);
    const std::string& prefix = visits_->path_prefix();
    absl::Status parsed = ParseTarget(WithoutPathPrefix(from.target, prefix), request);
    if (request.is_mcp()) request.body = from.body;
    PageAnswer answer;
    if (!parsed.ok()) {
      answer = ErrorPage(parsed, ContextBelow(prefix));
    } else if (!request.path.empty() && request.path.front() == "assets") {
      answer = AnswerAsset(request, prefix);
    } else {
      answer = OnPool(from, request);
    }
    Send(from, std::move(answer), response);
  }

  // Makes the answer where pages are made: few at a time, people in turn. Strangers have threads of
  // their own, networks in turn, and half of the connections; one network at most half of these.
  PageAnswer OnPool(const httplib::Request& from, PageRequest request) {
    const std::string person = visits_->PersonOf(request);
    const std::string owner = person.empty() ? base::ClientAt(request.peer) : person;
    collector::Holding place(strangers_places_);
    if (person.empty() && !place.Take(owner, 1)) {
      const absl::Status full = absl::UnavailableError("too many requests; try again later");
      return request.is_api() ? ErrorJson(full)
                              : ErrorPage(full, ContextBelow(visits_->path_prefix()));
    }
    PageAnswer answer;
    absl::Notification done;
    (person.empty() ? strangers_ : pool_).Submit(owner, [&] {
      answer = Make(from, request, person.empty() ? "strangers" : person);
      done.Notify();
    });
    done.WaitForNotification();
    if (answer.code == 500) spdlog::warn("page {}: an internal error", request.target);
    return answer;
  }

  // Within the client's share of the memory limit for decoding, and until the client disconnects.
  PageAnswer Make(const httplib::Request& from, const PageRequest& request,
                  const std::string& owner) const {
    const auto until = std::chrono::steady_clock::now() + longest_;
    base::DecodingCall call(decoding_, absl::StrCat("visitor ", owner), [&from, until] {
      return PeerHasLeft(from) || std::chrono::steady_clock::now() > until;
    });
    if (absl::Status wanted = call.CheckWanted(); !wanted.ok()) {
      return ErrorPage(wanted, ContextBelow(visits_->path_prefix()));
    }
    PageSources sources = sources_;
    const auto wanted = [&call] { return call.CheckWanted(); };
    sources.store.reading = sources_.store.reading.WithCheck(wanted);
    sources.store.gate = sources_.store.gate.WithCheck(wanted);
    sources.store.invocations = sources_.store.invocations.WithCheck(wanted);
    sources.store.blobs = {sources_.store.blobs, base::Decoding(call)};
    if (IsPicture(request)) return AnswerPicture(sources, request);
    if (request.is_mcp()) return AnswerMcp(sources, *visits_, request);
    return request.is_api() ? AnswerApi(sources, *visits_, request)
                            : AnswerPage(sources, *visits_, request);
  }

  void Send(const httplib::Request& request, PageAnswer answer, httplib::Response& response) const {
    response.status = answer.code;
    if (answer.code == 405) {
      const bool is_page = request.method != "GET" && request.method != "HEAD";
      response.set_header("Allow", is_page ? "GET, HEAD" : "POST");
    }
    for (const auto& [name, value] : answer.headers) response.set_header(name, value);
    response.set_header("Content-Security-Policy",
                        answer.is_picture ? kPicturePolicy : PolicyFor(answer.needs_wasm));
    response.set_header("X-Content-Type-Options", "nosniff");
    response.set_header("X-Frame-Options", "DENY");
    response.set_header("Referrer-Policy", "same-origin");
    response.set_header("Cross-Origin-Opener-Policy", "same-origin");
    response.set_header("Cross-Origin-Resource-Policy",
                        answer.is_picture ? "cross-origin" : "same-origin");
    if (const std::string as_of = AsOfText(sources_, absl::RFC3339_sec); !as_of.empty()) {
      response.set_header("Gprofhub-As-Of", as_of);
    }
    response.set_header("Vary", "Accept-Encoding");
    response.set_header("Cache-Control", answer.is_asset ? "public, max-age=31536000, immutable"
                                                         : "private, no-store");
    bool is_gzip = answer.is_asset;
    if (!is_gzip && answer.body.size() >= kWorthPacking && TakesGzip(request)) {
      std::string packed = Packed(answer.body);
      is_gzip = !packed.empty();
      if (is_gzip) answer.body = std::move(packed);
    }
    if (is_gzip) response.set_header("Content-Encoding", "gzip");
    response.body = std::move(answer.body);
    response.set_header("Content-Type", answer.type);
  }

  const std::string user_header_;
  const PageSources sources_;
  const std::unique_ptr<Visits> visits_;
  base::MemoryBudget& decoding_;
  const std::chrono::nanoseconds longest_;  // timeout of a page
  collector::FairPool pool_, strangers_;
  collector::FairShare strangers_places_;
  std::unique_ptr<HttpPeers> peers_;  // last: its handlers use the above
};

PageServer::PageServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PageServer::~PageServer() = default;

const ListenAddress& PageServer::address() const { return impl_->address(); }

absl::StatusOr<std::unique_ptr<PageServer>> PageServer::Start(const PageServerOptions& options,
                                                              PageSources sources,
                                                              collector::Access access) {
  ASSIGN_OR_RETURN(std::unique_ptr<Visits> visits, Visits::Make(std::move(access), options.visits));
  auto impl = std::make_unique<Impl>(options, std::move(sources), std::move(visits));
  RETURN_IF_ERROR(impl->Listen(options));
  return std::unique_ptr<PageServer>(new PageServer(std::move(impl)));
}

}  // namespace gprofhub::server
