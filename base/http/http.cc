#include "base/http/http.h"

#include <curl/curl.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/synchronization/mutex.h"
#include "base/network/network.h"
#include "base/status.h"
#include "base/status_macros.h"

namespace gprofhub::base {

absl::Status CheckHttpUrl(absl::string_view url) {
  absl::string_view rest = url;
  const bool encrypted = absl::ConsumePrefix(&rest, "https://");
  if (encrypted || absl::ConsumePrefix(&rest, "http://")) {
    const absl::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
    const bool bracketed = absl::StartsWith(authority, "[");
    const absl::string_view host =
        authority.substr(0, bracketed ? authority.find(']') + 1 : authority.find(':'));
    const bool loopback = host == "127.0.0.1" || host == "localhost" || host == "[::1]";
    // URL parsers disagree about backslashes.
    const bool plain = std::none_of(url.begin(), url.end(), [](unsigned char c) {
      return absl::ascii_iscntrl(c) || absl::ascii_isspace(c) || c == '\\';
    });
    absl::string_view port = authority.substr(host.size());
    const bool port_good =
        port.empty() || (absl::ConsumePrefix(&port, ":") &&
                         std::all_of(port.begin(), port.end(), absl::ascii_isdigit));
    if (plain && !host.empty() && !absl::StrContains(host, '@') && port_good &&
        (encrypted || loopback)) {
      return absl::OkStatus();
    }
  }
  return absl::InvalidArgumentError(absl::StrCat(
      url.substr(0, 200), ": must be an https URL; plain http is allowed only for this machine"));
}

std::string SystemAuthorities() {
  for (const char* path :
       {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/ssl/ca-bundle.pem", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
        "/etc/ssl/cert.pem"}) {
    if (access(path, R_OK) == 0) return path;
  }
  return "";
}

namespace {

struct CleanUp {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
using Handle = std::unique_ptr<CURL, CleanUp>;

struct Receiver {
  HttpResponse response;
  size_t bytes = 0;
  size_t limit = 0;
  bool too_long = false;
};

// libcurl's signature. `size` is 1 and `count` the number of bytes. Any result but size * count
// aborts the transfer.
size_t OnBody(char* data, size_t size, size_t count, void* user) {
  Receiver& receiver = *static_cast<Receiver*>(user);
  receiver.bytes += size * count;
  if (receiver.bytes > receiver.limit) {
    receiver.too_long = true;
    return 0;
  }
  receiver.response.body.append(data, size * count);
  return size * count;
}

size_t OnHeader(char* data, size_t size, size_t count, void* user) {
  Receiver& receiver = *static_cast<Receiver*>(user);
  receiver.bytes += size * count;
  if (receiver.bytes > receiver.limit) {
    receiver.too_long = true;
    return 0;
  }
  const absl::string_view line(data, size * count);
  const size_t colon = line.find(':');
  if (colon == absl::string_view::npos) return size * count;  // the status line
  receiver.response.headers[absl::AsciiStrToLower(line.substr(0, colon))] =
      std::string(absl::StripAsciiWhitespace(line.substr(colon + 1)));
  return size * count;
}

// libcurl's signature. Any result but 0 aborts the transfer.
int OnProgress(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return (*static_cast<const std::function<bool()>*>(user))() ? 1 : 0;
}

absl::Status WithReason(absl::Status status, CURLcode code) {
  return WithPublicMessage(std::move(status), curl_easy_strerror(code));
}

absl::Status ToStatus(CURLcode code, const HttpRequest& request, const Receiver& receiver,
                      const std::optional<Proxy>& proxy, const char* detail) {
  const std::string what =
      absl::StrCat(request.method, " ", request.url,
                   proxy.has_value() ? absl::StrCat(" through the proxy ", proxy->Display()) : "",
                   ": ", detail[0] != '\0' ? detail : curl_easy_strerror(code));
  if (receiver.too_long) {
    const std::string too_long =
        absl::StrCat("the response is longer than ", receiver.limit, " bytes");
    return WithPublicMessage(absl::ResourceExhaustedError(
                                 absl::StrCat(request.method, " ", request.url, ": ", too_long)),
                             too_long);
  }
  if (code == CURLE_ABORTED_BY_CALLBACK) return WithReason(absl::CancelledError(what), code);
  if (code == CURLE_OPERATION_TIMEDOUT) {
    return WithReason(absl::DeadlineExceededError(what), code);
  }
  // UNAVAILABLE, because a certificate that is not trusted now may be trusted in an hour: the job
  // must be retried.
  return WithReason(absl::UnavailableError(what), code);
}

// Handles that are idle between two requests. Each keeps its connections; the options of a request
// are reset.
class Handles {
 public:
  explicit Handles(bool keep) : keep_(keep) {}

  // nullptr if libcurl fails to create a handle.
  Handle Take() {
    const absl::MutexLock lock(&mutex_);
    if (idle_.empty()) return Handle(curl_easy_init());
    Handle taken = std::move(idle_.back());
    idle_.pop_back();
    return taken;
  }

  void GiveBack(Handle handle) {
    if (!keep_) return;
    curl_easy_reset(handle.get());
    const absl::MutexLock lock(&mutex_);
    idle_.push_back(std::move(handle));
  }

 private:
  const bool keep_;
  absl::Mutex mutex_;
  std::vector<Handle> idle_ ABSL_GUARDED_BY(mutex_);
};

absl::Status CheckUrl(const CurlOptions& options, const std::string& url) {
  const bool to_others = options.allow_plain_http && absl::StartsWith(url, "http://");
  // Permitted http URLs follow the rules for https.
  return CheckHttpUrl(to_others ? absl::StrCat("https", url.substr(4)) : url);
}

void SetBody(CURL* handle, const HttpRequest& request) {
  // Otherwise libcurl waits for a body of the announced length.
  if (request.method == "HEAD") curl_easy_setopt(handle, CURLOPT_NOBODY, 1L);
  // An empty body needs an explicit Content-Length, too: servers require it.
  const absl::string_view body =
      request.borrowed_body.empty() ? absl::string_view(request.body) : request.borrowed_body;
  if (body.empty() && request.method != "PUT" && request.method != "POST") return;
  curl_easy_setopt(handle, CURLOPT_POSTFIELDS, body.data());  // not copied by libcurl
  curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
}

absl::StatusOr<HttpResponse> Send(const CurlOptions& options, CURL* handle,
                                  const HttpRequest& request) {
  std::unique_ptr<curl_slist, void (*)(curl_slist*)> headers(nullptr, curl_slist_free_all);
  for (const auto& [name, value] : request.headers) {
    // The value may be a secret.
    if (!IsHeaderText(name) || !IsHeaderText(value)) {
      return absl::InvalidArgumentError(absl::StrCat("the header ", IsHeaderText(name) ? name : "",
                                                     " is not printable ASCII and was not sent"));
    }
    curl_slist* const longer =
        curl_slist_append(headers.get(), absl::StrCat(name, ": ", value).c_str());
    if (longer == nullptr) return absl::ResourceExhaustedError("libcurl is out of memory");
    // curl_slist_append returns the head of the list, which does not change.
    if (headers == nullptr) headers.reset(longer);
  }
  Receiver receiver;
  receiver.limit =
      request.max_response_bytes > 0 ? request.max_response_bytes : options.max_response_bytes;
  char detail[CURL_ERROR_SIZE] = "";
  curl_easy_setopt(handle, CURLOPT_URL, request.url.c_str());
  const std::optional<Proxy> proxy = ProxyFor(request.url);
  // Empty texts keep libcurl from reading the environment itself.
  curl_easy_setopt(handle, CURLOPT_PROXY, proxy.has_value() ? proxy->url.c_str() : "");
  curl_easy_setopt(handle, CURLOPT_NOPROXY, "");
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  SetBody(handle, request);
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(absl::ToInt64Milliseconds(options.connect_timeout)));
  curl_easy_setopt(
      handle, CURLOPT_TIMEOUT_MS,
      static_cast<long>(absl::ToInt64Milliseconds(options.timeout + request.extra_time)));
  const std::string authorities = options.ca_file.empty() ? SystemAuthorities() : options.ca_file;
  if (!authorities.empty()) curl_easy_setopt(handle, CURLOPT_CAINFO, authorities.c_str());
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, detail);
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, &OnBody);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &receiver);
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, &OnHeader);
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, &receiver);
  if (options.cancelled) {
    curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, &OnProgress);
    curl_easy_setopt(handle, CURLOPT_XFERINFODATA, &options.cancelled);
  }
  const CURLcode code = curl_easy_perform(handle);
  if (code != CURLE_OK) return ToStatus(code, request, receiver, proxy, detail);
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  receiver.response.status = static_cast<int>(status);
  return std::move(receiver.response);
}

}  // namespace

HttpClient MakeCurlClient(const CurlOptions& options) {
  // Once per process, before the first handle.
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  return [options, handles = std::make_shared<Handles>(options.keep_connections)](
             const HttpRequest& request) -> absl::StatusOr<HttpResponse> {
    RETURN_IF_ERROR(CheckUrl(options, request.url));
    Handle handle = handles->Take();
    if (handle == nullptr) return absl::ResourceExhaustedError("cannot create a libcurl handle");
    absl::StatusOr<HttpResponse> answer = Send(options, handle.get(), request);
    handles->GiveBack(std::move(handle));
    return answer;
  };
}

}  // namespace gprofhub::base
