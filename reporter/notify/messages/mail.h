// A message as an e-mail (RFC 5322, MIME).
#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "reporter/notify/messages/message.h"

namespace gprofhub::reporter {

// The whole mail, with CR LF line ends. The subject is an encoded word and the body base64 (RFC
// 2047, RFC 2045), which excludes header and SMTP injection and limits line lengths. `from` and
// `to` are addresses (mail_address.h). Mails of one event form one thread.
std::string MailText(const Message& message, const std::string& from,
                     const std::vector<std::string>& to, absl::Time now);

}  // namespace gprofhub::reporter
