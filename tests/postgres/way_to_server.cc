#include "tests/postgres/way_to_server.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace gprofhub::tests {

int ConnectToServer(const std::string& folder) {
  const std::string path = folder + "/.s.PGSQL.5432";
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  close(fd);
  return -1;
}

std::string ThroughPort(const std::string& url, const std::string& folder, uint16_t port) {
  return absl::StrReplaceAll(
      url, {{"@/", absl::StrCat("@127.0.0.1:", port, "/")}, {"?host=" + folder, ""}});
}

}  // namespace gprofhub::tests
