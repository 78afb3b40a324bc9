#include "cli/observe/health_rules.h"

#include <vector>

#include "absl/strings/str_cat.h"

namespace gprofhub::cli {
namespace {

Health Not(std::string why) { return {false, std::move(why)}; }

// Whether the store answers.
Health OfStore(const StoreView& store, const HealthLimits& limits, absl::Time now) {
  if (now - store.asked > limits.silence) {
    return Not(
        absl::StrCat("the store has not answered for ",
                     absl::FormatDuration(absl::Trunc(now - store.asked, absl::Seconds(1)))));
  }
  if (!store.status.ok()) return Not(absl::StrCat("the store: ", store.status.ToString()));
  return {};
}

Health OfRoom(const StoreView& store, const HealthLimits& limits, absl::Time now) {
  if (store.disk.size > 0 && store.disk.free < limits.least_free) {
    return Not(absl::StrCat("the disk has ", store.disk.free >> 20, " MiB left; ",
                            limits.least_free >> 20, " are wanted"));
  }
  if (now - store.no_room < limits.remember_no_room) {
    return Not("the last upload found no room in the store");
  }
  return {};
}

Health OfQueue(const StoreView& store, absl::string_view kind, const HealthLimits& limits,
               absl::Time now) {
  for (const store::QueueCondition& queue : store.queues) {
    if (queue.kind != kind || queue.oldest_id == 0) continue;
    const auto since = store.same_oldest_since.find(std::string(kind));
    if (since == store.same_oldest_since.end()) continue;
    if (now - since->second <= limits.stuck || now - queue.oldest <= limits.stuck) continue;
    return Not(absl::StrCat("the queue of kind ", kind, " is stuck: job ", queue.oldest_id,
                            " has waited since ",
                            absl::FormatTime(absl::RFC3339_sec, queue.oldest, absl::UTCTimeZone()),
                            ", with ", queue.waiting, " waiting"));
  }
  return {};
}

Health OfCopy(const StoreView& store, const HealthLimits& limits, absl::Time now) {
  if (limits.stalest == absl::InfiniteDuration() || now - store.as_of <= limits.stalest) return {};
  if (store.as_of == absl::InfinitePast()) {
    return Not("the database is no copy, or nothing has reached it from a server that writes");
  }
  return Not(absl::StrCat("this copy of the database is of ",
                          absl::FormatTime(absl::RFC3339_sec, store.as_of, absl::UTCTimeZone()),
                          ", longer ago than ", absl::FormatDuration(limits.stalest)));
}

// The first that is not.
Health All(const std::vector<Health>& all) {
  for (const Health& health : all) {
    if (!health.serving) return health;
  }
  return {};
}

}  // namespace

std::map<std::string, Health> JudgeHealth(const StoreView& store, const ServedRoles& roles,
                                          const HealthLimits& limits, absl::Time now) {
  const Health answers = OfStore(store, limits, now);
  std::map<std::string, Health> health;
  if (roles.collector) health[kCollectorHealth] = All({answers, OfRoom(store, limits, now)});
  if (roles.query) health[kQueryHealth] = All({answers, OfCopy(store, limits, now)});
  std::vector<Health> whole;
  for (const auto& [service, each] : health) whole.push_back(each);
  const bool takes_calls = !whole.empty();
  if (roles.worker) {
    health[kWorkerHealth] = All({answers, OfQueue(store, "analysis", limits, now)});
  }
  if (roles.reporter) {
    health[kReporterHealth] = All({answers, OfQueue(store, "report", limits, now),
                                   OfQueue(store, "notification", limits, now)});
  }
  if (!takes_calls) {
    for (const auto& [service, each] : health) whole.push_back(each);
  }
  health[kWholeHealth] = All(whole);
  return health;
}

}  // namespace gprofhub::cli
