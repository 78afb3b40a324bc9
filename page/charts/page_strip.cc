#include "page/charts/page_strip.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"

namespace gprofhub::page {
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

}  // namespace gprofhub::page
