// What pages are made from.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/memory/kept_values.h"
#include "cli/serve/http/visits/login_issuer.h"
#include "page/flame/stack_tree.h"
#include "page/words/source_links.h"
#include "reporter/queries/blob_reader.h"
#include "reporter/queries/query_memory.h"
#include "store/gate_records.h"
#include "store/invocations/invocations.h"
#include "store/reading.h"

namespace gprofhub::cli {

// A target's call stacks, as a page shows them; perhaps beside those of another run.
struct FlameGraph {
  bool is_measured = false;            // recorded; false: made of the call graph
  uint32_t repetitions = 1;            // executions of the target that the values are of
  std::vector<page::StackCost> costs;  // most first; values are in millionths of a second
  std::string json;                    // page::StackTreeJson
};

// What pages leave for those that come after them: several parts of a page ask for the same, and so
// does whoever follows a link. It is made of blobs, and kept by their names.
struct PageMemory {
  static constexpr uint64_t kDefaultBytes = uint64_t{96} << 20;

  // Of all kinds together: reports and profiles have a quarter each.
  explicit PageMemory(uint64_t bytes)
      : queries(bytes / 4),
        files(bytes / 8, [](const std::string& text) { return text.capacity(); }),
        flames(bytes / 8 * 3, [](const FlameGraph& flame) {
          return flame.json.capacity() + flame.costs.size() * sizeof(page::StackCost);
        }) {}

  reporter::QueryMemory queries;
  base::KeptValues<std::string> files;
  base::KeptValues<FlameGraph> flames;
};

// The parts of the store that pages read.
struct PageStore {
  store::Reading reading;
  reporter::BlobReader blobs;
  store::GateRecords gate;
  store::Invocations invocations;
  std::shared_ptr<PageMemory> memory = std::make_shared<PageMemory>(PageMemory::kDefaultBytes);
};

// A file's text at a commit of the project. NOT_FOUND, or why it cannot be had now.
using ReadSource = std::function<absl::StatusOr<std::string>(
    const std::string& project, const std::string& commit, const std::string& path)>;

struct PageSources {
  PageStore store;
  page::SourceLinksByProject links;
  ReadSource read_source = nullptr;              // null: there is no source to be had
  std::shared_ptr<LoginIssuer> login = nullptr;  // where people log in; null: with tokens only
};

}  // namespace gprofhub::cli
