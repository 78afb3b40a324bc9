#include "tests/postgres/commit_cutter.h"

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "tests/postgres/way_to_server.h"

namespace gprofhub::tests {
CommitCutter::CommitCutter(const std::string& folder) : folder_(folder) {
  Relay::Options options;
  options.connect = [folder] { return ConnectToServer(folder); };
  options.new_rule = [this] { return NewRule(); };
  relay_ = std::make_unique<Relay>(options);
}

Relay::Rule CommitCutter::NewRule() {
  return [this, loses_answer = false](Relay::Way way, absl::string_view piece) mutable {
    if (way == Relay::Way::kToClient)
      return Relay::Fate{loses_answer ? 0 : piece.size(), loses_answer};
    Cut cut = Cut::kNever;
    if (absl::StrContains(piece, "COMMIT")) cut = cut_.exchange(Cut::kNever);
    if (cut != Cut::kNever) ++cuts_;
    loses_answer = cut == Cut::kAfterCommit;
    if (cut == Cut::kBeforeCommit) return Relay::Fate{0, true};
    return Relay::Fate{piece.size(), false};
  };
}

std::string CommitCutter::Through(const std::string& url) const {
  return ThroughPort(url, folder_, relay_->port());
}

}  // namespace gprofhub::tests
