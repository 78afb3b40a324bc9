#include "tests/postgres/commit_cutter.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"

namespace gprofhub::tests {
namespace {

int ConnectTo(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  close(fd);
  return -1;
}

}  // namespace

CommitCutter::CommitCutter(const std::string& folder) : folder_(folder) {
  Relay::Options options;
  options.connect = [path = folder + "/.s.PGSQL.5432"] { return ConnectTo(path); };
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
  return absl::StrReplaceAll(
      url, {{"@/", absl::StrCat("@127.0.0.1:", relay_->port(), "/")}, {"?host=" + folder_, ""}});
}

}  // namespace gprofhub::tests
