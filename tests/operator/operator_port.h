// The port that an operator's tools read: metrics, and health over HTTP.
#pragma once

#include <map>
#include <set>
#include <string>

#include "tests/fault/serve_process.h"

namespace gprofhub::tests {

// "127.0.0.1:PORT" of a server that was started with --metrics-listen; fails the test if its log
// names none.
std::string MetricsAddress(const ServeProcess& server);

struct HttpAnswer {
  int status = 0;  // 0: none came
  std::string body;
};

HttpAnswer Get(const std::string& address, const std::string& path);

// Polls until the path answers with this status; returns the body. Fails the test after a quarter
// of an hour: only a hang takes that long.
std::string AwaitStatus(const std::string& address, const std::string& path, int status);

// The values of a scrape by their series, such as `a_total{b="c"}`.
std::map<std::string, double> Scrape(const std::string& address);

// The names that alerts can use: of a histogram those of its parts.
std::set<std::string> MetricNames(const std::string& address);

}  // namespace gprofhub::tests
