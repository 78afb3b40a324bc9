// An analysis child like the server's, except for targets whose names select a failure.
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "analyzer/worker/analysis_child.h"
#include "analyzer/worker/target_images.h"

namespace {

using gprofhub::analyzer::AnalysisInput;
using gprofhub::analyzer::ReadBlob;

void AllocateForEver() {
  std::vector<std::string> all;
  while (true) all.push_back(std::string(1 << 20, 'x'));
}

void LoopForEver() {
  volatile bool on = true;
  while (on) continue;
}

absl::StatusOr<gprofhub::store::AnalysisResult> AnalyzeOrBreak(
    const AnalysisInput& input, const ReadBlob& read, const std::function<bool()>& stopping) {
  const auto is = [&input](const char* way) { return absl::StrContains(input.target, way); };
  if (is("aborts")) std::abort();
  if (is("allocates")) AllocateForEver();
  if (is("loops")) LoopForEver();
  if (is("sleeps")) {
    while (true) sleep(1000);
  }
  if (is("opens_a_file") && open("/etc/passwd", O_RDONLY) >= 0) {
    return absl::DataLossError("a file was opened");
  }
  if (is("opens_a_socket")) (void)socket(AF_INET, SOCK_STREAM, 0);
  if (is("forks")) (void)fork();
  if (is("reads_another")) return read(std::string(64, 'a')).status();
  if (is("speaks_nonsense")) {
    const char nonsense[] = "no frame, and more than sixteen bytes";
    (void)send(gprofhub::analyzer::kChildSocket, nonsense, sizeof nonsense, 0);
    LoopForEver();
  }
  return gprofhub::analyzer::AnalyzeTarget(input, read, stopping);
}

}  // namespace

int main(int argc, char** argv) {
  int parent = 0;
  uint64_t memory = 0;
  if (!gprofhub::analyzer::ArgumentsOf(argc, argv, parent, memory)) return 2;
  gprofhub::analyzer::ServeAnalyses(parent, memory, AnalyzeOrBreak);
}
