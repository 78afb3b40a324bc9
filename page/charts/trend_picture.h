// A trend as a self-contained picture, for comments.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "page/charts/trend_dots.h"
#include "proto/query.pb.h"

namespace gprofhub::page {

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
