#include "page/trend_picture.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/text.h"
#include "page/html.h"
#include "page/words.h"
#include "profile/names.h"
#include "reporter/findings/text.h"

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

namespace {

constexpr size_t kColumns = 64;
constexpr size_t kSquare = 10;  // including a gap of one
constexpr size_t kMostPages = 8192;

// The squares of all pages whose state is `which`, as one path.
std::string Squares(const std::vector<bool>& pages, size_t count, bool which) {
  std::string path;
  for (size_t i = 0; i < count; ++i) {
    if (pages[i] != which) continue;
    absl::StrAppend(&path, "M", i % kColumns * kSquare, " ", i / kColumns * kSquare, "h9v9h-9z");
  }
  return path;
}

}  // namespace

Html PageStrip(absl::string_view title, const std::vector<bool>& pages) {
  const size_t count = std::min(pages.size(), kMostPages);
  const size_t rows = (count + kColumns - 1) / kColumns;
  return El("svg",
            {{"class", "strip"},
             {"viewBox", absl::StrCat("0 0 ", kColumns * kSquare, " ", rows * kSquare)},
             {"role", "img"},
             {"aria-label", title}},
            {El("title", {}, Html(title)),
             El("path", {{"class", "never"}, {"d", Squares(pages, count, false)}}),
             El("path", {{"class", "ran"}, {"d", Squares(pages, count, true)}})});
}

namespace {

constexpr size_t kShortCommit = 10;

// `named` may be an abbreviated commit.
bool IsOf(absl::string_view commit, absl::string_view named) {
  return !named.empty() && absl::StartsWith(commit, named);
}

}  // namespace

std::optional<TrendValue> TrendValueOf(const v1::Finding& finding) {
  switch (finding.metric()) {
    case v1::Finding::CALLS:
      return TrendValue::kCalls;
    case v1::Finding::SELF_TIME:
    case v1::Finding::INSTRUCTIONS:
      return TrendValue::kSelfTime;
    case v1::Finding::TOTAL_TIME:
      return TrendValue::kTotalTime;
    default:
      return std::nullopt;
  }
}

std::string TrendTitle(const v1::GetTrendResponse& trend, TrendValue value) {
  switch (value) {
    case TrendValue::kSelfTime:
      return "Self time";
    case TrendValue::kTotalTime:
      return "Total time";
    default:
      return UnitTitle(trend.function());
  }
}

std::vector<HistoryDot> DotsOf(const v1::GetTrendResponse& trend, TrendValue value,
                               absl::string_view base_commit, absl::string_view head_commit,
                               size_t most) {
  std::vector<HistoryDot> dots;
  const int first = trend.points_size() > static_cast<int>(most)
                        ? trend.points_size() - static_cast<int>(most)
                        : 0;
  for (int i = first; i < trend.points_size(); ++i) {
    const v1::TrendPoint& point = trend.points(i);
    HistoryDot dot;
    dot.value = value == TrendValue::kCalls      ? point.calls()
                : value == TrendValue::kSelfTime ? point.self_seconds()
                                                 : point.total_seconds();
    // Levels of total times are not looked for.
    const v1::ChangeMark change = value == TrendValue::kCalls      ? point.calls_change()
                                  : value == TrendValue::kSelfTime ? point.self_change()
                                                                   : v1::NO_CHANGE;
    if (IsOf(point.commit(), head_commit)) dot.mark = HistoryDot::Mark::kHead;
    if (IsOf(point.commit(), base_commit)) dot.mark = HistoryDot::Mark::kBase;
    dot.begins_level = change != v1::NO_CHANGE;
    dot.hint = absl::StrCat("run ", point.run_id(), ", ", point.commit().substr(0, kShortCommit),
                            point.subject().empty() ? "" : " ", point.subject(), ": ",
                            ValueWordsOf(trend, value, dot.value));
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

namespace {

constexpr size_t kMostRuns = 50;
constexpr size_t kNameCharacters = 78;
constexpr double kPictureWidth = 640, kPictureHeight = 170;
// The plot area.
constexpr double kLeft = 90, kRight = 620, kTop = 62, kBottom = 132;

// Colours of the light page; they also differ in lightness.
constexpr absl::string_view kGround = "#ffffff", kInk = "#1b1f24", kQuiet = "#57606a",
                            kLine = "#d4d9e0", kHead = "#a8230c";

std::string PictureNumber(double value) { return absl::StrFormat("%.1f", value); }

Html Text(double x, double y, absl::string_view anchor, absl::string_view colour, double size,
          const std::string& words) {
  return El("text",
            {{"x", PictureNumber(x)},
             {"y", PictureNumber(y)},
             {"text-anchor", anchor},
             {"fill", colour},
             {"font-family", "system-ui, sans-serif"},
             {"font-size", PictureNumber(size)}},
            Html(words));
}

Html HorizontalLine(double y) {
  return El("line", {{"x1", PictureNumber(kLeft)},
                     {"x2", PictureNumber(kRight)},
                     {"y1", PictureNumber(y)},
                     {"y2", PictureNumber(y)},
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
    if (dots_.empty()) return Text(kPictureWidth / 2, 100, "middle", kQuiet, 12, "no values yet");
    std::vector<Html> pieces = {HorizontalLine(Y(high_)), HorizontalLine(Y(low_))};
    pieces.push_back(Text(kLeft - 10, Y(high_) + 4, "end", kQuiet, 11, Words(high_)));
    if (low_ < high_) {
      pieces.push_back(Text(kLeft - 10, Y(low_) + 4, "end", kQuiet, 11, Words(low_)));
    }
    for (size_t i = 0; i < dots_.size(); ++i) {
      if (dots_[i].begins_level) {
        pieces.push_back(El("line", {{"x1", PictureNumber(X(i))},
                                     {"x2", PictureNumber(X(i))},
                                     {"y1", PictureNumber(kTop - 8)},
                                     {"y2", PictureNumber(kBottom + 8)},
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
              {{"cx", PictureNumber(X(i))},
               {"cy", PictureNumber(Y(dots_[i].value))},
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
  const std::string title = absl::StrCat(TrendTitle(trend, value), " of ",
                                         shortened(reporter::FunctionName(text.function)));
  const std::string runs =
      plot.runs() == 1 ? "1 run" : absl::StrCat("the last ", plot.runs(), " runs");
  const Html svg = El("svg",
                      {{"xmlns", "http://www.w3.org/2000/svg"},
                       {"viewBox", absl::StrCat("0 0 ", kPictureWidth, " ", kPictureHeight)},
                       {"width", absl::StrCat(kPictureWidth)},
                       {"height", absl::StrCat(kPictureHeight)},
                       {"role", "img"}},
                      {El("title", {}, Html(title)),
                       El("rect", {{"width", absl::StrCat(kPictureWidth)},
                                   {"height", absl::StrCat(kPictureHeight)},
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
