#include "page/charts/trend_dots.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "profile/names/quantities.h"
#include "reporter/text/numbers.h"
#include "reporter/text/units.h"

namespace gprofhub::page {
namespace {

constexpr size_t kShortCommit = 10;

// `named` may be an abbreviated commit.
bool IsOf(absl::string_view commit, absl::string_view named) {
  return !named.empty() && absl::StartsWith(commit, named);
}

}  // namespace

std::vector<HistoryDot> DotsOf(const v1::GetTrendResponse& trend, TrendValue value,
                               absl::string_view base_commit, absl::string_view head_commit,
                               size_t most) {
  std::vector<HistoryDot> dots;
  const int first = trend.points_size() > static_cast<int>(most)
                        ? trend.points_size() - static_cast<int>(most)
                        : 0;
  for (int i = first; i < trend.points_size(); ++i) {
    const v1::TrendPoint& point = trend.points(i);
    const bool is_calls = value == TrendValue::kCalls;
    HistoryDot dot;
    dot.value = is_calls ? point.calls() : point.self_seconds();
    if (IsOf(point.commit(), head_commit)) dot.mark = HistoryDot::Mark::kHead;
    if (IsOf(point.commit(), base_commit)) dot.mark = HistoryDot::Mark::kBase;
    dot.begins_level = (is_calls ? point.calls_change() : point.self_change()) != v1::NO_CHANGE;
    dot.hint = absl::StrCat("run ", point.run_id(), ", ", point.commit().substr(0, kShortCommit),
                            ": ", ValueWordsOf(trend, value, dot.value));
    dots.push_back(std::move(dot));
  }
  return dots;
}

std::string ValueWordsOf(const v1::GetTrendResponse& trend, TrendValue value, double number) {
  if (value == TrendValue::kCalls) {
    return reporter::CountInUnit(number, profile::UnitOfCalls(trend.function()));
  }
  return reporter::HumanTime(number, trend.dimension());
}

}  // namespace gprofhub::page
