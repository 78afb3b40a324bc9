#include "tests/fault/byte_cutter.h"

#include <algorithm>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace gprofhub::tests {

ByteCutter::ByteCutter(const std::string& server, uint64_t to_server, uint64_t to_client) {
  Relay::Options options;
  const int port = std::atoi(server.substr(server.rfind(':') + 1).c_str());
  options.connect = [port] { return ConnectToLoopback(static_cast<uint16_t>(port)); };
  options.one_connection = true;
  options.new_rule = [this, to_server, to_client]() -> Relay::Rule {
    return [this, to_server, to_client](Relay::Way way, absl::string_view piece) {
      const bool sends = way == Relay::Way::kToServer;
      std::atomic<uint64_t>& count = sends ? sent_ : received_;
      const uint64_t most = sends ? to_server : to_client;
      const size_t passes = std::min<uint64_t>(piece.size(), most - count);
      count += passes;
      return Relay::Fate{passes, count >= most};
    };
  };
  relay_ = std::make_unique<Relay>(options);
}

std::string ByteCutter::address() const { return absl::StrCat("127.0.0.1:", relay_->port()); }

}  // namespace gprofhub::tests
