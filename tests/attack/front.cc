#include "tests/attack/front.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "store/testing/temp_store.h"

namespace gprofhub::tests {
namespace {

std::string ReadText(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

sockaddr_in Loopback(int port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  return address;
}

// A port that was free a moment ago.
int FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof(address);
  EXPECT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
  close(fd);
  return ntohs(address.sin_port);
}

bool CanConnect(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in address = Loopback(port);
  const bool can = connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  close(fd);
  return can;
}

// The file's text with `from`, which it has once, changed.
void Change(std::string& text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << "deploy/nginx.conf has no \"" << from << "\"";
  text.replace(at, from.size(), to);
}

pid_t Start(const std::vector<std::string>& arguments, const std::string& errors) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t pid = fork();
  if (pid != 0) return pid;
  // Only async-signal-safe calls from here.
  const int fd = open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(fd, STDERR_FILENO);
  execvp(argv[0], argv.data());
  _exit(127);
}

int Await(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

Front::Front(const std::string& server) : folder_(store::MakeTempDir()) { Open(server); }

void Front::Open(const std::string& server) {
  const std::string key = folder_ + "/key.pem";
  const std::string pem = folder_ + "/certificate.pem";
  const std::string errors = folder_ + "/errors";
  ASSERT_EQ(Await(Start({"openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                         "-subj", "/CN=gprofhub.example.com", "-addext",
                         "subjectAltName=DNS:gprofhub.example.com", "-keyout", key, "-out", pem},
                        errors)),
            0)
      << ReadText(errors);
  certificate_ = ReadText(pem);
  const int port = FreePort();
  const int tls_port = FreePort();
  address_ = absl::StrCat("127.0.0.1:", port);
  tls_address_ = absl::StrCat("127.0.0.1:", tls_port);

  std::string text = ReadText("deploy/nginx.conf");
  Change(text, "user www-data;", geteuid() == 0 ? "user root;" : "");
  Change(text, "pid /run/nginx.pid;", absl::StrCat("pid ", folder_, "/pid;"));
  Change(text, "error_log /var/log/nginx/error.log;", "error_log stderr;");
  Change(text, "server 127.0.0.1:7070;", absl::StrCat("server ", server, ";"));
  Change(text, "listen 443 ssl http2;",
         absl::StrCat("listen ", tls_address_, " ssl http2; listen ", address_, " http2;"));
  Change(text, "ssl_certificate /etc/ssl/gprofhub.pem;",
         absl::StrCat("ssl_certificate ", pem, ";"));
  Change(text, "ssl_certificate_key /etc/ssl/gprofhub.key;",
         absl::StrCat("ssl_certificate_key ", key, ";"));
  // Debian's paths of temporary files are root's.
  Change(text, "access_log off;",
         absl::StrReplaceAll("access_log off; client_body_temp_path DIR/body; "
                             "proxy_temp_path DIR/proxy; fastcgi_temp_path DIR/fastcgi; "
                             "uwsgi_temp_path DIR/uwsgi; scgi_temp_path DIR/scgi;",
                             {{"DIR", folder_}}));
  const std::string conf = folder_ + "/nginx.conf";
  std::ofstream(conf) << text;
  pid_ = Start({"/usr/sbin/nginx", "-p", folder_, "-e", "stderr", "-c", conf, "-g", "daemon off;"},
               errors);
  while (!CanConnect(port)) {
    if (waitpid(pid_, nullptr, WNOHANG) == pid_) {
      pid_ = -1;
      FAIL() << "nginx does not start (ci/setup --tests installs it): " << ReadText(errors);
    }
  }
}

Front::~Front() {
  if (pid_ <= 0) return;
  kill(pid_, SIGTERM);
  Await(pid_);
}

uint64_t Front::MiB() const {
  uint64_t kibibytes = 0;
  const std::string children = ReadText(absl::StrCat("/proc/", pid_, "/task/", pid_, "/children"));
  for (const absl::string_view child : absl::StrSplit(children, ' ', absl::SkipWhitespace())) {
    std::ifstream status(absl::StrCat("/proc/", child, "/status"));
    for (std::string line; std::getline(status, line);) {
      std::istringstream words(line);
      std::string name;
      uint64_t number = 0;
      if (words >> name >> number && name == "VmHWM:") kibibytes += number;
    }
  }
  return kibibytes >> 10;
}

}  // namespace gprofhub::tests
