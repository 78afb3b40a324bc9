// A server with threads is profiled while it serves. Its answers come when its steps are done, so
// every count is known.
#include "cli/live/command.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/live/live_process.h"
#include "cli/local/recording_file.h"
#include "cli/testing/command_line.h"
#include "profile/image/read_image.h"

namespace gprofhub::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// Calls of functions in [low, high).
uint64_t CallsIn(const std::string& recording_file, uint64_t low, uint64_t high) {
  const absl::StatusOr<profile::Recording> recording = ReadRecordingFile(recording_file);
  EXPECT_TRUE(recording.ok()) << recording.status();
  uint64_t calls = 0;
  if (!recording.ok()) return calls;
  for (const profile::RecordedModule& module : recording->modules) {
    for (const profile::RawArc& arc : module.profile.arcs) {
      if (arc.self_pc >= low && arc.self_pc < high) calls += arc.count;
    }
  }
  return calls;
}

std::string Program(const std::string& name) {
  return fs::absolute("cli/live/testing/" + name).string();
}

class LiveTest : public testing::TestWithParam<const char*> {
 protected:
  void StartServer(const std::map<std::string, std::string>& environment = {}) {
    folder_ = EmptyTestFolder();
    const absl::StatusOr<profile::SymbolTable> symbols =
        profile::ReadElfSymbols(Program(GetParam()));
    ASSERT_TRUE(symbols.ok()) << symbols.status();
    for (const profile::FunctionSymbol& symbol : symbols->functions) {
      if (symbol.name == "served_step") step_ = symbol;
    }
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(ends[1], 1);
      close(ends[0]);
      setenv("GPROFHUB_PROFILE_DIR", folder_.c_str(), 1);
      setenv("GPROFHUB_SAMPLE_RATE", "100", 1);
      for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
      const std::string program = Program(GetParam());
      execl(program.c_str(), program.c_str(), "4", nullptr);
      _exit(96);
    }
    close(ends[1]);
    FILE* const output = fdopen(ends[0], "r");
    int port = 0;
    ASSERT_EQ(std::fscanf(output, "%d", &port), 1);
    port_ = static_cast<uint16_t>(port);
    std::fclose(output);
  }

  void TearDown() override {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

  // What the server answers to a request; each goes to a thread that is free.
  long Ask(const std::string& request) const {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port_);
    const int connection = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    const std::string line = request + "\n";
    EXPECT_EQ(write(connection, line.data(), line.size()), static_cast<ssize_t>(line.size()));
    FILE* const answers = fdopen(connection, "r");
    long number = -2;
    EXPECT_EQ(std::fscanf(answers, "done %ld", &number), 1) << request;
    std::fclose(answers);
    return number;
  }

  // On all threads at once: as many connections wait for their answers as there are threads.
  void Steps(long count) const {
    std::vector<std::thread> clients;
    for (int i = 0; i < 4; ++i) {
      clients.emplace_back([&] { Ask(absl::StrCat("steps ", count / 4)); });
    }
    for (std::thread& client : clients) client.join();
  }

  CommandResult Live(std::vector<std::string> words) const {
    words.insert(words.begin(), {"live", absl::StrCat(pid_)});
    return RunCommandLine({AddLiveCommand}, words);
  }
  void Do(const std::string& verb) const {
    const CommandResult result = Live({verb});
    EXPECT_EQ(result.exit_code, kExitOk) << verb << ": " << result.err;
  }

  uint64_t Calls(const std::string& label = "copy") const {
    const std::string copy = (folder_ / label).string();
    const CommandResult result = Live({"dump", "--output", copy});
    EXPECT_EQ(result.exit_code, kExitOk) << result.err;
    EXPECT_EQ(result.out, copy + "\n");
    return StepsIn(copy);
  }

  // Calls of served_step.
  uint64_t StepsIn(const std::string& recording_file) const {
    return CallsIn(recording_file, step_.address, step_.address + step_.size);
  }

  fs::path folder_;
  profile::FunctionSymbol step_;
  pid_t pid_ = -1;
  uint16_t port_ = 0;
};

TEST_P(LiveTest, CountsWhileItIsOnAndNothingWhileItIsOff) {
  ASSERT_NO_FATAL_FAILURE(StartServer());
  Steps(4000);
  EXPECT_EQ(Calls(), 4000);
  Do("stop");
  Steps(8000);
  EXPECT_EQ(Calls(), 4000);
  Do("stop");  // again: nothing changes
  Do("start");
  Steps(400);
  EXPECT_EQ(Calls(), 4400);
  Ask("off");  // the program's own switch is the same
  Steps(8000);
  Do("start");
  Steps(40);
  EXPECT_EQ(Calls(), 4440);
}

TEST_P(LiveTest, ResetForgetsWhatWas) {
  ASSERT_NO_FATAL_FAILURE(StartServer());
  Steps(4000);
  Do("reset");
  EXPECT_EQ(Calls(), 0);
  Steps(40);
  EXPECT_EQ(Calls(), 40);
  Ask("reset");
  Steps(80);
  EXPECT_EQ(Calls(), 80);
  // Also while it is off.
  Do("stop");
  Steps(400);
  Do("reset");
  Do("start");
  Steps(4);
  EXPECT_EQ(Calls(), 4);
}

TEST_P(LiveTest, AProgramCopiesItsRecordingItself) {
  ASSERT_NO_FATAL_FAILURE(StartServer());
  Steps(40);
  EXPECT_EQ(Ask("dump before/ignored"), 0);
  Steps(4);
  const absl::StatusOr<std::string> recording = FindLiveRecording(pid_);
  ASSERT_TRUE(recording.ok()) << recording.status();
  const std::string start = recording->substr(0, recording->size() - sizeof("gprofhub") + 1);
  EXPECT_EQ(StepsIn(start + "before.gprofhub-dump"), 40);
  EXPECT_EQ(StepsIn(*recording), 44);
}

TEST_P(LiveTest, BeginsPausedIfAskedTo) {
  ASSERT_NO_FATAL_FAILURE(StartServer({{"GPROFHUB_START", "paused"}}));
  Steps(400);
  EXPECT_EQ(Calls(), 0);
  Do("start");
  Steps(40);
  EXPECT_EQ(Calls(), 40);
}

// An hour is longer than the test: it begins when somebody says so.
TEST_P(LiveTest, WaitsAsLongAsItWasTold) {
  ASSERT_NO_FATAL_FAILURE(StartServer({{"GPROFHUB_START", "after=3600s"}}));
  Steps(400);
  EXPECT_EQ(Calls("early"), 0);
  Do("start");
  Steps(40);
  EXPECT_EQ(Calls(), 40);
}

TEST_P(LiveTest, BeginsWhenItsTimeHasCome) {
  ASSERT_NO_FATAL_FAILURE(StartServer({{"GPROFHUB_START", "after=0"}}));
  const absl::StatusOr<LiveProcess> process = LiveProcess::Open(pid_);
  ASSERT_TRUE(process.ok()) << process.status();
  while (process->IsOff()) sched_yield();
  Steps(40);
  EXPECT_EQ(Calls(), 40);
}

TEST_P(LiveTest, ARequestOfSomebodyElseIsNotWaitedForForEver) {
  ASSERT_NO_FATAL_FAILURE(StartServer());
  Steps(40);
  absl::StatusOr<LiveProcess> process = LiveProcess::Open(pid_);
  ASSERT_TRUE(process.ok()) << process.status();
  const int other = open(process->recording().c_str(), O_RDONLY);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  EXPECT_EQ(process->Request(GPROFHUB_REQUEST_TAKE, absl::Milliseconds(1)).code(),
            absl::StatusCode::kDeadlineExceeded);
  close(other);
  EXPECT_TRUE(process->Request(GPROFHUB_REQUEST_TAKE, absl::Minutes(10)).ok());
}

TEST_P(LiveTest, AChildIsAsItsParentIs) {
  ASSERT_NO_FATAL_FAILURE(StartServer());
  const long counted = Ask("fork 40");
  Do("stop");
  const long uncounted = Ask("fork 40");
  const auto recording_of = [&](long child) {
    for (const auto& entry : fs::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      if (name.find(absl::StrCat(".", child, ".gprofhub")) != std::string::npos) {
        return entry.path().string();
      }
    }
    return std::string();
  };
  ASSERT_NE(recording_of(counted), "");
  EXPECT_EQ(StepsIn(recording_of(counted)), 40);
  if (!recording_of(uncounted).empty()) {
    EXPECT_EQ(StepsIn(recording_of(uncounted)), 0);
  }
}

TEST_P(LiveTest, StatusSaysWhetherItCounts) {
  ASSERT_NO_FATAL_FAILURE(StartServer());
  Steps(40);
  Do("stop");
  const CommandResult text = Live({"status"});
  EXPECT_THAT(text.out, HasSubstr("profiling: off\n"));
  EXPECT_EQ(Calls(), 40);
  // Counters in the text count some more functions.
  const uint64_t all = CallsIn((folder_ / "copy").string(), 0, UINT64_MAX);
  EXPECT_THAT(text.out, HasSubstr(absl::StrCat("calls: ", all, "\n")));
  const auto off = nlohmann::json::parse(Live({"status", "--format=json"}).out);
  EXPECT_EQ(off["calls"], all);
  Do("start");
  const auto json = nlohmann::json::parse(Live({"status", "--format=json"}).out);
  EXPECT_EQ(json["pid"], pid_);
  EXPECT_EQ(json["profiling"], true);
  EXPECT_EQ(json["resets"], 0);
}

// Without the signal nothing can be switched. A copy needs none.
TEST_P(LiveTest, WhoLeavesTheSignalToTheProgramCannotBeSwitched) {
  ASSERT_NO_FATAL_FAILURE(StartServer({{"GPROFHUB_SAMPLER", "off"}}));
  Steps(40);
  const CommandResult stop = Live({"stop"});
  EXPECT_NE(stop.exit_code, kExitOk);
  EXPECT_THAT(stop.err, HasSubstr("does not listen"));
  Steps(4);
  EXPECT_EQ(Calls(), 44);
}

TEST_P(LiveTest, EndsWithAReasonWhereThereIsNoSuchProcess) {
  ASSERT_NO_FATAL_FAILURE(StartServer());
  Do("status");
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  const CommandResult gone = Live({"status"});
  EXPECT_EQ(gone.exit_code, kExitNotFound);
  EXPECT_THAT(gone.err, HasSubstr("there is no process"));
  pid_ = getpid();  // has no runtime
  const CommandResult other = Live({"stop"});
  EXPECT_EQ(other.exit_code, kExitNotFound);
  EXPECT_THAT(other.err, HasSubstr("keeps no recording"));
  pid_ = -1;
}

INSTANTIATE_TEST_SUITE_P(Programs, LiveTest, testing::Values("server_mcount", "server_counted"));

}  // namespace
}  // namespace gprofhub::cli
