#include "tests/s3/s3_server.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace gprofhub::tests {
namespace {

constexpr char kProgram[] = "tests/s3/serve.cjs";
constexpr char kModules[] = "external/s3_packages/node_modules";
// It listens or it ends. The limit is only for what hangs.
constexpr int kLongestStart = 10 * 60 * 1000;  // milliseconds

// Executes the command in a forked child; does not return.
[[noreturn]] void Become(const std::vector<std::string>& command, int input, int output) {
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  dprintf(STDERR_FILENO, "cannot run %s: %s\n", arguments[0], std::strerror(errno));
  _exit(127);
}

// The first line, or everything before the end.
std::string ReadLine(int input) {
  std::string line;
  pollfd waiting = {input, POLLIN, 0};
  char byte = 0;
  while (poll(&waiting, 1, kLongestStart) > 0 && read(input, &byte, 1) == 1 && byte != '\n') {
    line.push_back(byte);
  }
  return line;
}

}  // namespace

absl::StatusOr<std::unique_ptr<S3Server>> S3Server::Start() {
  std::string folder = absl::StrCat(std::getenv("TEST_TMPDIR"), "/s3.XXXXXX");
  std::array<int, 2> input = {}, output = {};
  if (mkdtemp(folder.data()) == nullptr || pipe2(input.data(), O_CLOEXEC) != 0 ||
      pipe2(output.data(), O_CLOEXEC) != 0) {
    return absl::InternalError(absl::StrCat("no folder or pipe: ", std::strerror(errno)));
  }
  // s3rver makes the tokens of long lists with DES, which OpenSSL has put aside.
  const std::vector<std::string> command = {
      "node", "--openssl-legacy-provider", kProgram, kModules, folder, kAccessKey, kSecretKey,
      kBucket};
  const pid_t process = fork();
  if (process == 0) Become(command, input[0], output[1]);
  close(input[0]);
  close(output[1]);
  std::unique_ptr<S3Server> server(new S3Server);
  server->process_ = process;
  server->input_ = input[1];
  const std::string line = ReadLine(output[0]);
  close(output[0]);
  absl::string_view rest = line;
  uint32_t port = 0;
  if (!absl::ConsumePrefix(&rest, "listening ") || !absl::SimpleAtoi(rest, &port)) {
    return absl::InternalError(absl::StrCat("the server does not listen, but says: ", line));
  }
  server->port_ = static_cast<uint16_t>(port);
  return server;
}

void S3Server::Stop() {
  if (input_ >= 0) close(input_);
  input_ = -1;
  if (process_ < 0) return;
  kill(process_, SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
}

S3Server::~S3Server() { Stop(); }

}  // namespace gprofhub::tests
