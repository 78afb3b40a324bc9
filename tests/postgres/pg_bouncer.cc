#include "tests/postgres/pg_bouncer.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace gprofhub::tests {
namespace {

constexpr char kProgram[] = "/usr/sbin/pgbouncer";
constexpr int kPort = 6432;
// It refuses to stay root.
constexpr char kUser[] = "nobody";

bool Listens(const std::string& path) {
  const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  const bool listens =
      connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  close(descriptor);
  return listens;
}

std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

[[noreturn]] void Become(const std::string& configuration, const std::string& output) {
  const int log = open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (log >= 0) {
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
  }
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (geteuid() == 0) {
    execl(kProgram, kProgram, "--user", kUser, configuration.c_str(), nullptr);
  } else {
    execl(kProgram, kProgram, configuration.c_str(), nullptr);
  }
  dprintf(STDERR_FILENO, "cannot run %s: %s\n", kProgram, std::strerror(errno));
  _exit(127);
}

}  // namespace

absl::StatusOr<std::unique_ptr<PgBouncer>> PgBouncer::Start(const PostgresServer& server,
                                                            int connections) {
  if (access(kProgram, X_OK) != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(kProgram, " is not there: run ./ci/setup --tests, which installs PgBouncer"));
  }
  const std::string& directory = server.directory();
  std::ofstream(absl::StrCat(directory, "/pgbouncer.ini")) << absl::StrCat(
      "[databases]\n* = host=", directory, " user=gprofhub password='", PostgresServer::kPassword,
      "'\n[pgbouncer]\nlisten_addr =\nlisten_port = ", kPort, "\nunix_socket_dir = ", directory,
      "\nauth_type = any\npool_mode = transaction\nmax_client_conn = 500\nserver_idle_timeout = "
      "1\ndefault_pool_size = ",
      connections, "\nignore_startup_parameters = options, extra_float_digits\n");
  std::unique_ptr<PgBouncer> pooler(new PgBouncer(directory));
  if (absl::Status status = pooler->StartAgain(); !status.ok()) return status;
  return pooler;
}

absl::Status PgBouncer::StartAgain() {
  const std::string log = absl::StrCat(directory_, "/pgbouncer.log");
  process_ = fork();
  if (process_ < 0) return absl::InternalError(absl::StrCat("forking: ", std::strerror(errno)));
  if (process_ == 0) Become(absl::StrCat(directory_, "/pgbouncer.ini"), log);
  // It listens or it ends. The limit is only for what hangs.
  const absl::Time deadline = absl::Now() + absl::Minutes(10);
  while (!Listens(absl::StrCat(directory_, "/.s.PGSQL.", kPort))) {
    if (waitpid(process_, nullptr, WNOHANG) == process_) {
      process_ = -1;
      return absl::InternalError(absl::StrCat("the pooler ended by itself:\n", ReadFile(log)));
    }
    if (absl::Now() > deadline) {
      return absl::DeadlineExceededError(
          absl::StrCat("the pooler does not listen:\n", ReadFile(log)));
    }
    absl::SleepFor(absl::Milliseconds(20));
  }
  return absl::OkStatus();
}

void PgBouncer::Kill() {
  if (process_ < 0) return;
  kill(process_, SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  unlink(absl::StrCat(directory_, "/.s.PGSQL.", kPort).c_str());
}

void PgBouncer::Pause() const { kill(process_, SIGSTOP); }

void PgBouncer::Resume() const { kill(process_, SIGCONT); }

PgBouncer::~PgBouncer() { Kill(); }

std::string PgBouncer::Through(const std::string& url) const {
  return absl::StrCat(url, "&port=", kPort);
}

}  // namespace gprofhub::tests
