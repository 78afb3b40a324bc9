#include "reporter/notify/messages/words.h"

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/printable.h"
#include "reporter/posting/posting.h"
#include "reporter/text/function_name.h"

namespace gprofhub::reporter {
namespace {

constexpr size_t kMostCharacters = 200;

std::string Short(absl::string_view text, size_t characters = kMostCharacters) {
  return base::Shortened(base::Printable(text), characters);
}

std::string ShortName(const v1::Release& release) {
  return release.commit().empty() ? absl::StrCat("run ", Short(release.run_id(), 20))
                                  : Short(release.commit().substr(0, 12), 12);
}

absl::string_view WhatHappened(const v1::Finding& cause) {
  const bool calls = cause.metric() == v1::Finding::CALLS;
  switch (cause.verdict()) {
    case v1::Finding::NEW:
      return "is called anew";
    case v1::Finding::VANISHED:
      return "is not called any more";
    case v1::Finding::IMPROVED:
      return calls ? "is called less" : "takes less time";
    default:
      return calls ? "is called more" : "takes more time";
  }
}

std::string Since(const v1::ChangeEvent& event) {
  std::string words = absl::StrCat("since ", ShortName(event.at()));
  if (event.at().unix_ms() != 0) {
    absl::StrAppend(
        &words, absl::FormatTime(" of %Y-%m-%d %H:%M UTC",
                                 absl::FromUnixMillis(event.at().unix_ms()), absl::UTCTimeZone()));
  }
  absl::StrAppend(&words, ", after ", ShortName(event.last_before()));
  if (event.commits() > 1) absl::StrAppend(&words, ": one of ", event.commits(), " commits");
  return words;
}

std::string Place(const v1::Site& site) {
  if (site.file().empty()) return "";
  return site.line() == 0 ? Short(site.file()) : absl::StrCat(Short(site.file()), ":", site.line());
}

// "it was b332cd50f5c4 of 2026-11-23 by A. Uthor: Look each word up twice", shorter if fields are
// unknown.
std::string CulpritWords(const v1::Culprit& culprit) {
  std::string words = absl::StrCat("it was ", Short(culprit.commit().substr(0, 12), 12));
  if (!culprit.date().empty()) absl::StrAppend(&words, " of ", Short(culprit.date(), 10));
  if (!culprit.author().empty()) absl::StrAppend(&words, " by ", Short(culprit.author(), 60));
  if (!culprit.subject().empty()) absl::StrAppend(&words, ": ", Short(culprit.subject(), 100));
  return words;
}

std::string Owners(const Notification& notification) {
  std::string words;
  for (const std::string& owner : notification.owners) {
    absl::StrAppend(&words, words.empty() ? "" : ", ", Short(owner, 60));
  }
  return words;
}

std::string EventText(const Notification& notification) {
  const v1::ChangeEvent& event = notification.event;
  std::string text = absl::StrCat(DescribeFinding(event.cause()), "\n", Since(event), "\n");
  if (event.has_culprit()) absl::StrAppend(&text, CulpritWords(event.culprit()), "\n");
  if (const std::string place = Place(event.cause().site()); !place.empty()) {
    absl::StrAppend(&text, "at ", place, "\n");
  }
  if (event.following_functions() > 0) {
    absl::StrAppend(&text, event.following_functions(),
                    event.following_functions() == 1 ? " other function" : " other functions",
                    " changed there, too\n");
  }
  if (event.targets_size() > 1) {
    absl::StrAppend(&text, "in ", event.targets_size(), " tests\n");
  }
  if (const std::string owners = Owners(notification); !owners.empty()) {
    absl::StrAppend(&text, "owners: ", owners, "\n");
  }
  absl::StrAppend(&text, "branch ", Short(notification.branch, 80), ", configuration ",
                  Short(notification.configuration, 80), "\n");
  if (notification.status != NotificationStatus::kOpen) {
    absl::StrAppend(&text, StatusName(notification.status), ": ", Short(notification.reason), "\n");
  }
  return text;
}

absl::string_view Prefix(const Message& message) {
  switch (message.kind) {
    case Message::Kind::kUpdated:
      return "More is known: ";
    case Message::Kind::kClosed:
      switch (message.notification.status) {
        case NotificationStatus::kAcknowledged:
          return "Acknowledged: ";
        case NotificationStatus::kWithdrawn:
          return "Withdrawn: ";
        default:
          return "Recovered: ";
      }
    default:
      return "";
  }
}

}  // namespace

absl::string_view KindName(Message::Kind kind) {
  switch (kind) {
    case Message::Kind::kOpened:
      return "opened";
    case Message::Kind::kUpdated:
      return "updated";
    case Message::Kind::kClosed:
      return "closed";
    case Message::Kind::kDigest:
      return "digest";
  }
  return "opened";
}

std::string EventTitle(const Notification& notification) {
  const v1::Finding& cause = notification.event.cause();
  const std::string& name =
      cause.function_display().empty() ? cause.function() : cause.function_display();
  return absl::StrCat(Short(notification.project, 40), ": ",
                      base::Shortened(FunctionName(name), 100), " ", WhatHappened(cause), " since ",
                      ShortName(notification.event.at()));
}

std::string MessageTitle(const Message& message) {
  if (message.kind != Message::Kind::kDigest) {
    return absl::StrCat(Prefix(message), EventTitle(message.notification));
  }
  const Digest& digest = message.digest;
  const size_t changes = digest.changes.size() + digest.left_out;
  return absl::StrCat(Short(digest.project, 40), ": ", changes,
                      changes == 1 ? " change" : " changes", " from ", Short(digest.week, 40));
}

std::string MessageText(const Message& message) {
  if (message.kind != Message::Kind::kDigest) return EventText(message.notification);
  std::string text;
  for (const Notification& change : message.digest.changes) {
    absl::StrAppend(&text, text.empty() ? "" : "\n", EventText(change));
  }
  if (message.digest.left_out > 0) {
    absl::StrAppend(&text, "\nand ", message.digest.left_out, " more\n");
  }
  return text;
}

}  // namespace gprofhub::reporter
