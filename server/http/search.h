// Pages that find: the search, the list of runs, and the comparison of two chosen runs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "page/views/search.h"
#include "server/http/function_page.h"
#include "server/http/page_request.h"

namespace gprofhub::server {

// Of a searched text.
inline constexpr size_t kMostSearchBytes = 200;

// Functions and targets of the latest run, runs, commits, pull requests and branches whose names
// have every word of the text, at most `limit` of each kind. INVALID_ARGUMENT for a text that is
// too long; the store's errors.
absl::StatusOr<std::vector<page::SearchGroup>> Search(const PageStore& store,
                                                      const std::string& project,
                                                      absl::string_view text, size_t limit);

absl::StatusOr<PageAnswer> SearchPage(PageCall& call);
absl::StatusOr<PageAnswer> RunsPage(PageCall& call);

// Redirects to the comparison of the two runs that a list's form names (page::RunsTable); the older
// one is the base. INVALID_ARGUMENT for another number of runs.
absl::StatusOr<PageAnswer> CompareChosenPage(PageCall& call);

}  // namespace gprofhub::server
