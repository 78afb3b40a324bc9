#include "cli/observe/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::cli {
namespace {

std::string Of(const ServiceManager::Variable& variable, const char* name) {
  const char* value = variable(name);
  return value == nullptr ? "" : value;
}

}  // namespace

ServiceManager::ServiceManager(const Variable& variable) : socket_(Of(variable, "NOTIFY_SOCKET")) {
  // An absolute path, or a name in the abstract namespace.
  if (!socket_.empty() && socket_[0] != '/' && socket_[0] != '@') socket_.clear();
  int64_t pid = 0;
  const std::string meant = Of(variable, "WATCHDOG_PID");
  if (!meant.empty() && (!absl::SimpleAtoi(meant, &pid) || pid != getpid())) return;
  int64_t micros = 0;
  if (absl::SimpleAtoi(Of(variable, "WATCHDOG_USEC"), &micros) && micros > 0) {
    watchdog_ = absl::Microseconds(micros) / 2;
  }
}

absl::Status ServiceManager::Tell(absl::string_view lines) const {
  if (!is_there()) return absl::OkStatus();
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (socket_.size() >= sizeof(address.sun_path)) {
    return absl::InvalidArgumentError("NOTIFY_SOCKET: is too long for a socket's name");
  }
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  if (socket_[0] == '@') address.sun_path[0] = '\0';
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return absl::UnavailableError(std::strerror(errno));
  const ssize_t sent = sendto(fd, lines.data(), lines.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
                              reinterpret_cast<const sockaddr*>(&address), size);
  const int error = errno;
  close(fd);
  if (sent == static_cast<ssize_t>(lines.size())) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("NOTIFY_SOCKET: ", std::strerror(error)));
}

}  // namespace gprofhub::cli
