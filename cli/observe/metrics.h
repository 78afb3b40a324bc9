// What the process counts, as Prometheus reads it.
//
// Whoever does the work knows nothing of this: it is given a function to call, or its own counts
// are asked at each scrape. docs/operations.md says what each metric means.
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

// A value that is asked for at each scrape.
struct Sample {
  enum class Kind { kGauge, kCounter };
  Kind kind = Kind::kGauge;
  std::string name;  // of the metric, the same kind and help each time
  std::string help;
  std::vector<std::pair<std::string, std::string>> labels;
  double value = 0;
};
using Sampler = std::function<void(std::vector<Sample>& samples)>;

// What a round of housekeeping removed (cli/housekeeping/).
struct FreedByHousekeeping {
  uint64_t runs = 0;       // by the policies of retention
  uint64_t profiles = 0;   // likewise: of runs that stay, too
  uint64_t blobs = 0;      // that nobody referred to
  uint64_t transfers = 0;  // files that Bazel handed over
  uint64_t bytes = 0;      // of blobs, files and transfers
};

// Safe to use from several threads.
class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // For those who do the work; they may outlive the metrics.
  collector::OnEndedCall OnCall() const;
  store::OnStoreCall OnStoreCall() const;
  std::function<void(const analyzer::EndedAnalysis&)> OnAnalysis() const;
  std::function<void(const reporter::EndedReport&)> OnReport() const;
  std::function<void(const FreedByHousekeeping&)> OnHousekeeping() const;
  std::function<void(int code)> OnWebhook() const;  // of a forge, answered so

  // All of it, with what `sampler` gives, in Prometheus's text format 0.0.4.
  std::string Text(const Sampler& sampler) const;

 private:
  class Families;
  const std::shared_ptr<Families> families_;
};

}  // namespace gprofhub::cli
