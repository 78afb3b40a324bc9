// Metrics of the process, in Prometheus' format.
//
// The measured components do not depend on this: they get a callback, or their own counters are
// sampled at each scrape. docs/operations.md documents each metric.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/worker/worker.h"
#include "collector/calls/ended_call.h"
#include "reporter/worker/report_jobs.h"
#include "store/sql/observed_engine.h"

namespace gprofhub::cli {

// A value that is sampled at each scrape.
struct Sample {
  enum class Kind { kGauge, kCounter };
  Kind kind = Kind::kGauge;
  std::string name;  // of the metric, the same kind and help each time
  std::string help;
  std::vector<std::pair<std::string, std::string>> labels;
  double value = 0;
};
using Sampler = std::function<void(std::vector<Sample>& samples)>;

// Data removed by a round of housekeeping (cli/housekeeping/).
struct FreedByHousekeeping {
  uint64_t runs = 0;       // by the policies of retention
  uint64_t profiles = 0;   // also of runs that stay
  uint64_t blobs = 0;      // unreferenced ones
  uint64_t transfers = 0;  // files uploaded by Bazel
  uint64_t bytes = 0;      // of blobs, files and transfers
};

// Safe to use from several threads.
class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // Callbacks for the measured components; they may outlive the metrics.
  collector::OnEndedCall OnCall() const;
  store::OnStoreCall OnStoreCall() const;
  std::function<void(const analyzer::EndedAnalysis&)> OnAnalysis() const;
  std::function<void(const reporter::EndedReport&)> OnReport() const;
  std::function<void(const FreedByHousekeeping&)> OnHousekeeping() const;
  std::function<void(int code)> OnWebhook() const;  // of a forge, answered so

  // All metrics, with the output of `sampler`, in Prometheus's text format 0.0.4.
  std::string Text(const Sampler& sampler) const;

 private:
  class Families;
  const std::shared_ptr<Families> families_;
};

}  // namespace gprofhub::cli
