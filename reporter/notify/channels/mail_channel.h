// E-mail through SMTP (RFC 5321).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "reporter/notify/channels/channel.h"

namespace gprofhub::reporter {

// Sends a mail through a server. Errors are Channel::Send's.
using MailSender = std::function<absl::Status(
    const std::string& from, const std::vector<std::string>& to, const std::string& text)>;

struct SmtpOptions {
  std::string url;   // "smtp://HOST:PORT" or "smtps://HOST:PORT"
  std::string user;  // empty: no log-in
  std::string password;
  std::string ca_file;  // PEM; empty: the system's certificates
  absl::Duration timeout = absl::Seconds(60);
};

// Uses libcurl. Except on loopback, connections are encrypted (STARTTLS, or smtps), or fail.
// Certificates and host names are verified. Thread-safe.
MailSender MakeSmtpSender(const SmtpOptions& options);

// Addresses must satisfy IsMailAddress.
std::unique_ptr<Channel> MakeMailChannel(std::string from, std::vector<std::string> to,
                                         MailSender sender, std::function<absl::Time()> now);

}  // namespace gprofhub::reporter
