// Prometheus metrics of a real server that took an upload, and that the shipped alerts and
// dashboard use no others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "absl/time/clock.h"
#include "store/testing/temp_store.h"
#include "tests/fault/client.h"
#include "tests/fault/serve_process.h"
#include "tests/operator/calls.h"
#include "tests/operator/operator_port.h"

namespace gprofhub::tests {
namespace {

using ::testing::Contains;
using ::testing::Ge;
using ::testing::Gt;
using ::testing::Key;
using ::testing::Pair;

std::vector<std::string> In(const std::string& folder, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"--data-dir", folder, "--metrics-listen", "127.0.0.1:0"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

// Scrapes until the series is there and has this value at least.
std::map<std::string, double> AwaitValue(const std::string& address, const std::string& series,
                                         double least) {
  const absl::Time deadline = absl::Now() + absl::Minutes(15);
  std::map<std::string, double> scrape;
  do {
    scrape = Scrape(address);
    const auto found = scrape.find(series);
    if (found != scrape.end() && found->second >= least) return scrape;
    absl::SleepFor(absl::Milliseconds(50));
  } while (absl::Now() < deadline);
  ADD_FAILURE() << series << " is not there";
  return scrape;
}

// Our metrics' names in a file.
std::set<std::string> NamesIn(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  const std::string all = text.str();
  EXPECT_FALSE(all.empty()) << path;
  const std::regex name(R"(\b(gprofhub|process)_[a-z_]+\b)");
  std::set<std::string> names;
  for (std::sregex_iterator found(all.begin(), all.end(), name), end; found != end; ++found) {
    names.insert(found->str());
  }
  return names;
}

TEST(MetricsTest, AnUploadAndItsAnalysisAreCounted) {
  ServeProcess server(In(store::MakeTempDir()));
  const std::string address = MetricsAddress(server);
  const std::string run = UploadTraced(server.Connect(), FaultTestUpload(1));
  AwaitAnalysis(server.Connect(), run);
  const auto scrape = AwaitValue(address, R"(gprofhub_analyses_total{outcome="done"})", 1);
  EXPECT_THAT(scrape,
              Contains(Pair(R"(gprofhub_calls_total{code="OK",method="Collector.Upload"})", 1)));
  EXPECT_THAT(scrape, Contains(Pair(R"(gprofhub_received_bytes_total{method="Collector.Upload"})",
                                    Gt(5000))));
  EXPECT_THAT(
      scrape,
      Contains(Pair(R"(gprofhub_call_duration_seconds_bucket{method="Collector.Upload",le="+Inf"})",
                    1)));
  EXPECT_THAT(scrape,
              Contains(Pair(
                  R"(gprofhub_store_duration_seconds_count{operation="write",part="ingest"})", 1)));
  EXPECT_THAT(scrape, Contains(Pair("gprofhub_analysis_duration_seconds_count", 1)));
  EXPECT_THAT(scrape, Contains(Pair(R"(gprofhub_serving{service="all"})", 1)));
  EXPECT_THAT(scrape, Contains(Pair("gprofhub_disk_free_bytes", Gt(0))));
  EXPECT_THAT(scrape, Contains(Pair("gprofhub_connections_accepted_total", Ge(2))));
  EXPECT_THAT(scrape, Contains(Pair("process_resident_memory_bytes", Gt(1e6))));
  EXPECT_THAT(scrape, Contains(Pair("process_open_fds", Gt(5))));
}

TEST(MetricsTest, WhatWaitsIsShownByProject) {
  ServeProcess server(In(store::MakeTempDir(), {"--role", "collector", "--role", "query"}));
  UploadTraced(server.Connect(), FaultTestUpload(1));
  UploadTraced(server.Connect(), FaultTestUpload(2));
  const auto scrape = AwaitValue(MetricsAddress(server),
                                 R"(gprofhub_queue_jobs{kind="analysis",state="waiting"})", 2);
  EXPECT_THAT(scrape, Contains(Pair(
                          R"(gprofhub_queue_project_jobs{kind="analysis",project="default"})", 2)));
  EXPECT_THAT(scrape, Contains(Key(R"(gprofhub_queue_oldest_seconds{kind="analysis"})")));
}

TEST(MetricsTest, RefusalsAreCountedByReason) {
  const std::string folder = store::MakeTempDir();
  ASSERT_EQ(
      RunGprofhub({"token", "create", "--project", "default", "--data-dir", folder}).exit_code, 0);
  ServeProcess server(In(folder));
  EXPECT_EQ(AskForBlobs(server.Connect(), "default").error_code(),
            grpc::StatusCode::UNAUTHENTICATED);
  AwaitValue(MetricsAddress(server), R"(gprofhub_refusals_total{reason="token"})", 1);
}

TEST(MetricsTest, AlertsAndDashboardSpeakOfMetricsThatThereAre) {
  ServeProcess server(In(store::MakeTempDir(), {"--role", "collector", "--role", "query"}));
  const std::string address = MetricsAddress(server);
  UploadTraced(server.Connect(), FaultTestUpload(1));
  AwaitValue(address, R"(gprofhub_queue_project_jobs{kind="analysis",project="default"})", 1);
  const std::set<std::string> there = MetricNames(address);
  for (const char* file : {"deploy/alerts.yml", "deploy/grafana-dashboard.json"}) {
    const std::set<std::string> used = NamesIn(file);
    EXPECT_GT(used.size(), 10u) << file;
    for (const std::string& name : used) EXPECT_THAT(there, Contains(name)) << "in " << file;
  }
}

TEST(MetricsTest, EveryMetricIsExplained) {
  ServeProcess server(In(store::MakeTempDir(), {"--role", "collector", "--role", "query"}));
  const std::string address = MetricsAddress(server);
  UploadTraced(server.Connect(), FaultTestUpload(1));
  AwaitValue(address, R"(gprofhub_queue_project_jobs{kind="analysis",project="default"})", 1);
  const std::set<std::string> explained = NamesIn("docs/operations.md");
  for (std::string name : MetricNames(address)) {
    for (const char* end : {"_bucket", "_sum", "_count"}) {
      if (name.ends_with(end)) name.resize(name.size() - std::string(end).size());
    }
    EXPECT_THAT(explained, Contains(name)) << "in docs/operations.md";
  }
}

TEST(MetricsTest, TheDashboardIsOne) {
  std::ifstream file("deploy/grafana-dashboard.json");
  const auto dashboard = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  ASSERT_TRUE(dashboard.is_object());
  std::set<int> ids;
  for (const auto& panel : dashboard["panels"]) {
    EXPECT_TRUE(ids.insert(panel["id"].get<int>()).second) << panel["title"];
    if (panel["type"] == "row") continue;
    ASSERT_FALSE(panel["targets"].empty()) << panel["title"];
    for (const auto& target : panel["targets"]) EXPECT_NE(target["expr"], "") << panel["title"];
  }
}

}  // namespace
}  // namespace gprofhub::tests
