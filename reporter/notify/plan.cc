#include "reporter/notify/plan.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "base/glob.h"
#include "reporter/findings/findings.h"
#include "reporter/gate/gate.h"

namespace gprofhub::reporter {

namespace {

bool MatchesOne(const std::vector<std::string>& patterns, absl::string_view text) {
  return std::any_of(patterns.begin(), patterns.end(), [text](const std::string& pattern) {
    return base::GlobMatches(pattern, text);
  });
}

// An empty list matches all.
bool MatchesOrAll(const std::vector<std::string>& patterns, absl::string_view text) {
  return patterns.empty() || MatchesOne(patterns, text);
}

template <typename Texts>
bool AnyMatchesOrAll(const std::vector<std::string>& patterns, const Texts& texts) {
  return patterns.empty() || std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
           return MatchesOne(patterns, text);
         });
}

bool IsLargeEnough(const RouteConfig& route, const v1::Finding& cause) {
  if (cause.has_share_of_calls()) {
    return route.min_calls_percent.has_value() &&
           100 * cause.share_of_calls() >= *route.min_calls_percent;
  }
  return 100 * CpuEffect(cause) >= route.min_cpu_percent;
}

bool Has(const RouteConfig& route, const Notification& notification) {
  const v1::Finding& cause = notification.event.cause();
  const bool function = MatchesOrAll(route.functions, cause.function()) ||
                        MatchesOrAll(route.functions, cause.function_display());
  return function && MatchesOrAll(route.projects, notification.project) &&
         AnyMatchesOrAll(route.targets, notification.event.targets()) &&
         MatchesOrAll(route.files, cause.site().file()) &&
         AnyMatchesOrAll(route.owners, notification.owners) &&
         std::count(route.verdicts.begin(), route.verdicts.end(), cause.verdict()) > 0 &&
         IsLargeEnough(route, cause);
}

std::set<std::string> ChannelsOf(const NotifyConfig& config, const Notification& notification) {
  std::set<std::string> channels;
  for (const RouteConfig& route : config.routes) {
    if (Has(route, notification)) channels.insert(route.channels.begin(), route.channels.end());
  }
  return channels;
}

std::string ShortReleaseName(const v1::Release& release) {
  return release.commit().empty() ? absl::StrCat("run ", release.run_id())
                                  : release.commit().substr(0, 12);
}

// All notifications of one event, over all channels.
struct Told {
  Notification notification;
  std::string key;
  std::set<std::string> channels;
  bool matched = false;
};

bool Overlap(const v1::ChangeEvent& a, const v1::ChangeEvent& b) {
  return a.last_before().unix_ms() < b.first_after().unix_ms() &&
         b.last_before().unix_ms() < a.first_after().unix_ms();
}

class Planner {
 public:
  Planner(const PlanInput& input, const NotifyConfig& config, const FileOwners& owners)
      : input_(input), config_(config), owners_(owners) {
    ReadTold();
  }

  Plan Make() {
    std::vector<std::pair<const v1::ChangeEvent*, Told*>> found;
    for (const v1::ChangeEvent& event : input_.changes.events()) {
      found.emplace_back(&event, FindTold(event));
    }
    for (const auto& [event, told] : found) Tell(*event, told);
    for (Told& told : told_) {
      if (!told.matched) Withdraw(told);
    }
    return std::move(plan_);
  }

 private:
  void ReadTold() {
    Notification series;
    series.branch = input_.changes.branch();
    series.configuration = input_.changes.configuration();
    std::map<std::string, size_t> by_key;
    for (const store::NotificationRecord& record : input_.told) {
      if (record.series != SeriesOf(series)) continue;
      absl::StatusOr<Notification> notification = DecodeNotification(record.content);
      if (!notification.ok()) continue;  // written by an unknown version
      const auto [entry, is_new] = by_key.emplace(record.key, told_.size());
      if (is_new) told_.push_back({*std::move(notification), record.key, {}, false});
      told_[entry->second].channels.insert(record.channel);
    }
  }

  Told* FindTold(const v1::ChangeEvent& event) {
    const auto find = [this](const auto& same) -> Told* {
      for (Told& told : told_) {
        if (told.matched || !same(told.notification.event)) continue;
        told.matched = true;
        return &told;
      }
      return nullptr;
    };
    Told* const by_commit = find([&event](const v1::ChangeEvent& told) {
      return !told.at().commit().empty() && told.at().commit() == event.at().commit();
    });
    if (by_commit != nullptr) return by_commit;
    const std::string function = Bounded(event).cause().function();
    return find([&](const v1::ChangeEvent& told) {
      return told.cause().function() == function && Overlap(told, event);
    });
  }

  void Judge(Notification& notification) const {
    const v1::ChangeEvent& event = notification.event;
    const v1::Finding& cause = event.cause();
    for (const store::AcknowledgementRecord& said : input_.acknowledged) {
      if (!said.pull_request.empty() || said.expires <= input_.now ||
          !Covers(said, cause.function(), cause.function_display(), cause.target())) {
        continue;
      }
      notification.status = NotificationStatus::kAcknowledged;
      notification.reason = absl::StrCat(said.author, " says that it is all right: ", said.reason);
    }
    if (!event.has_back_at()) return;
    notification.status = NotificationStatus::kRecovered;
    notification.reason =
        absl::StrCat("back at the old level since ", ShortReleaseName(event.back_at()));
  }

  void Tell(const v1::ChangeEvent& event, Told* told) {
    if (!event.confirmed() || event.cause().in_test()) {
      return;
    }
    Notification notification;
    notification.project = input_.project;
    notification.branch = input_.changes.branch();
    notification.configuration = input_.changes.configuration();
    notification.event = Bounded(event);
    notification.owners = owners_(event.cause().site().file());
    Judge(notification);
    std::set<std::string> channels = ChannelsOf(config_, notification);
    if (told == nullptr) {
      const absl::Time came = absl::FromUnixMillis(event.at().unix_ms());
      if (notification.status != NotificationStatus::kOpen || came < input_.now - config_.max_age) {
        return;
      }
      return Put(notification, KeyOf(notification), channels);
    }
    channels.insert(told->channels.begin(), told->channels.end());
    const bool same = SaysTheSame(told->notification, notification);
    Put(same ? told->notification : notification, told->key, channels);
  }

  void Withdraw(const Told& told) {
    const absl::Time came = absl::FromUnixMillis(told.notification.event.at().unix_ms());
    if (told.notification.status != NotificationStatus::kOpen || came <= input_.looked_at_from) {
      return;
    }
    Notification notification = told.notification;
    notification.status = NotificationStatus::kWithdrawn;
    notification.reason = "with the runs since then it is no lasting change";
    Put(notification, told.key, told.channels);
  }

  void Put(const Notification& notification, const std::string& key,
           const std::set<std::string>& channels) {
    store::NotificationRecord record;
    record.key = key;
    record.project = input_.project;
    record.series = SeriesOf(notification);
    record.content = EncodeNotification(notification);
    for (const ChannelConfig& channel : config_.channels) {
      if (!channels.contains(channel.name)) continue;
      record.channel = channel.name;
      (channel.events ? plan_.tell : plan_.keep).push_back(record);
    }
  }

  const PlanInput& input_;
  const NotifyConfig& config_;
  const FileOwners& owners_;
  std::vector<Told> told_;
  Plan plan_;
};

}  // namespace

FileOwners OwnersFrom(const NotifyConfig& config) {
  return [entries = config.owners](absl::string_view file) {
    for (const OwnersConfig& entry : entries) {
      if (MatchesOne(entry.files, file)) return entry.owners;
    }
    return std::vector<std::string>();
  };
}

Plan PlanNotifications(const PlanInput& input, const NotifyConfig& config,
                       const FileOwners& owners) {
  return Planner(input, config, owners).Make();
}

std::optional<Digest> PlanDigest(const std::string& project,
                                 const std::vector<store::NotificationRecord>& records,
                                 const ChannelConfig& channel, absl::Time due) {
  const absl::Time from = due - absl::Hours(24 * 7);
  const absl::TimeZone zone =
      absl::FixedTimeZone(static_cast<int>(absl::ToInt64Seconds(channel.utc_offset)));
  Digest digest;
  digest.project = project;
  digest.week = absl::StrCat(absl::FormatTime("%Y-%m-%d", from, zone), " to ",
                             absl::FormatTime("%Y-%m-%d", due - absl::Seconds(1), zone));
  for (const store::NotificationRecord& record : records) {
    if (record.series.empty() || record.channel != channel.name || record.changed < from ||
        record.changed >= due) {
      continue;
    }
    absl::StatusOr<Notification> change = DecodeNotification(record.content);
    if (change.ok()) digest.changes.push_back(*std::move(change));
  }
  if (digest.changes.empty()) return std::nullopt;
  return digest;
}

}  // namespace gprofhub::reporter
