// A trend as chart dots.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "page/charts/history.h"
#include "proto/query.pb.h"

namespace gprofhub::page {

enum class TrendValue { kCalls, kSelfTime };

// The newest `most` points, oldest first; those of the two commits are marked.
std::vector<HistoryDot> DotsOf(const v1::GetTrendResponse& trend, TrendValue value,
                               absl::string_view base_commit, absl::string_view head_commit,
                               size_t most);

// "239,477 calls", "0.31 s".
std::string ValueWordsOf(const v1::GetTrendResponse& trend, TrendValue value, double number);

}  // namespace gprofhub::page
