#include "cli/serve/process/quotas_of_file.h"

#include <utility>

#include "base/read_file.h"
#include "base/status_context.h"
#include "collector/quotas/quota_file.h"
#include "collector/validate.h"

namespace gprofhub::cli {
namespace {

constexpr uint64_t kMaxFileBytes = 1 << 20;

}  // namespace

absl::Status SetQuotasOfFile(const std::string& path, collector::Quotas& quotas) {
  const absl::StatusOr<std::string> text = base::ReadFile(path, kMaxFileBytes);
  if (!text.ok()) return text.status();
  absl::StatusOr<collector::QuotaFile> file = collector::ParseQuotas(*text);
  if (!file.ok()) return base::WithContext(file.status(), path);
  for (const auto& [project, quota] : file->projects) {
    absl::Status status = collector::ValidateProject("projects", project);
    if (!status.ok()) return base::WithContext(status, path);
  }
  quotas.Set(*std::move(file));
  return absl::OkStatus();
}

}  // namespace gprofhub::cli
