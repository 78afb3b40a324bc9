// Each combination of labels is a series that lives as long as the process. So labels take values
// from small sets only: names in the code, and channels of the configuration. Nothing that a
// stranger sends becomes one.
#include "cli/observe/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <map>

#include "absl/strings/str_cat.h"

namespace gprofhub::cli {
namespace {

using prometheus::Histogram;
using Counters = prometheus::Family<prometheus::Counter>;
using Histograms = prometheus::Family<Histogram>;

// In seconds. A small call takes a few milliseconds, an upload up to ten minutes.
const Histogram::BucketBoundaries kCallSeconds = {0.005, 0.02, 0.05, 0.1, 0.15, 0.3,
                                                  1,     3,    10,   30,  60,   300};
const Histogram::BucketBoundaries kStoreSeconds = {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10};
const Histogram::BucketBoundaries kAnalysisSeconds = {0.01, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000};

// The library omits metrics without series. Their name and help are exported all the same, for
// authors of alerts.
struct Registry {
  Counters& NewCounters(const char* name, const char* help) {
    names.push_back({name, help, prometheus::MetricType::Counter, {}});
    return prometheus::BuildCounter().Name(name).Help(help).Register(all);
  }
  Histograms& NewHistograms(const char* name, const char* help) {
    names.push_back({name, help, prometheus::MetricType::Histogram, {}});
    return prometheus::BuildHistogram().Name(name).Help(help).Register(all);
  }
  std::vector<prometheus::MetricFamily> Collect() const {
    std::map<std::string, prometheus::MetricFamily> by_name;
    for (const prometheus::MetricFamily& family : names) by_name[family.name] = family;
    for (prometheus::MetricFamily& family : all.Collect()) {
      by_name[family.name] = std::move(family);
    }
    std::vector<prometheus::MetricFamily> families;
    for (auto& [name, family] : by_name) families.push_back(std::move(family));
    return families;
  }

  prometheus::Registry all;
  std::vector<prometheus::MetricFamily> names;
};

// "Collector.Upload" of "/gprofhub.v1.Collector/Upload".
std::string ShortName(absl::string_view method) {
  if (method.empty()) return "unknown";
  const size_t slash = method.rfind('/');
  const absl::string_view service = method.substr(0, slash);
  return absl::StrCat(service.substr(service.rfind('.') + 1), ".", method.substr(slash + 1));
}

std::string CodeName(absl::StatusCode code) { return absl::StatusCodeToString(code); }

}  // namespace

class Metrics::Families {
 public:
  // Counters that alerts watch are there from the start: a rate needs a first value.
  Families() {
    for (const char* reason :
         {"calls", "project_calls", "upload_memory", "decoding_memory", "disk_full", "overloaded",
          "quota_calls", "quota_bytes", "quota_uploads", "quota_stored", "too_large", "stalled",
          "token", "permission", "unknown_method"}) {
      refusals_.Add({{"reason", reason}});
    }
    for (const char* outcome : {"done", "failed", "again", "lost"}) {
      analyses_.Add({{"outcome", outcome}});
    }
    for (const char* outcome :
         {"posted", "silent", "superseded", "looked", "waiting", "none", "again", "failed"}) {
      reports_.Add({{"outcome", outcome}});
    }
    analysis_time_.Add({}, kAnalysisSeconds);
    CountFreed({});
  }

  void CountCall(const collector::EndedCall& call) {
    const std::string method = ShortName(call.method);
    calls_.Add({{"method", method}, {"code", CodeName(call.code)}}).Increment();
    if (!call.refusal.empty()) {
      refusals_.Add({{"reason", std::string(call.refusal)}}).Increment();
    }
    if (call.method.empty()) return;
    call_time_.Add({{"method", method}}, kCallSeconds).Observe(absl::ToDoubleSeconds(call.took));
    received_.Add({{"method", method}}).Increment(static_cast<double>(call.received_bytes));
    sent_.Add({{"method", method}}).Increment(static_cast<double>(call.sent_bytes));
  }

  void CountStoreCall(const store::StoreCall& call) {
    const std::string part(call.part);
    const std::string operation(call.operation);
    store_time_.Add({{"part", part}, {"operation", operation}}, kStoreSeconds)
        .Observe(absl::ToDoubleSeconds(call.took));
    // Lookups of missing objects are not errors of the store.
    switch (call.code) {
      case absl::StatusCode::kUnavailable:
      case absl::StatusCode::kResourceExhausted:
      case absl::StatusCode::kInternal:
      case absl::StatusCode::kDataLoss:
      case absl::StatusCode::kDeadlineExceeded:
        store_errors_.Add({{"part", part}, {"operation", operation}, {"code", CodeName(call.code)}})
            .Increment();
        break;
      default:
        break;
    }
  }

  void CountAnalysis(const analyzer::EndedAnalysis& analysis) {
    analyses_.Add({{"outcome", std::string(analysis.outcome)}}).Increment();
    analysis_time_.Add({}, kAnalysisSeconds).Observe(absl::ToDoubleSeconds(analysis.took));
  }

  void CountReport(const reporter::EndedReport& report) {
    if (report.channel.empty()) {
      reports_.Add({{"outcome", std::string(report.outcome)}}).Increment();
    } else {
      messages_
          .Add({{"channel", std::string(report.channel)}, {"outcome", std::string(report.outcome)}})
          .Increment();
    }
  }

  void CountFreed(const FreedByHousekeeping& freed) {
    for (const auto& [what, count] :
         {std::pair("runs", freed.runs), std::pair("profiles", freed.profiles),
          std::pair("blobs", freed.blobs), std::pair("transfers", freed.transfers)}) {
      freed_.Add({{"what", what}}).Increment(static_cast<double>(count));
    }
    freed_bytes_.Add({}).Increment(static_cast<double>(freed.bytes));
  }

  void CountWebhook(int code) { webhooks_.Add({{"code", absl::StrCat(code)}}).Increment(); }

  std::string Text(const Sampler& sampler) const {
    std::vector<prometheus::MetricFamily> families = registry_.Collect();
    for (prometheus::MetricFamily& family : Sampled(sampler)) families.push_back(std::move(family));
    return prometheus::TextSerializer().Serialize(families);
  }

 private:
  static std::vector<prometheus::MetricFamily> Sampled(const Sampler& sampler) {
    std::vector<Sample> samples;
    sampler(samples);
    std::map<std::string, prometheus::MetricFamily> by_name;
    for (const Sample& sample : samples) {
      const bool counts = sample.kind == Sample::Kind::kCounter;
      prometheus::MetricFamily& family = by_name[sample.name];
      family.name = sample.name;
      family.help = sample.help;
      family.type = counts ? prometheus::MetricType::Counter : prometheus::MetricType::Gauge;
      prometheus::ClientMetric& metric = family.metric.emplace_back();
      for (const auto& [name, value] : sample.labels) metric.label.push_back({name, value});
      (counts ? metric.counter.value : metric.gauge.value) = sample.value;
    }
    std::vector<prometheus::MetricFamily> families;
    for (auto& [name, family] : by_name) families.push_back(std::move(family));
    return families;
  }

  Registry registry_;
  Counters& calls_ =
      registry_.NewCounters("gprofhub_calls_total", "Calls that ended, by method and gRPC status");
  Histograms& call_time_ =
      registry_.NewHistograms("gprofhub_call_duration_seconds", "How long calls took");
  Counters& received_ = registry_.NewCounters("gprofhub_received_bytes_total",
                                              "Bytes of the messages that calls brought");
  Counters& sent_ =
      registry_.NewCounters("gprofhub_sent_bytes_total", "Bytes of the messages that were sent");
  Counters& refusals_ =
      registry_.NewCounters("gprofhub_refusals_total", "Calls that were refused, by reason");
  Histograms& store_time_ =
      registry_.NewHistograms("gprofhub_store_duration_seconds", "How long uses of the store took");
  Counters& store_errors_ = registry_.NewCounters(
      "gprofhub_store_errors_total", "Uses of the store that failed by the store's fault");
  Counters& analyses_ =
      registry_.NewCounters("gprofhub_analyses_total", "Attempts at analyses, by how they ended");
  Histograms& analysis_time_ =
      registry_.NewHistograms("gprofhub_analysis_duration_seconds", "How long analyses took");
  Counters& reports_ =
      registry_.NewCounters("gprofhub_reports_total", "Attempts at reports, by how they ended");
  Counters& messages_ = registry_.NewCounters(
      "gprofhub_messages_total", "Attempts at messages to channels, by how they ended");
  Counters& freed_ = registry_.NewCounters("gprofhub_housekeeping_freed_total",
                                           "What this process's housekeeping removed, by kind");
  Counters& freed_bytes_ =
      registry_.NewCounters("gprofhub_housekeeping_freed_bytes_total", "Bytes that it freed");
  Counters& webhooks_ = registry_.NewCounters(
      "gprofhub_forge_webhooks_total", "Webhooks of forges, by the HTTP status of the answer");
};

Metrics::Metrics() : families_(std::make_shared<Families>()) {}
Metrics::~Metrics() = default;

collector::OnEndedCall Metrics::OnCall() const {
  return [families = families_](const collector::EndedCall& call) { families->CountCall(call); };
}

store::OnStoreCall Metrics::OnStoreCall() const {
  return [families = families_](const store::StoreCall& call) { families->CountStoreCall(call); };
}

std::function<void(const analyzer::EndedAnalysis&)> Metrics::OnAnalysis() const {
  return [families = families_](const analyzer::EndedAnalysis& analysis) {
    families->CountAnalysis(analysis);
  };
}

std::function<void(const reporter::EndedReport&)> Metrics::OnReport() const {
  return [families = families_](const reporter::EndedReport& report) {
    families->CountReport(report);
  };
}

std::function<void(int code)> Metrics::OnWebhook() const {
  return [families = families_](int code) { families->CountWebhook(code); };
}

std::function<void(const FreedByHousekeeping&)> Metrics::OnHousekeeping() const {
  return [families = families_](const FreedByHousekeeping& freed) { families->CountFreed(freed); };
}

std::string Metrics::Text(const Sampler& sampler) const { return families_->Text(sampler); }

}  // namespace gprofhub::cli
