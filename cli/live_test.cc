// A server with threads is profiled while it serves. It responds after completing its steps, so
// every count is known.
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
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/client/output.h"
#include "cli/client/profiles.h"
#include "cli/commands.h"
#include "cli/live_process.h"
#include "cli/testing/parser_runs.h"
#include "profile/elf/read_image.h"
#include "profile/recording/reader.h"
#include "profile/recording/window.h"

namespace gprofhub::cli {

namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// Calls of functions in [low, high).
uint64_t CallsIn(const std::string& recording_file, uint64_t low, uint64_t high) {
  const absl::StatusOr<profile::Recording> recording =
      profile::ReadRecording(ReadTestFile(recording_file), recording_file);
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
  return fs::absolute("cli/testing/" + name).string();
}

class LiveTest : public testing::TestWithParam<const char*> {
 protected:
  void StartServer(const std::map<std::string, std::string>& environment = {}) {
    folder_ = EmptyTestFolder();
    const absl::StatusOr<profile::SymbolTable> symbols =
        profile::ReadElfSymbols(Program(GetParam()));
    ASSERT_TRUE(symbols.ok()) << symbols.status();
    for (const profile::FunctionSymbol& symbol : symbols->functions) {
      functions_[symbol.name] = symbol;
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

  // The server's response to a request; each is served by an idle thread.
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

  // Of a copy in the folder, or of a file.
  uint64_t CallsOf(const std::string& function, const std::string& recording_file) const {
    const profile::FunctionSymbol& symbol = functions_.at(function);
    return CallsIn((folder_ / recording_file).string(), symbol.address,
                   symbol.address + symbol.size);
  }
  uint64_t StepsIn(const std::string& recording_file) const {
    return CallsOf("served_step", recording_file);
  }

  uint64_t StepsInWindow(const LiveProcess& process, profile::RecordingWindow window) const {
    const absl::StatusOr<std::string> bytes = process.ReadRecordingBytes();
    EXPECT_TRUE(bytes.ok()) << bytes.status();
    const absl::StatusOr<std::string> cut =
        profile::CutWindow(*bytes, "recording", window, absl::Now());
    EXPECT_TRUE(cut.ok()) << cut.status();
    if (!cut.ok()) return UINT64_MAX;
    const std::string path = (folder_ / "window").string();
    EXPECT_TRUE(WriteFile(path, *cut).ok());
    return StepsIn(path);
  }

  // The newest mark's number; 0: none.
  static uint64_t LastMark(const LiveProcess& process) {
    const absl::StatusOr<std::string> bytes = process.ReadRecordingBytes();
    EXPECT_TRUE(bytes.ok()) << bytes.status();
    const absl::StatusOr<profile::Recording> recording = profile::ReadRecording(*bytes, "file");
    EXPECT_TRUE(recording.ok()) << recording.status();
    return recording->marks.empty() ? 0 : recording->marks.back().number;
  }

  // The recording of a forked child; empty: none.
  std::string RecordingOf(long child) const {
    for (const auto& entry : fs::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      if (name.find(absl::StrCat(".", child, ".gprofhub")) != std::string::npos) {
        return entry.path().string();
      }
    }
    return "";
  }

  fs::path folder_;
  std::map<std::string, profile::FunctionSymbol> functions_;
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

// An hour exceeds the test's duration: recording begins on request only.
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

// Only mcount meets a function's first call.
class LiveCallTest : public LiveTest {};

TEST_P(LiveCallTest, BeginsWithTheFirstCallOfAFunction) {
  ASSERT_NO_FATAL_FAILURE(StartServer({{"GPROFHUB_START", "call=served_request"}}));
  Steps(400);
  EXPECT_EQ(Calls("early"), 0);
  const auto early = nlohmann::json::parse(Live({"status", "--format=json"}).out);
  EXPECT_EQ(early["profiling"], false);
  EXPECT_EQ(early["calls"], 0);
  Ask("request 40");  // calls it once, and it makes the steps
  EXPECT_EQ(Calls(), 40);
  EXPECT_EQ(CallsOf("served_request", "copy"), 1);  // that call is counted, too
  Ask("request 4");
  Steps(400);
  EXPECT_EQ(Calls(), 444);
  const auto late = nlohmann::json::parse(Live({"status", "--format=json"}).out);
  EXPECT_EQ(late["profiling"], true);
}

TEST_P(LiveCallTest, BeginsEarlierIfSomebodySaysSo) {
  ASSERT_NO_FATAL_FAILURE(StartServer({{"GPROFHUB_START", "call=served_request"}}));
  Steps(400);
  Do("start");
  Steps(40);
  EXPECT_EQ(Calls(), 40);
  Ask("request 4");
  EXPECT_EQ(Calls(), 44);
}

TEST_P(LiveCallTest, DoesNotBeginAfterAStop) {
  ASSERT_NO_FATAL_FAILURE(StartServer({{"GPROFHUB_START", "call=served_request"}}));
  Steps(400);
  Do("stop");
  Ask("request 40");
  EXPECT_EQ(Calls(), 0);
}

TEST_P(LiveCallTest, AChildWaitsForItsOwnCall) {
  ASSERT_NO_FATAL_FAILURE(StartServer({{"GPROFHUB_START", "call=served_request"}}));
  Steps(400);
  const long early = Ask("fork 40");
  Ask("request 4");
  const long late = Ask("fork 40");
  EXPECT_EQ(StepsIn(RecordingOf(late)), 40);
  if (!RecordingOf(early).empty()) {
    EXPECT_EQ(StepsIn(RecordingOf(early)), 0);
  }
}

TEST_P(LiveTest, RecordsNothingWhereTheFunctionIsUnknown) {
  ASSERT_NO_FATAL_FAILURE(StartServer({{"GPROFHUB_START", "call=no_such_function"}}));
  Steps(400);
  Ask("request 40");
  EXPECT_EQ(Calls("early"), 0);
  Do("start");
  Steps(40);
  EXPECT_EQ(Calls(), 40);
}

// A window ends with a mark that the process makes, and the next begins there.
TEST_P(LiveTest, WindowsHaveWhatWasCountedInThem) {
  ASSERT_NO_FATAL_FAILURE(StartServer());
  absl::StatusOr<LiveProcess> process = LiveProcess::Open(pid_);
  ASSERT_TRUE(process.ok()) << process.status();
  Steps(400);
  std::vector<uint64_t> marks;
  for (long steps : {40, 80, 0}) {
    const absl::StatusOr<uint64_t> mark = process->Mark(absl::Minutes(1));
    ASSERT_TRUE(mark.ok()) << mark.status();
    marks.push_back(*mark);
    Steps(steps);
  }
  EXPECT_EQ(StepsInWindow(*process, {0, marks[0]}), 400);
  EXPECT_EQ(StepsInWindow(*process, {marks[0], marks[1]}), 40);
  EXPECT_EQ(StepsInWindow(*process, {marks[1], marks[2]}), 80);
  EXPECT_EQ(StepsInWindow(*process, {marks[0], 0}), 120);
  EXPECT_EQ(Calls(), 520);  // the recording has them all
  // Off and on again, and in another thread's tables: a window is a difference all the same.
  Do("stop");
  Steps(4000);
  const absl::StatusOr<uint64_t> off = process->Mark(absl::Minutes(1));
  Steps(4000);
  Do("start");
  Steps(4);
  EXPECT_EQ(StepsInWindow(*process, {marks[2], *off}), 0);
  EXPECT_EQ(StepsInWindow(*process, {*off, 0}), 4);
  Do("reset");
  EXPECT_FALSE(process->HasMark(*off));
}

// A mark is made while all threads count, and stops none of them. No count is lost between two
// windows or is in both. But counters in the text count a loop's iterations as entries less exits:
// a window in which a thread does nothing but leave has one iteration too many.
TEST_P(LiveTest, WindowsAddUpWhileThreadsCount) {
  ASSERT_NO_FATAL_FAILURE(StartServer());
  absl::StatusOr<LiveProcess> process = LiveProcess::Open(pid_);
  ASSERT_TRUE(process.ok()) << process.status();
  constexpr long kSteps = 200000;
  std::vector<std::thread> busy;
  for (int i = 0; i < 4; ++i) {
    busy.emplace_back([&] { Ask(absl::StrCat("steps ", kSteps)); });
  }
  uint64_t since = 0;
  uint64_t sum = 0;
  for (int i = 0; i < 20; ++i) {
    const absl::StatusOr<uint64_t> mark = process->Mark(absl::Minutes(1));
    EXPECT_TRUE(mark.ok()) << mark.status();
    if (!mark.ok()) break;
    sum += StepsInWindow(*process, {since, *mark});
    since = *mark;
  }
  for (std::thread& thread : busy) thread.join();
  sum += StepsInWindow(*process, {since, 0});
  EXPECT_GE(sum, 4 * kSteps);
  const bool in_text = GetParam() == absl::string_view("server_counted");
  EXPECT_LE(sum, 4 * kSteps + (in_text ? busy.size() : 0));
}

TEST_P(LiveTest, ACrashLeavesTheLastWindow) {
  ASSERT_NO_FATAL_FAILURE(StartServer());
  absl::StatusOr<LiveProcess> process = LiveProcess::Open(pid_);
  ASSERT_TRUE(process.ok()) << process.status();
  Steps(400);
  for (int i = 0; i < 9; ++i) ASSERT_TRUE(process->Mark(absl::Minutes(1)).ok());
  Steps(40);
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
  EXPECT_EQ(StepsInWindow(*process, {9, 0}), 40);
  EXPECT_EQ(StepsInWindow(*process, {6, 9}), 0);
  EXPECT_EQ(StepsInWindow(*process, {0, 6}), 400);
}

TEST_P(LiveTest, MakesMarksByItself) {
  ASSERT_NO_FATAL_FAILURE(StartServer({{"GPROFHUB_WINDOW", "1s"}}));
  const absl::StatusOr<LiveProcess> process = LiveProcess::Open(pid_);
  ASSERT_TRUE(process.ok()) << process.status();
  Steps(40);
  const uint64_t before = LastMark(*process);
  while (LastMark(*process) == before) sched_yield();
  EXPECT_EQ(StepsInWindow(*process, {0, LastMark(*process)}), 40);
}

TEST_P(LiveTest, WritesOneWindowAfterTheOther) {
  ASSERT_NO_FATAL_FAILURE(StartServer());
  Steps(40);
  const std::string folder = (folder_ / "windows").string();
  const CommandResult result =
      Live({"windows", "--every", "1ms", "--count", "2", "--output-dir", folder});
  ASSERT_EQ(result.exit_code, kExitOk) << result.err;
  const std::vector<std::string> paths = absl::StrSplit(result.out, '\n', absl::SkipEmpty());
  ASSERT_EQ(paths.size(), 2);
  for (const std::string& path : paths) EXPECT_EQ(StepsIn(path), 0) << path;
  EXPECT_THAT(paths[0], testing::EndsWith(".2.gprofhub-window"));
  EXPECT_THAT(paths[1], testing::EndsWith(".3.gprofhub-window"));
  EXPECT_THAT(Live({"windows", "--every", "soon"}).err, HasSubstr("invalid duration"));
}

// The last window lasts until the end of the process.
TEST_P(LiveTest, TheLastWindowEndsWithTheProcess) {
  ASSERT_NO_FATAL_FAILURE(StartServer());
  Steps(400);
  absl::StatusOr<LiveProcess> process = LiveProcess::Open(pid_);
  ASSERT_TRUE(process.ok()) << process.status();
  std::vector<std::string> paths;
  std::thread windows([&] {
    WindowsOptions options;
    options.every = absl::Hours(1);
    options.directory = (folder_ / "windows").string();
    EXPECT_TRUE(WriteWindows(*process, options, [&](const std::string& path) {
                  paths.push_back(path);
                }).ok());
  });
  absl::StatusOr<LiveProcess> seen = LiveProcess::Open(pid_);
  ASSERT_TRUE(seen.ok()) << seen.status();
  while (!seen->HasMark(1)) sched_yield();
  Steps(40);
  kill(pid_, SIGKILL);
  windows.join();
  ASSERT_EQ(paths.size(), 1);
  EXPECT_THAT(paths[0], testing::EndsWith(".end.gprofhub-window"));
  EXPECT_EQ(StepsIn(paths[0]), 40);
}

TEST_P(LiveTest, AChildIsAsItsParentIs) {
  ASSERT_NO_FATAL_FAILURE(StartServer());
  const long counted = Ask("fork 40");
  Do("stop");
  const long uncounted = Ask("fork 40");
  ASSERT_NE(RecordingOf(counted), "");
  EXPECT_EQ(StepsIn(RecordingOf(counted)), 40);
  if (!RecordingOf(uncounted).empty()) {
    EXPECT_EQ(StepsIn(RecordingOf(uncounted)), 0);
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

// Counting can only be switched with the signal. A copy does not need it.
TEST_P(LiveTest, WhoLeavesTheSignalToTheProgramCannotBeSwitched) {
  ASSERT_NO_FATAL_FAILURE(StartServer({{"GPROFHUB_SAMPLER", "off"}}));
  Steps(40);
  const CommandResult stop = Live({"stop"});
  EXPECT_NE(stop.exit_code, kExitOk);
  EXPECT_THAT(stop.err, HasSubstr("does not accept requests"));
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
  EXPECT_THAT(gone.err, HasSubstr("no process"));
  pid_ = getpid();  // has no runtime
  const CommandResult other = Live({"stop"});
  EXPECT_EQ(other.exit_code, kExitNotFound);
  EXPECT_THAT(other.err, HasSubstr("has no recording"));
  pid_ = -1;
}

INSTANTIATE_TEST_SUITE_P(Programs, LiveTest, testing::Values("server_mcount", "server_counted"));
INSTANTIATE_TEST_SUITE_P(Programs, LiveCallTest, testing::Values("server_mcount"));

}  // namespace

}  // namespace gprofhub::cli
