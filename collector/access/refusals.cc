#include "collector/access/refusals.h"

#include <spdlog/spdlog.h>

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace gprofhub::collector {
namespace {

constexpr size_t kMaxMessageBytes = 300;

}  // namespace

Refusals::Refusals(store::AuditLog log, std::function<absl::Time()> now)
    : log_(std::move(log)), now_(std::move(now)) {}

Refusals::~Refusals() {
  const absl::Time now = now_();
  std::map<Kind, Count> counts;
  {
    absl::MutexLock lock(&mutex_);
    counts = Take(now);
  }
  Write(counts, now);
}

void Refusals::Note(const CallOrigin& call, const store::Actor& who, const absl::Status& why) {
  const absl::Time now = now_();
  std::map<Kind, Count> due;
  {
    absl::MutexLock lock(&mutex_);
    Kind kind = {call.method, why.code(), who.name};
    if (!counts_.contains(kind) && counts_.size() >= kMostKinds) {
      kind = {"others", absl::StatusCode::kUnknown, ""};
    }
    Count& count = counts_[std::move(kind)];
    ++count.calls;
    count.last_peer = call.peer;
    count.last_message = std::string(why.message().substr(0, kMaxMessageBytes));
    if (now - written_ >= kInterval) due = Take(now);
  }
  Write(due, now);
}

std::map<Refusals::Kind, Refusals::Count> Refusals::Take(absl::Time now) {
  written_ = now;
  return std::exchange(counts_, {});
}

void Refusals::Write(const std::map<Kind, Count>& counts, absl::Time now) const {
  if (counts.empty()) return;
  std::vector<store::AuditRecord> records;
  for (const auto& [kind, count] : counts) {
    const auto& [method, code, who] = kind;
    store::AuditRecord& record = records.emplace_back();
    record.time = now;
    record.actor = who;
    record.origin = count.last_peer;
    record.action = "refused";
    record.subject = method;
    record.detail = absl::StrCat(count.calls, count.calls == 1 ? " call" : " calls", ", ",
                                 absl::StatusCodeToString(code), ": ", count.last_message);
    spdlog::warn("{} refused, the last from {}: {}", method, count.last_peer, record.detail);
  }
  if (absl::Status status = log_.Add(records); !status.ok()) {
    spdlog::error("the audit log cannot be written: {}", status.ToString());
  }
}

}  // namespace gprofhub::collector
