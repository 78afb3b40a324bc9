// A trend as a picture by itself: for comments, where nothing stands beside it.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "page/charts/trend_dots.h"
#include "proto/query.pb.h"

namespace gprofhub::page {

struct TrendPictureText {
  std::string function;  // as people read it
  std::string target;
  std::string base_commit, head_commit;
};

// An SVG document of 640 by 170 pixels with its own ground: it is read on light pages and on dark
// ones. It needs no style, script or font from anywhere. Names are cut and escaped. Without a value
// it says so.
std::string TrendPictureSvg(const TrendPictureText& text, const v1::GetTrendResponse& trend,
                            TrendValue value);

}  // namespace gprofhub::page
