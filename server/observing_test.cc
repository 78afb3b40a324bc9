#include "server/observing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace gprofhub::server {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const absl::Time kNow = absl::FromUnixSeconds(1'700'000'000);
constexpr ServedRoles kAll = {true, true, true, true};

StoreView Good() {
  StoreView view;
  view.disk = {uint64_t{100} << 30, uint64_t{50} << 30};
  return view;
}

// The services that are not serving.
std::vector<std::string> Out(const StoreView& view, const ServedRoles& roles = kAll) {
  std::vector<std::string> out;
  for (const auto& [service, health] : JudgeHealth(view, roles, {}, kNow)) {
    EXPECT_EQ(health.serving, health.why.empty()) << service << ": " << health.why;
    if (!health.serving) out.push_back(service);
  }
  return out;
}

StoreView WithQueue(absl::string_view kind, absl::Duration age, absl::Duration same_for) {
  StoreView view = Good();
  store::QueueCondition queue;
  queue.kind = kind;
  queue.waiting = 3;
  queue.oldest_id = 17;
  queue.oldest = kNow - age;
  view.queues = {queue};
  view.same_oldest_since[std::string(kind)] = kNow - same_for;
  return view;
}

TEST(JudgeHealth, AGoodStoreServesAllThatTheProcessHas) {
  EXPECT_THAT(Out(Good()), IsEmpty());
  EXPECT_EQ(JudgeHealth(Good(), kAll, {}, kNow).size(), 5u);
  const auto query = JudgeHealth(Good(), {false, true, false, false}, {}, kNow);
  EXPECT_EQ(query.size(), 2u);
  EXPECT_TRUE(query.contains(kQueryHealth));
  EXPECT_TRUE(query.contains(kWholeHealth));
}

TEST(JudgeHealth, WithoutTheDatabaseNothingIsServing) {
  StoreView view = Good();
  view.status = absl::UnavailableError("connection refused");
  EXPECT_THAT(Out(view), UnorderedElementsAre("", kCollectorHealth, kQueryHealth, kReporterHealth,
                                              kWorkerHealth));
  EXPECT_THAT(JudgeHealth(view, kAll, {}, kNow).at("").why, HasSubstr("connection refused"));
}

TEST(JudgeHealth, ADatabaseThatSaysNothingIsGoneAfterAWhile) {
  StoreView view = Good();
  view.asked = kNow - absl::Seconds(9);
  EXPECT_THAT(Out(view), IsEmpty());
  view.asked = kNow - absl::Seconds(11);
  EXPECT_EQ(Out(view).size(), 5u);
}

TEST(JudgeHealth, AFullDiskStopsUploadsOnly) {
  StoreView view = Good();
  view.disk.free = 200 << 20;
  EXPECT_THAT(Out(view), ElementsAre("", kCollectorHealth));
  EXPECT_THAT(Out(view, {false, true, true, true}), IsEmpty());
  view.disk = {};  // not on this machine
  EXPECT_THAT(Out(view), IsEmpty());
}

TEST(JudgeHealth, AnUploadThatFoundNoRoomIsRememberedForAMinute) {
  StoreView view = Good();
  view.no_room = kNow - absl::Seconds(50);
  EXPECT_THAT(Out(view), ElementsAre("", kCollectorHealth));
  view.no_room = kNow - absl::Seconds(70);
  EXPECT_THAT(Out(view), IsEmpty());
}

TEST(JudgeHealth, AQueueWhoseHeadStaysIsStuck) {
  const absl::Duration old = absl::Minutes(30);
  EXPECT_THAT(Out(WithQueue("analysis", old, old)), ElementsAre(kWorkerHealth))
      << "uploads can be taken all the same";
  EXPECT_THAT(Out(WithQueue("report", old, old)), ElementsAre(kReporterHealth));
  EXPECT_THAT(Out(WithQueue("notification", old, old)), ElementsAre(kReporterHealth));
  EXPECT_THAT(Out(WithQueue("analysis", old, absl::Minutes(1))), IsEmpty())
      << "it is long, but it moves";
  EXPECT_THAT(Out(WithQueue("analysis", absl::Minutes(1), old)), IsEmpty())
      << "the job came back and is young again";
}

TEST(JudgeHealth, WhereNothingTakesCallsTheWholeIsTheWork) {
  const absl::Duration old = absl::Minutes(30);
  EXPECT_THAT(Out(WithQueue("analysis", old, old), {false, false, true, false}),
              ElementsAre("", kWorkerHealth));
}

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

}  // namespace gprofhub::server
