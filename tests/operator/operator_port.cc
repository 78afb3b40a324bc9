#include "tests/operator/operator_port.h"

#include <gtest/gtest.h>
#include <httplib.h>

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"

namespace gprofhub::tests {

std::string MetricsAddress(const ServeProcess& server) {
  constexpr absl::string_view kWords = "metrics and health on ";
  const std::string log = server.Log();
  const size_t found = log.find(kWords.data(), 0, kWords.size());
  if (found == std::string::npos) {
    ADD_FAILURE() << "no address in: " << log;
    return "";
  }
  const size_t begin = found + kWords.size();
  return log.substr(begin, log.find_first_not_of("0123456789.:", begin) - begin);
}

HttpAnswer Get(const std::string& address, const std::string& path) {
  httplib::Client client("http://" + address);
  const httplib::Result result = client.Get(path.c_str());
  if (!result) return {};
  return {result->status, result->body};
}

std::string AwaitStatus(const std::string& address, const std::string& path, int status) {
  const absl::Time deadline = absl::Now() + absl::Minutes(15);
  HttpAnswer answer;
  do {
    answer = Get(address, path);
    if (answer.status == status) return answer.body;
    absl::SleepFor(absl::Milliseconds(20));
  } while (absl::Now() < deadline);
  ADD_FAILURE() << path << " still answers " << answer.status << ": " << answer.body;
  return answer.body;
}

std::map<std::string, double> Scrape(const std::string& address) {
  const HttpAnswer answer = Get(address, "/metrics");
  EXPECT_EQ(answer.status, 200);
  std::map<std::string, double> values;
  for (const absl::string_view line : absl::StrSplit(answer.body, '\n', absl::SkipEmpty())) {
    if (absl::StartsWith(line, "#")) continue;
    const size_t space = line.rfind(' ');
    double value = 0;
    EXPECT_TRUE(absl::SimpleAtod(line.substr(space + 1), &value)) << line;
    values[std::string(line.substr(0, space))] = value;
  }
  return values;
}

std::set<std::string> MetricNames(const std::string& address) {
  std::set<std::string> names;
  for (const absl::string_view line : absl::StrSplit(Get(address, "/metrics").body, '\n')) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    if (words.size() != 4 || words[0] != "#" || words[1] != "TYPE") continue;
    if (words[3] != "histogram") {
      names.insert(words[2]);
      continue;
    }
    for (const char* end : {"_bucket", "_sum", "_count"}) names.insert(words[2] + end);
  }
  return names;
}

}  // namespace gprofhub::tests
