// A trend as a self-contained picture, for comments.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "page/html.h"
#include "proto/findings.pb.h"
#include "proto/query.pb.h"

namespace gprofhub::page {

// Sparklines drawn by the server: values from run to run as dots. Each is placed next to a table or
// a sentence with the same values.

struct HistoryDot {
  enum class Mark { kNone, kBase, kHead };
  double value = 0;
  Mark mark = Mark::kNone;
  bool begins_level = false;  // a new level begins here
  std::string hint = {};      // tooltip
};

// An SVG of the dots in their order, on one scale. It has a title for screen readers and no style
// of its own. NaN values are left out. Empty without values.
Html HistoryDots(absl::string_view title, const std::vector<HistoryDot>& dots);

// Which pages of a program's text contain executed code, as squares.

// An SVG with a square for each page of 4 KiB, row by row; those that are true are filled. `title`
// is for screen readers; the SVG has no style of its own. At most 8,192 pages are drawn.
Html PageStrip(absl::string_view title, const std::vector<bool>& pages);

// A trend as chart dots.

enum class TrendValue { kCalls, kSelfTime, kTotalTime };

// What the finding is about; nullopt: a trend has no such value.
std::optional<TrendValue> TrendValueOf(const v1::Finding& finding);

// "Calls", "Self time", "Total time".
std::string TrendTitle(const v1::GetTrendResponse& trend, TrendValue value);

// The newest `most` points, oldest first; those of the two commits are marked.
std::vector<HistoryDot> DotsOf(const v1::GetTrendResponse& trend, TrendValue value,
                               absl::string_view base_commit, absl::string_view head_commit,
                               size_t most);

// "239,477 calls", "0.31 s".
std::string ValueWordsOf(const v1::GetTrendResponse& trend, TrendValue value, double number);

struct TrendPictureText {
  std::string function;  // demangled
  std::string target;
  std::string base_commit, head_commit;
};

// An SVG document of 640 by 170 pixels with its own background, readable on light and dark pages.
// It needs no external style, script or font. Names are shortened and escaped. Without a value it
// shows a message.
std::string TrendPictureSvg(const TrendPictureText& text, const v1::GetTrendResponse& trend,
                            TrendValue value);

}  // namespace gprofhub::page
