#include "tests/fault/serve_process.h"

#include <fcntl.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <sstream>

namespace gprofhub::tests {
namespace {

const char kGprofhub[] = "cli/gprofhub";

std::string TempFile() {
  std::string path = testing::TempDir() + "/out-XXXXXX";
  const int fd = mkstemp(path.data());
  EXPECT_GE(fd, 0) << path;
  close(fd);
  return path;
}

std::string Read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// `out_fd` becomes its stdout, `err_path` its stderr.
pid_t Spawn(const std::vector<std::string>& arguments, int out_fd, const std::string& err_path,
            const Surroundings& surroundings = {}) {
  std::vector<std::string> command = surroundings.wrapper;
  command.push_back(kGprofhub);
  command.insert(command.end(), arguments.begin(), arguments.end());
  std::vector<std::string> environment = surroundings.environment;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    environment.push_back(*variable);
  }
  const std::vector<char*> argv = Pointers(command);
  const std::vector<char*> envp = Pointers(environment);
  const pid_t pid = fork();
  if (pid != 0) return pid;
  // Only async-signal-safe calls from here: the test has threads.
  const int err_fd = open(err_path.c_str(), O_WRONLY | O_TRUNC);
  dup2(out_fd, STDOUT_FILENO);
  dup2(err_fd, STDERR_FILENO);
  const rlimit limit = {surroundings.descriptors, surroundings.descriptors};
  if (limit.rlim_max > 0 && setrlimit(RLIMIT_NOFILE, &limit) != 0) _exit(126);
  execvpe(argv[0], argv.data(), envp.data());
  _exit(127);
}

int WaitFor(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The first line from the pipe, or everything before its end.
std::string ReadLine(int fd) {
  std::string line;
  char c = 0;
  while (read(fd, &c, 1) == 1 && c != '\n') line.push_back(c);
  return line;
}

}  // namespace

Ended RunGprofhub(const std::vector<std::string>& arguments) {
  const std::string out_path = TempFile();
  const std::string err_path = TempFile();
  const int out_fd = open(out_path.c_str(), O_WRONLY | O_CLOEXEC);
  const pid_t pid = Spawn(arguments, out_fd, err_path);
  close(out_fd);
  Ended ended;
  ended.exit_code = WaitFor(pid);
  ended.out = Read(out_path);
  ended.err = Read(err_path);
  return ended;
}

bool RunAndKillGprofhub(const std::vector<std::string>& arguments, uint32_t turns) {
  const std::string out_path = TempFile();
  const int out_fd = open(out_path.c_str(), O_WRONLY | O_CLOEXEC);
  const pid_t pid = Spawn(arguments, out_fd, out_path);
  close(out_fd);
  volatile uint32_t rest = turns;
  while (rest > 0) rest = rest - 1;
  kill(pid, SIGKILL);
  return WaitFor(pid) == 0;
}

ServeProcess::ServeProcess(const std::vector<std::string>& arguments,
                           const Surroundings& surroundings)
    : err_path_(TempFile()) {
  std::vector<std::string> all = {"serve"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  if (std::find(all.begin(), all.end(), "--listen") == all.end()) {
    all.insert(all.end(), {"--listen", "127.0.0.1:0"});
  }
  std::array<int, 2> pipe_fds;
  if (pipe2(pipe_fds.data(), O_CLOEXEC) != 0) {
    ADD_FAILURE() << "no pipe";
    return;
  }
  pid_ = Spawn(all, pipe_fds[1], err_path_, surroundings);
  close(pipe_fds[1]);
  const std::string line = ReadLine(pipe_fds[0]);
  close(pipe_fds[0]);
  const std::string listening = "listening on ";
  if (line.rfind(listening, 0) == 0) {
    address_ = line.substr(listening.size());
  } else if (!surroundings.may_die) {
    EXPECT_EQ(line, "working") << Read(err_path_);
  }
}

ServeProcess::~ServeProcess() {
  if (pid_ > 0) Kill();
}

std::shared_ptr<grpc::Channel> ServeProcess::Connect() const {
  return grpc::CreateChannel(address_, grpc::InsecureChannelCredentials());
}

bool ServeProcess::HasEnded() const {
  siginfo_t about = {};
  const int result = waitid(P_PID, static_cast<id_t>(pid_), &about, WEXITED | WNOHANG | WNOWAIT);
  return result == 0 && about.si_pid == pid_;
}

std::string ServeProcess::Log() const { return Read(err_path_); }

void ServeProcess::SignalAndAwaitLog(int signal, const std::string& words) {
  ASSERT_GT(pid_, 0);
  const size_t seen = Log().size();
  kill(pid_, signal);
  AwaitLog(words, seen);
}

void ServeProcess::AwaitLog(const std::string& words, size_t seen) {
  ASSERT_GT(pid_, 0);
  while (Log().find(words, seen) == std::string::npos) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) != pid_) continue;
    pid_ = -1;
    FAIL() << "the server has ended: " << Log();
  }
}

void ServeProcess::Kill() {
  ASSERT_GT(pid_, 0);  // -1 would be every process there is
  kill(pid_, SIGKILL);
  Wait();
}

Ended ServeProcess::Stop() {
  if (pid_ <= 0) {
    ADD_FAILURE() << "runs no more";
    return {};
  }
  kill(pid_, SIGTERM);
  return Wait();
}

Ended ServeProcess::Wait() {
  Ended ended;
  ended.exit_code = WaitFor(pid_);
  ended.err = Read(err_path_);
  pid_ = -1;
  return ended;
}

}  // namespace gprofhub::tests
