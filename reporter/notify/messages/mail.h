// A message as an e-mail (RFC 5322, MIME).
#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "reporter/notify/messages/message.h"

namespace gprofhub::reporter {

// The whole mail, lines ended by CR LF. The subject is an encoded word and the body base64 (RFC
// 2047, RFC 2045), so that nothing in them is a header, a line of SMTP or longer than a line may
// be. `from` and `to` are addresses (mail_address.h). Mails of one event are one thread.
std::string MailText(const Message& message, const std::string& from,
                     const std::vector<std::string>& to, absl::Time now);

}  // namespace gprofhub::reporter
