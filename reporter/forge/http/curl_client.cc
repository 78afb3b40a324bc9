#include "reporter/forge/http/curl_client.h"

#include <curl/curl.h>

#include <memory>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "reporter/forge/http/allowed_url.h"
#include "reporter/forge/http/system_authorities.h"

namespace gprofhub::reporter {
namespace {

struct Receiver {
  HttpResponse response;
  size_t bytes = 0;
  size_t limit = 0;
  bool too_long = false;
};

// libcurl's signature. `size` is 1 and `count` the number of bytes. Another result than size *
// count ends the transfer.
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

// libcurl's signature. Another result than 0 ends the transfer.
int OnProgress(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return (*static_cast<const std::function<bool()>*>(user))() ? 1 : 0;
}

absl::Status ToStatus(CURLcode code, const HttpRequest& request, const Receiver& receiver,
                      const char* detail) {
  const std::string what = absl::StrCat(request.method, " ", request.url, ": ",
                                        detail[0] != '\0' ? detail : curl_easy_strerror(code));
  if (receiver.too_long) {
    return absl::ResourceExhaustedError(absl::StrCat(request.method, " ", request.url,
                                                     ": the answer is longer than ", receiver.limit,
                                                     " bytes"));
  }
  if (code == CURLE_ABORTED_BY_CALLBACK) return absl::CancelledError(what);
  if (code == CURLE_OPERATION_TIMEDOUT) return absl::DeadlineExceededError(what);
  // A certificate that is not trusted now may be trusted in an hour. The job should still be there
  // then.
  return absl::UnavailableError(what);
}

absl::StatusOr<HttpResponse> Send(const CurlOptions& options, const HttpRequest& request) {
  if (absl::Status status = CheckHttpUrl(request.url); !status.ok()) return status;
  const std::unique_ptr<CURL, void (*)(CURL*)> curl(curl_easy_init(), curl_easy_cleanup);
  if (curl == nullptr) return absl::ResourceExhaustedError("libcurl gives no handle");
  std::unique_ptr<curl_slist, void (*)(curl_slist*)> headers(nullptr, curl_slist_free_all);
  for (const auto& [name, value] : request.headers) {
    curl_slist* const longer =
        curl_slist_append(headers.get(), absl::StrCat(name, ": ", value).c_str());
    if (longer == nullptr) return absl::ResourceExhaustedError("libcurl is out of memory");
    (void)headers.release();
    headers.reset(longer);
  }
  Receiver receiver;
  receiver.limit = options.max_response_bytes;
  char detail[CURL_ERROR_SIZE] = "";
  CURL* const handle = curl.get();
  curl_easy_setopt(handle, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  if (!request.body.empty()) {
    curl_easy_setopt(handle, CURLOPT_POSTFIELDS, request.body.data());
    curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request.body.size()));
  }
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(absl::ToInt64Milliseconds(options.connect_timeout)));
  curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS,
                   static_cast<long>(absl::ToInt64Milliseconds(options.timeout)));
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
  if (code != CURLE_OK) return ToStatus(code, request, receiver, detail);
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  receiver.response.status = static_cast<int>(status);
  return std::move(receiver.response);
}

}  // namespace

HttpClient MakeCurlClient(const CurlOptions& options) {
  // libcurl wants this once a process, before its first handle.
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  return [options](const HttpRequest& request) { return Send(options, request); };
}

}  // namespace gprofhub::reporter
