#include "cli/observe/service_manager.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"

namespace gprofhub::cli {
namespace {

using Variables = std::map<std::string, std::string>;

ServiceManager Manager(const Variables& variables) {
  return ServiceManager([&variables](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

// A socket of systemd's; `name` begins with '@' in the abstract namespace.
class Socket {
 public:
  explicit Socket(const std::string& name)
      : name_(name), fd_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    if (name[0] == '@') address.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address), size), 0) << name;
  }
  ~Socket() {
    close(fd_);
    if (name_[0] == '/') unlink(name_.c_str());
  }
  std::string Receive() {
    std::array<char, 1000> bytes = {};
    const ssize_t got = recv(fd_, bytes.data(), bytes.size(), 0);
    return got < 0 ? "" : std::string(bytes.data(), static_cast<size_t>(got));
  }

 private:
  const std::string name_;
  const int fd_;
};

TEST(ServiceManager, IsToldThroughItsSocket) {
  for (const std::string& name :
       {absl::StrCat("/tmp/gprofhub-test-", getpid()), absl::StrCat("@gprofhub-test-", getpid())}) {
    Socket socket(name);
    const Variables variables = {{"NOTIFY_SOCKET", name}};
    const ServiceManager manager = Manager(variables);
    EXPECT_TRUE(manager.is_there());
    const absl::Status told = manager.Tell("READY=1\nSTATUS=Serving\n");
    EXPECT_TRUE(told.ok()) << told;
    EXPECT_EQ(socket.Receive(), "READY=1\nSTATUS=Serving\n");
  }
}

TEST(ServiceManager, ThatIsNotThereIsToldNothing) {
  for (const Variables& variables :
       {Variables{}, Variables{{"NOTIFY_SOCKET", ""}}, Variables{{"NOTIFY_SOCKET", "relative"}}}) {
    const ServiceManager manager = Manager(variables);
    EXPECT_FALSE(manager.is_there());
    EXPECT_TRUE(manager.Tell("READY=1").ok());
  }
}

TEST(ServiceManager, ThatCannotBeReachedIsAnError) {
  const Variables gone = {{"NOTIFY_SOCKET", "/tmp/gprofhub-test-nobody"}};
  EXPECT_TRUE(absl::IsUnavailable(Manager(gone).Tell("READY=1")));
  const Variables too_long = {{"NOTIFY_SOCKET", "/" + std::string(200, 'x')}};
  EXPECT_TRUE(absl::IsInvalidArgument(Manager(too_long).Tell("READY=1")));
}

TEST(ServiceManager, WantsToHearTwiceInTheTimeThatItGives) {
  EXPECT_EQ(Manager(Variables{{"WATCHDOG_USEC", "60000000"}}).watchdog(), absl::Seconds(30));
  EXPECT_EQ(
      Manager(Variables{{"WATCHDOG_USEC", "60000000"}, {"WATCHDOG_PID", absl::StrCat(getpid())}})
          .watchdog(),
      absl::Seconds(30));
  for (const Variables& variables :
       {Variables{}, Variables{{"WATCHDOG_USEC", "0"}}, Variables{{"WATCHDOG_USEC", "soon"}},
        Variables{{"WATCHDOG_USEC", "60000000"}, {"WATCHDOG_PID", "1"}}}) {
    EXPECT_EQ(Manager(variables).watchdog(), std::nullopt);
  }
}

}  // namespace
}  // namespace gprofhub::cli
