#include "reporter/notify/messages/mail.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "reporter/notify/messages/words.h"

namespace gprofhub::reporter {
namespace {

// A line with an encoded word has at most 76 characters: "Subject: ", and 12 around 52 of base64,
// which encode 39 bytes.
constexpr size_t kWordBytes = 39;
constexpr size_t kLineCharacters = 76;

// The text as encoded words, one per line, split between characters.
std::string EncodedWords(absl::string_view text) {
  std::string words;
  while (!text.empty()) {
    size_t size = std::min(text.size(), kWordBytes);
    while (size < text.size() && size > 1 && (text[size] & 0xC0) == 0x80) --size;
    absl::StrAppend(&words, words.empty() ? "" : "\r\n ", "=?utf-8?B?",
                    absl::Base64Escape(text.substr(0, size)), "?=");
    text.remove_prefix(size);
  }
  return words;
}

std::string Base64Lines(absl::string_view text) {
  const std::string encoded = absl::Base64Escape(text);
  std::string lines;
  for (size_t at = 0; at < encoded.size(); at += kLineCharacters) {
    absl::StrAppend(&lines, encoded.substr(at, kLineCharacters), "\r\n");
  }
  return lines;
}

std::string Addresses(const std::vector<std::string>& to) {
  std::string list;
  for (const std::string& address : to) {
    absl::StrAppend(&list, list.empty() ? "" : ",\r\n ", "<", address, ">");
  }
  return list;
}

}  // namespace

std::string MailText(const Message& message, const std::string& from,
                     const std::vector<std::string>& to, absl::Time now) {
  const std::string domain = from.substr(from.find('@'));
  const std::string thread = absl::StrCat("<", message.key.substr(0, 32), domain, ">");
  std::string mail = absl::StrCat(
      "From: gprofhub <", from, ">\r\n", "To: ", Addresses(to), "\r\n",
      "Subject: ", EncodedWords(MessageTitle(message)), "\r\n",
      "Date: ", absl::FormatTime("%a, %d %b %Y %H:%M:%S +0000", now, absl::UTCTimeZone()), "\r\n",
      "Message-ID: <", message.id, domain, ">\r\n");
  if (message.kind != Message::Kind::kDigest) {
    absl::StrAppend(&mail, "References: ", thread, "\r\nIn-Reply-To: ", thread, "\r\n");
  }
  absl::StrAppend(&mail,
                  "Auto-Submitted: auto-generated\r\n"
                  "MIME-Version: 1.0\r\n"
                  "Content-Type: text/plain; charset=utf-8\r\n"
                  "Content-Transfer-Encoding: base64\r\n\r\n",
                  Base64Lines(MessageText(message)));
  return mail;
}

}  // namespace gprofhub::reporter
