#include "reporter/notify/channels/issue_channel.h"

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "reporter/forge/issues.h"
#include "reporter/notify/messages/bodies.h"
#include "reporter/notify/messages/words.h"

namespace gprofhub::reporter {
namespace {

// GitHub's limit is 256, GitLab's 255.
constexpr size_t kMostTitle = 250;

class IssueChannel final : public Channel {
 public:
  explicit IssueChannel(std::map<std::string, std::shared_ptr<Forge>> forges)
      : forges_(std::move(forges)) {}

  bool WantsUpdates() const override { return true; }

  absl::StatusOr<std::string> Send(const Message& message) override {
    const bool digest = message.kind == Message::Kind::kDigest;
    const std::string& project = digest ? message.digest.project : message.notification.project;
    const auto forge = forges_.find(project);
    Issues* const issues = forge == forges_.end() ? nullptr : forge->second->issues();
    if (issues == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("issue: the server knows no repository with issues of ", project));
    }
    // The title stays that of the event: people search for it.
    const std::string title = base::Shortened(
        digest ? MessageTitle(message) : EventTitle(message.notification), kMostTitle);
    const std::string body = IssueBody(message);
    absl::StatusOr<std::string> number = Find(*issues, message);
    if (!number.ok()) return number.status();
    if (number->empty()) {
      if (message.kind == Message::Kind::kClosed) return std::string();
      number = issues->Create(title, body);
      if (!number.ok() || !digest) return number;
    }
    const absl::Status edited = issues->Edit(*number, title, body, StateAfter(message.kind));
    if (!edited.ok() && !absl::IsNotFound(edited)) return edited;
    return number;
  }

 private:
  static IssueState StateAfter(Message::Kind kind) {
    switch (kind) {
      case Message::Kind::kOpened:
        return IssueState::kOpen;
      case Message::Kind::kUpdated:
        return IssueState::kAsItIs;
      case Message::Kind::kClosed:
      case Message::Kind::kDigest:
        return IssueState::kClosed;
    }
    return IssueState::kAsItIs;
  }

  // The event's issue; empty if there is none. Markers written by other accounts are ignored.
  static absl::StatusOr<std::string> Find(Issues& issues, const Message& message) {
    if (!message.reference.empty()) return message.reference;
    const absl::StatusOr<std::vector<Issue>> list = issues.List();
    if (!list.ok()) return list.status();
    for (const Issue& issue : *list) {
      if (issue.own && absl::StartsWith(issue.body, IssueMarker(message.key))) return issue.number;
    }
    return std::string();
  }

  const std::map<std::string, std::shared_ptr<Forge>> forges_;
};

}  // namespace

std::unique_ptr<Channel> MakeIssueChannel(std::map<std::string, std::shared_ptr<Forge>> forges) {
  return std::make_unique<IssueChannel>(std::move(forges));
}

}  // namespace gprofhub::reporter
