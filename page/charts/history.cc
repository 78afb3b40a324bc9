#include "page/charts/history.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace gprofhub::page {
namespace {

constexpr double kWidth = 300;
constexpr double kHeight = 48;
constexpr double kEdge = 6;

std::string Number(double value) { return absl::StrFormat("%.2f", value); }

}  // namespace

Html HistoryDots(absl::string_view title, const std::vector<HistoryDot>& dots) {
  std::vector<const HistoryDot*> shown;
  for (const HistoryDot& dot : dots) {
    if (std::isfinite(dot.value)) shown.push_back(&dot);
  }
  if (shown.empty()) return "";
  const auto less = [](const HistoryDot* a, const HistoryDot* b) { return a->value < b->value; };
  const auto [least, most] = std::minmax_element(shown.begin(), shown.end(), less);
  const double low = (*least)->value, range = (*most)->value - low;
  const auto x = [&](size_t i) {
    if (shown.size() == 1) return kWidth / 2;
    return kEdge +
           (kWidth - 2 * kEdge) * static_cast<double>(i) / static_cast<double>(shown.size() - 1);
  };
  const auto y = [&](double value) {
    if (range <= 0) return kHeight / 2;
    return kHeight - kEdge - (kHeight - 2 * kEdge) * (value - low) / range;
  };
  std::vector<Html> pieces = {El("title", {}, Html(title))};
  for (size_t i = 0; i < shown.size(); ++i) {
    const HistoryDot& dot = *shown[i];
    if (dot.begins_level) {
      pieces.push_back(El("line", {{"class", "level"},
                                   {"x1", Number(x(i))},
                                   {"x2", Number(x(i))},
                                   {"y1", "0"},
                                   {"y2", Number(kHeight)}}));
    }
    const absl::string_view css_class = dot.mark == HistoryDot::Mark::kHead   ? "dot head"
                                        : dot.mark == HistoryDot::Mark::kBase ? "dot base"
                                                                              : "dot";
    const double radius = dot.mark == HistoryDot::Mark::kNone ? 2 : 4;
    // Distinguishable without colour: the base is a ring, the head is a disc.
    pieces.push_back(El("circle",
                        {{"class", css_class},
                         {"cx", Number(x(i))},
                         {"cy", Number(y(dot.value))},
                         {"r", Number(radius)}},
                        El("title", {}, Html(dot.hint))));
  }
  return El("svg",
            {{"class", "history"},
             {"viewBox", absl::StrCat("0 0 ", kWidth, " ", kHeight)},
             {"role", "img"},
             {"aria-label", title}},
            Join(pieces));
}

}  // namespace gprofhub::page
