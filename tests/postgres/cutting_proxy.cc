#include "tests/postgres/cutting_proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"

namespace gprofhub::tests {
namespace {

constexpr int kLookMs = 50;

int ConnectTo(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  close(fd);
  return -1;
}

// Nothing at the end of the stream.
std::string ReadSome(int fd) {
  std::array<char, 16384> buffer;
  const ssize_t got = read(fd, buffer.data(), buffer.size());
  return got > 0 ? std::string(buffer.data(), static_cast<size_t>(got)) : std::string();
}

bool SendAll(int fd, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

}  // namespace

CuttingProxy::CuttingProxy(const std::string& folder) : folder_(folder) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener_, generic, length) == 0 && listen(listener_, 16) == 0 &&
      getsockname(listener_, generic, &length) == 0) {
    port_ = ntohs(address.sin_port);
  }
  accepting_ = std::thread([this] { Accept(); });
}

CuttingProxy::~CuttingProxy() {
  ending_ = true;
  accepting_.join();
  for (std::thread& relay : relays_) relay.join();
  close(listener_);
}

std::string CuttingProxy::Through(const std::string& url) const {
  return absl::StrReplaceAll(
      url, {{"@/", absl::StrCat("@127.0.0.1:", port_, "/")}, {"?host=" + folder_, ""}});
}

void CuttingProxy::Accept() {
  while (!ending_) {
    pollfd ready = {listener_, POLLIN, 0};
    if (poll(&ready, 1, kLookMs) <= 0) continue;
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    const std::lock_guard<std::mutex> lock(mutex_);
    relays_.emplace_back([this, client] { Relay(client); });
  }
}

void CuttingProxy::Relay(int client) {
  const int server = ConnectTo(folder_ + "/.s.PGSQL.5432");
  std::array<pollfd, 2> ends = {pollfd{client, POLLIN, 0}, pollfd{server, POLLIN, 0}};
  bool on = server >= 0;
  while (on && !ending_) {
    if (poll(ends.data(), ends.size(), kLookMs) <= 0) continue;
    if (ends[0].revents != 0) {
      const std::string asked = ReadSome(client);
      Cut cut = Cut::kNever;
      if (absl::StrContains(asked, "COMMIT")) cut = cut_.exchange(Cut::kNever);
      if (cut != Cut::kNever) ++cuts_;
      on = cut != Cut::kBeforeCommit && !asked.empty() && SendAll(server, asked);
      if (cut == Cut::kAfterCommit) {
        (void)ReadSome(server);  // its answer, which is lost
        on = false;
      }
    }
    if (on && ends[1].revents != 0) {
      const std::string answered = ReadSome(server);
      on = !answered.empty() && SendAll(client, answered);
    }
  }
  close(client);
  if (server >= 0) close(server);
}

}  // namespace gprofhub::tests
