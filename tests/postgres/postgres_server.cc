#include "tests/postgres/postgres_server.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/status_macros.h"

namespace gprofhub::tests {
namespace {

// Where Debian's postgresql-15 puts the server's programs.
constexpr char kPrograms[] = "/usr/lib/postgresql/15/bin/";
constexpr char kOwner[] = "gprofhub";

// PostgreSQL refuses to run as root; then its programs run as nobody.
constexpr uid_t kNobody = 65534;

std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Executes the command in a forked child; does not return.
[[noreturn]] void Become(const std::vector<std::string>& command, const std::string& directory,
                         const std::vector<std::string>& environment) {
  const int log = open((directory + "/log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (log >= 0) {
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
  }
  if (geteuid() == 0 && (setgroups(0, nullptr) != 0 || setresgid(kNobody, kNobody, kNobody) != 0 ||
                         setresuid(kNobody, kNobody, kNobody) != 0)) {
    dprintf(STDERR_FILENO, "cannot become user %d: %s\n", static_cast<int>(kNobody),
            std::strerror(errno));
    _exit(126);
  }
  // The server ends with the test, however the test ends.
  prctl(PR_SET_PDEATHSIG, SIGINT);
  setenv("PGPASSWORD", PostgresServer::kPassword, 1);
  setenv("LC_ALL", "C", 1);
  for (const std::string& variable : environment) putenv(const_cast<char*>(variable.c_str()));
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  if (chdir(directory.c_str()) == 0) execv(arguments[0], arguments.data());
  dprintf(STDERR_FILENO, "cannot run %s: %s\n", arguments[0], std::strerror(errno));
  _exit(127);
}

}  // namespace

absl::StatusOr<std::unique_ptr<PostgresServer>> PostgresServer::MakeFolder() {
  if (access(absl::StrCat(kPrograms, "postgres").c_str(), X_OK) != 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        kPrograms, "postgres is not there: run ./ci/setup --tests, which installs PostgreSQL 15"));
  }
  // Not TEST_TMPDIR: a socket's path has at most 107 bytes.
  char path[] = "/tmp/gprofhub-postgres.XXXXXX";
  if (mkdtemp(path) == nullptr) {
    return absl::InternalError(absl::StrCat("creating ", path, ": ", std::strerror(errno)));
  }
  std::unique_ptr<PostgresServer> server(new PostgresServer(path));
  std::ofstream(server->directory_ + "/password") << kPassword << "\n";
  std::ofstream(server->directory_ + "/log") << "";
  if (geteuid() != 0) return server;
  for (const char* name : {"", "/password", "/log"}) {
    if (chown((server->directory_ + name).c_str(), kNobody, kNobody) != 0) {
      return absl::InternalError(absl::StrCat(
          "giving ", server->directory_, name, " to user ", kNobody, ": ", std::strerror(errno),
          "; inside a sandbox that knows root alone this test cannot run (tag no-sandbox)"));
    }
  }
  return server;
}

absl::StatusOr<std::unique_ptr<PostgresServer>> PostgresServer::Start() {
  ASSIGN_OR_RETURN(std::unique_ptr<PostgresServer> server, MakeFolder());
  RETURN_IF_ERROR(server->MakeCluster());
  RETURN_IF_ERROR(server->StartAgain());
  return server;
}

absl::StatusOr<std::unique_ptr<PostgresServer>> PostgresServer::StartCopy() {
  ASSIGN_OR_RETURN(std::unique_ptr<PostgresServer> copy, MakeFolder());
  // It writes how to follow this server into the copy.
  absl::Status status =
      copy->Run({"pg_basebackup", "--pgdata=data", "--write-recovery-conf", "--wal-method=stream",
                 "--checkpoint=fast", "--no-sync", "--host", directory_, "--username", kOwner});
  if (status.ok()) status = copy->StartAgain();
  if (!status.ok()) return status;
  return copy;
}

absl::Status PostgresServer::MakeCluster() {
  return Run({"initdb", "--pgdata=data", absl::StrCat("--username=", kOwner), "--pwfile=password",
              "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync"});
}

absl::Status PostgresServer::StartAgain(const std::vector<std::string>& environment) {
  // No syncs: a test's data need not survive a crash of the machine. No vacuum: its workers visit
  // hundreds of databases, and would change plans at any time.
  ASSIGN_OR_RETURN(pid_t server, Spawn({"postgres", "-D", "data", "-c", "listen_addresses=", "-c",
                                        absl::StrCat("unix_socket_directories=", directory_), "-c",
                                        "fsync=off", "-c", "full_page_writes=off", "-c",
                                        "autovacuum=off", "-c", "max_connections=200"},
                                       environment));
  server_ = server;
  // It answers or it ends. The limit is only for what hangs.
  const absl::Time deadline = absl::Now() + absl::Minutes(10);
  while (!Run({"pg_isready", "--quiet", "--host", directory_}).ok()) {
    if (waitpid(server_, nullptr, WNOHANG) == server_) {
      server_ = -1;
      return absl::InternalError(
          absl::StrCat("the server ended by itself:\n", ReadFile(directory_ + "/log")));
    }
    if (absl::Now() > deadline) {
      return absl::DeadlineExceededError(
          absl::StrCat("the server does not answer:\n", ReadFile(directory_ + "/log")));
    }
    absl::SleepFor(absl::Milliseconds(50));
  }
  return absl::OkStatus();
}

absl::Status PostgresServer::Stop() {
  if (server_ < 0) return absl::OkStatus();
  // "Fast shutdown": connections are cut, the data is in order.
  kill(server_, SIGINT);
  int result = 0;
  while (waitpid(server_, &result, 0) < 0 && errno == EINTR) {
  }
  server_ = -1;
  return result == 0 ? absl::OkStatus()
                     : absl::InternalError(absl::StrCat("the server ended with ", result));
}

void PostgresServer::Crash() {
  if (server_ < 0) return;
  // "Immediate shutdown": all processes end at once. A killed postmaster alone would leave
  // processes behind that block the next start.
  SignalAll(SIGKILL, /*and_server=*/false);
  kill(server_, SIGQUIT);
  kill(server_, SIGCONT);
  while (waitpid(server_, nullptr, 0) < 0 && errno == EINTR) {
  }
  server_ = -1;
}

// Each connection has a process of its own, a child of the first.
void PostgresServer::SignalAll(int signal, bool and_server) const {
  if (server_ < 0) return;
  if (and_server) kill(server_, signal);
  std::ifstream children(absl::StrCat("/proc/", server_, "/task/", server_, "/children"));
  for (pid_t child = 0; children >> child;) kill(child, signal);
}

void PostgresServer::Pause() const { SignalAll(SIGSTOP); }

void PostgresServer::Resume() const { SignalAll(SIGCONT); }

PostgresServer::~PostgresServer() {
  Resume();
  (void)Stop();  // the error cannot be reported
  std::error_code error;
  std::filesystem::remove_all(directory_, error);
}

absl::StatusOr<std::string> PostgresServer::CreateDatabase(const std::string& name,
                                                           const std::string& encoding) {
  // Copying files takes a third of the time of the default, which logs each page.
  RETURN_IF_ERROR(Run({"createdb", "--host", directory_, "--username", kOwner, "--template",
                       "template0", "--strategy=file_copy", "--encoding", encoding, name}));
  return UrlOf(name);
}

std::string PostgresServer::UrlOf(const std::string& name) const {
  return absl::StrCat("postgresql://", kOwner, ":s3cret%2Fof%40tests@/", name,
                      "?host=", directory_);
}

absl::Status PostgresServer::Execute(const std::string& database, const std::string& sql) {
  return Run({"psql", "--host", directory_, "--username", kOwner, "--dbname", database, "--quiet",
              "--no-psqlrc", "--set=ON_ERROR_STOP=1", "--command", sql});
}

absl::StatusOr<pid_t> PostgresServer::Spawn(const std::vector<std::string>& command,
                                            const std::vector<std::string>& environment) {
  std::vector<std::string> with_path = command;
  with_path[0] = kPrograms + with_path[0];
  const pid_t child = fork();
  if (child < 0) return absl::InternalError(absl::StrCat("forking: ", std::strerror(errno)));
  if (child == 0) Become(with_path, directory_, environment);
  return child;
}

absl::Status PostgresServer::Run(const std::vector<std::string>& command) {
  ASSIGN_OR_RETURN(pid_t child, Spawn(command));
  int result = 0;
  while (waitpid(child, &result, 0) < 0) {
    if (errno != EINTR) return absl::InternalError(std::strerror(errno));
  }
  if (result == 0) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(absl::StrJoin(command, " "), " ended with ", result,
                                          ":\n", ReadFile(directory_ + "/log")));
}

}  // namespace gprofhub::tests
