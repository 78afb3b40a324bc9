#include <curl/curl.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/http/system_authorities.h"
#include "reporter/notify/channels/mail_channel.h"
#include "reporter/notify/mail_address.h"

namespace gprofhub::reporter {
namespace {

struct Pending {
  absl::string_view text;
};

// libcurl's read callback: returns up to size * count bytes.
size_t GiveText(char* buffer, size_t size, size_t count, void* user) {
  Pending& pending = *static_cast<Pending*>(user);
  const size_t given = std::min(size * count, pending.text.size());
  std::memcpy(buffer, pending.text.data(), given);
  pending.text.remove_prefix(given);
  return given;
}

size_t DropAnswer(char*, size_t size, size_t count, void*) { return size * count; }

absl::Status ToStatus(CURL* curl, CURLcode code) {
  if (code == CURLE_OK) return absl::OkStatus();
  long reply = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &reply);
  const std::string why = absl::StrCat("mail: ", curl_easy_strerror(code),
                                       reply == 0 ? "" : absl::StrCat(" (", reply, ")"));
  if (code == CURLE_LOGIN_DENIED || code == CURLE_USE_SSL_FAILED) {
    return absl::FailedPreconditionError(why);
  }
  // 5xx: permanent failure (RFC 5321, 4.2.1). 4xx: temporary.
  if (reply >= 500 && reply < 600) return absl::InvalidArgumentError(why);
  return absl::UnavailableError(why);
}

absl::Status Send(const SmtpOptions& options, const std::string& from,
                  const std::vector<std::string>& to, const std::string& text) {
  if (absl::Status status = CheckSmtpUrl(options.url); !status.ok()) return status;
  const std::unique_ptr<CURL, void (*)(CURL*)> owner(curl_easy_init(), curl_easy_cleanup);
  if (owner == nullptr) return absl::ResourceExhaustedError("libcurl gives no handle");
  CURL* const curl = owner.get();
  std::unique_ptr<curl_slist, void (*)(curl_slist*)> recipients(nullptr, curl_slist_free_all);
  for (const std::string& address : to) {
    if (!IsMailAddress(address)) return absl::InvalidArgumentError("mail: not an address");
    curl_slist* const longer =
        curl_slist_append(recipients.get(), absl::StrCat("<", address, ">").c_str());
    if (longer == nullptr) return absl::ResourceExhaustedError("libcurl is out of memory");
    (void)recipients.release();
    recipients.reset(longer);
  }
  if (!IsMailAddress(from)) return absl::InvalidArgumentError("mail: not an address");
  Pending pending{text};
  // On loopback, self-signed certificates are common.
  const bool encrypt = !IsLoopbackSmtp(options.url);
  curl_easy_setopt(curl, CURLOPT_URL, options.url.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
  curl_easy_setopt(curl, CURLOPT_USE_SSL,
                   static_cast<long>(encrypt ? CURLUSESSL_ALL : CURLUSESSL_NONE));
  curl_easy_setopt(curl, CURLOPT_MAIL_FROM, absl::StrCat("<", from, ">").c_str());
  curl_easy_setopt(curl, CURLOPT_MAIL_RCPT, recipients.get());
  if (!options.user.empty()) {
    curl_easy_setopt(curl, CURLOPT_USERNAME, options.user.c_str());
    curl_easy_setopt(curl, CURLOPT_PASSWORD, options.password.c_str());
  }
  const std::string authorities =
      options.ca_file.empty() ? base::SystemAuthorities() : options.ca_file;
  if (!authorities.empty()) curl_easy_setopt(curl, CURLOPT_CAINFO, authorities.c_str());
  curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
  curl_easy_setopt(curl, CURLOPT_READFUNCTION, &GiveText);
  curl_easy_setopt(curl, CURLOPT_READDATA, &pending);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &DropAnswer);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, 10000L);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS,
                   static_cast<long>(absl::ToInt64Milliseconds(options.timeout)));
  return ToStatus(curl, curl_easy_perform(curl));
}

}  // namespace

MailSender MakeSmtpSender(const SmtpOptions& options) {
  // libcurl requires this once per process, before its first handle.
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  return [options](const std::string& from, const std::vector<std::string>& to,
                   const std::string& text) { return Send(options, from, to, text); };
}

}  // namespace gprofhub::reporter
