#include "page/charts/trend_picture.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/printable.h"
#include "page/html/html.h"
#include "reporter/text/function_name.h"

namespace gprofhub::page {
namespace {

constexpr size_t kMostRuns = 50;
constexpr size_t kNameCharacters = 78;
constexpr double kWidth = 640, kHeight = 170;
// The plot area.
constexpr double kLeft = 90, kRight = 620, kTop = 62, kBottom = 132;

// Colours of the light page; they also differ in lightness.
constexpr absl::string_view kGround = "#ffffff", kInk = "#1b1f24", kQuiet = "#57606a",
                            kLine = "#d4d9e0", kHead = "#a8230c";

std::string Number(double value) { return absl::StrFormat("%.1f", value); }

Html Text(double x, double y, absl::string_view anchor, absl::string_view colour, double size,
          const std::string& words) {
  return El("text",
            {{"x", Number(x)},
             {"y", Number(y)},
             {"text-anchor", anchor},
             {"fill", colour},
             {"font-family", "system-ui, sans-serif"},
             {"font-size", Number(size)}},
            Html(words));
}

Html HorizontalLine(double y) {
  return El("line", {{"x1", Number(kLeft)},
                     {"x2", Number(kRight)},
                     {"y1", Number(y)},
                     {"y2", Number(y)},
                     {"stroke", kLine}});
}

// Maps values to coordinates.
class Plot {
 public:
  Plot(const v1::GetTrendResponse& trend, TrendValue value, std::vector<HistoryDot> dots)
      : trend_(trend), value_(value), dots_(std::move(dots)) {
    std::erase_if(dots_, [](const HistoryDot& dot) { return !std::isfinite(dot.value); });
    for (const HistoryDot& dot : dots_) {
      low_ = std::min(low_, dot.value);
      high_ = std::max(high_, dot.value);
    }
  }

  size_t runs() const { return dots_.size(); }

  Html Draw() const {
    if (dots_.empty()) return Text(kWidth / 2, 100, "middle", kQuiet, 12, "no values yet");
    std::vector<Html> pieces = {HorizontalLine(Y(high_)), HorizontalLine(Y(low_))};
    pieces.push_back(Text(kLeft - 10, Y(high_) + 4, "end", kQuiet, 11, Words(high_)));
    if (low_ < high_) {
      pieces.push_back(Text(kLeft - 10, Y(low_) + 4, "end", kQuiet, 11, Words(low_)));
    }
    for (size_t i = 0; i < dots_.size(); ++i) {
      if (dots_[i].begins_level) {
        pieces.push_back(El("line", {{"x1", Number(X(i))},
                                     {"x2", Number(X(i))},
                                     {"y1", Number(kTop - 8)},
                                     {"y2", Number(kBottom + 8)},
                                     {"stroke", kQuiet},
                                     {"stroke-dasharray", "3 3"}}));
      }
    }
    // Base and head are drawn on top of the other dots.
    for (size_t i = 0; i < dots_.size(); ++i) {
      if (dots_[i].mark == HistoryDot::Mark::kNone) pieces.push_back(Dot(i));
    }
    for (size_t i = 0; i < dots_.size(); ++i) {
      if (dots_[i].mark != HistoryDot::Mark::kNone) pieces.push_back(Dot(i));
    }
    return Join(pieces);
  }

 private:
  double X(size_t i) const {
    if (dots_.size() == 1) return (kLeft + kRight) / 2;
    return kLeft + 8 +
           (kRight - kLeft - 16) * static_cast<double>(i) / static_cast<double>(dots_.size() - 1);
  }
  double Y(double value) const {
    if (high_ <= low_) return (kTop + kBottom) / 2;
    return kBottom - (kBottom - kTop) * (value - low_) / (high_ - low_);
  }
  std::string Words(double value) const {
    const std::string words = ValueWordsOf(trend_, value_, value);
    return words.substr(0, words.find(" calls"));
  }
  // Distinguishable without colour: the base is a ring, the head is a larger disc.
  Html Dot(size_t i) const {
    const bool is_base = dots_[i].mark == HistoryDot::Mark::kBase;
    const bool is_head = dots_[i].mark == HistoryDot::Mark::kHead;
    absl::string_view fill = kQuiet;
    if (is_base) fill = kGround;
    if (is_head) fill = kHead;
    return El("circle",
              {{"cx", Number(X(i))},
               {"cy", Number(Y(dots_[i].value))},
               {"r", is_base || is_head ? "5" : "2.5"},
               {"fill", fill},
               {"stroke", is_base ? kInk : "none"},
               {"stroke-width", "2"}},
              El("title", {}, Html(dots_[i].hint)));
  }

  const v1::GetTrendResponse& trend_;
  const TrendValue value_;
  std::vector<HistoryDot> dots_;
  double low_ = INFINITY, high_ = -INFINITY;
};

}  // namespace

std::string TrendPictureSvg(const TrendPictureText& text, const v1::GetTrendResponse& trend,
                            TrendValue value) {
  const auto shortened = [](const std::string& name) {
    return base::Shortened(base::Printable(name), kNameCharacters);
  };
  const Plot plot(trend, value,
                  DotsOf(trend, value, text.base_commit, text.head_commit, kMostRuns));
  const std::string title = absl::StrCat(value == TrendValue::kCalls ? "Calls" : "Own time", " of ",
                                         shortened(reporter::FunctionName(text.function)));
  const std::string runs =
      plot.runs() == 1 ? "1 run" : absl::StrCat("the last ", plot.runs(), " runs");
  const Html svg = El("svg",
                      {{"xmlns", "http://www.w3.org/2000/svg"},
                       {"viewBox", absl::StrCat("0 0 ", kWidth, " ", kHeight)},
                       {"width", absl::StrCat(kWidth)},
                       {"height", absl::StrCat(kHeight)},
                       {"role", "img"}},
                      {El("title", {}, Html(title)),
                       El("rect", {{"width", absl::StrCat(kWidth)},
                                   {"height", absl::StrCat(kHeight)},
                                   {"rx", "8"},
                                   {"fill", kGround}}),
                       Text(20, 24, "start", kInk, 13, title),
                       Text(20, 42, "start", kQuiet, 11,
                            absl::StrCat("per execution of ", shortened(text.target), ", ", runs)),
                       plot.Draw(),
                       Text(kLeft, 158, "start", kQuiet, 11,
                            absl::StrCat("○ base ", text.base_commit.substr(0, 10), "   ● head ",
                                         text.head_commit.substr(0, 10), "   ┊ a new level"))});
  return absl::StrCat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", svg.bytes(), "\n");
}

}  // namespace gprofhub::page
