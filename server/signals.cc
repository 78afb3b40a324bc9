#include "server/signals.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/worker/analysis_child.h"
#include "analyzer/worker/target_images.h"
#include "base/file.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "collector/quotas.h"
#include "collector/validate.h"

namespace gprofhub::server {

int RunAnalysisProcess(int argc, char** argv) {
  int parent = 0;
  uint64_t memory = 0;
  if (!analyzer::ArgumentsOf(argc, argv, parent, memory)) return 2;
  analyzer::ServeAnalyses(parent, memory, analyzer::AnalyzeTarget);
}

EndWithin::EndWithin(absl::Duration grace)
    : thread_([this, grace] {
        if (ended_.WaitFor(grace)) return;
        spdlog::error("shutdown did not finish within {}: exiting", absl::FormatDuration(grace));
        _exit(1);
      }) {}

EndWithin::~EndWithin() {
  ended_.Set();
  thread_.join();
}

std::string ProcessName() {
  std::array<char, 256> host = {};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
  return absl::StrCat(host.data(), "/", getpid());
}

namespace {

constexpr uint64_t kMaxSignalsBytes = 1 << 20;

}  // namespace

absl::Status SetQuotasOfFile(const std::string& path, collector::Quotas& quotas) {
  ASSIGN_OR_RETURN(const std::string text, base::ReadFile(path, kMaxSignalsBytes));
  absl::StatusOr<collector::QuotaFile> file = collector::ParseQuotas(text);
  if (!file.ok()) return base::WithContext(file.status(), path);
  for (const auto& [project, quota] : file->projects) {
    absl::Status status = collector::ValidateProject("projects", project);
    if (!status.ok()) return base::WithContext(status, path);
  }
  quotas.Set(*std::move(file));
  return absl::OkStatus();
}

void Reloading::Add(std::string what, std::function<absl::Status()> reload) {
  parts_.emplace_back(std::move(what), std::move(reload));
}

void Reloading::Run() const {
  if (parts_.empty()) spdlog::info("SIGHUP received: this server has no files to reload");
  for (const auto& [what, reload] : parts_) {
    if (const absl::Status status = reload(); status.ok()) {
      spdlog::info("SIGHUP received: reloaded {}", what);
    } else {
      spdlog::error("SIGHUP received: cannot reload {}, the previous values stay in use: {}", what,
                    std::string(status.message()));
    }
  }
}

ServeSignals::ServeSignals() {
  sigemptyset(&all_);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&all_, signal);
  pthread_sigmask(SIG_BLOCK, &all_, nullptr);
}

int ServeSignals::AwaitEnd(const std::function<void()>& on_hangup) const {
  for (;;) {
    int signal = 0;
    if (sigwait(&all_, &signal) != 0) continue;
    if (signal == SIGHUP) {
      on_hangup();
      continue;
    }
    sigset_t ending;
    sigemptyset(&ending);
    for (const int one : {SIGTERM, SIGINT}) sigaddset(&ending, one);
    pthread_sigmask(SIG_UNBLOCK, &ending, nullptr);
    return signal;
  }
}

}  // namespace gprofhub::server
