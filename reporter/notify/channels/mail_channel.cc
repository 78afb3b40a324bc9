#include "reporter/notify/channels/mail_channel.h"

#include <utility>

#include "reporter/notify/messages/mail.h"

namespace gprofhub::reporter {
namespace {

class MailChannel final : public Channel {
 public:
  MailChannel(std::string from, std::vector<std::string> to, MailSender sender,
              std::function<absl::Time()> now)
      : from_(std::move(from)),
        to_(std::move(to)),
        sender_(std::move(sender)),
        now_(std::move(now)) {}

  bool WantsUpdates() const override { return false; }

  absl::StatusOr<std::string> Send(const Message& message) override {
    const absl::Status status = sender_(from_, to_, MailText(message, from_, to_, now_()));
    if (!status.ok()) return status;
    return std::string();
  }

 private:
  const std::string from_;
  const std::vector<std::string> to_;
  const MailSender sender_;
  const std::function<absl::Time()> now_;
};

}  // namespace

std::unique_ptr<Channel> MakeMailChannel(std::string from, std::vector<std::string> to,
                                         MailSender sender, std::function<absl::Time()> now) {
  return std::make_unique<MailChannel>(std::move(from), std::move(to), std::move(sender),
                                       std::move(now));
}

}  // namespace gprofhub::reporter
