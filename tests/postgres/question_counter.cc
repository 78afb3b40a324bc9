#include "tests/postgres/question_counter.h"

#include <arpa/inet.h>

#include <cstdint>
#include <cstring>

#include "absl/strings/string_view.h"
#include "tests/postgres/way_to_server.h"

namespace gprofhub::tests {
namespace {

// Reads the client's side of a connection
// (https://www.postgresql.org/docs/15/protocol-message-formats.html).
class ClientMessages {
 public:
  // How many of the messages that end in this piece are questions.
  int CountQuestions(absl::string_view piece) {
    buffer_.append(piece.data(), piece.size());
    int questions = 0;
    size_t at = 0;
    for (;;) {
      // The first messages have no type.
      const size_t type = started_ ? 1 : 0;
      if (buffer_.size() - at < (started_ ? 5 : 8)) break;
      const size_t size = type + NumberAt(at + type);
      if (buffer_.size() - at < size) break;
      if (started_) {
        questions += buffer_[at] == 'Q' || buffer_[at] == 'S' ? 1 : 0;
      } else {
        const uint32_t code = NumberAt(at + 4);
        started_ = code != kWantsTls && code != kWantsGss;
      }
      at += size;
    }
    buffer_.erase(0, at);
    return questions;
  }

 private:
  static constexpr uint32_t kWantsTls = 80877103;
  static constexpr uint32_t kWantsGss = 80877104;

  uint32_t NumberAt(size_t at) const {
    uint32_t number = 0;
    std::memcpy(&number, buffer_.data() + at, sizeof number);
    return ntohl(number);
  }

  std::string buffer_;
  bool started_ = false;
};

}  // namespace

QuestionCounter::QuestionCounter(const std::string& folder) : folder_(folder) {
  Relay::Options options;
  options.connect = [folder] { return ConnectToServer(folder); };
  options.new_rule = [this] { return NewRule(); };
  relay_ = std::make_unique<Relay>(options);
}

Relay::Rule QuestionCounter::NewRule() {
  return [this, messages = ClientMessages()](Relay::Way way, absl::string_view piece) mutable {
    if (way == Relay::Way::kToServer) questions_ += messages.CountQuestions(piece);
    return Relay::Fate{piece.size(), false};
  };
}

std::string QuestionCounter::Through(const std::string& url) const {
  return ThroughPort(url, folder_, relay_->port());
}

}  // namespace gprofhub::tests
