// Data sources of pages.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/memory/kept_values.h"
#include "cli/serve/http/visits/login_issuer.h"
#include "cli/serve/texts/read_source.h"
#include "page/flame/stack_tree.h"
#include "page/words/source_links.h"
#include "reporter/queries/blob_reader.h"
#include "reporter/queries/query_memory.h"
#include "store/gate_records.h"
#include "store/invocations/invocations.h"
#include "store/reading.h"

namespace gprofhub::cli {

// A target's call stacks as a page shows them, optionally compared with those of another run.
struct FlameGraph {
  bool is_measured = false;            // recorded; false: estimated from the call graph
  uint32_t repetitions = 1;            // executions of the target that the values are of
  std::vector<page::StackCost> costs;  // most first; values are in millionths of a second
  std::string json;                    // page::StackTreeJson
};

// Cache shared by pages: several parts of a page need the same data, and so do linked pages. It is
// computed from blobs, and keyed by their names.
struct PageMemory {
  static constexpr uint64_t kDefaultBytes = uint64_t{96} << 20;

  // Of all kinds together: reports and profiles have a quarter each.
  explicit PageMemory(uint64_t bytes)
      : queries(bytes / 4), flames(bytes / 2, [](const FlameGraph& flame) {
          return flame.json.capacity() + flame.costs.size() * sizeof(page::StackCost);
        }) {}

  reporter::QueryMemory queries;
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

// Pictures for comments (reporter/posting/picture_link.h).
struct Pictures {
  std::string key;  // that signs addresses; empty: no signed addresses
  std::function<absl::Time()> now = absl::Now;
};

// For visitors who see a project's profiles only because they are public (Visits::PermitSource).
inline constexpr char kSourceIsClosed[] =
    "Anybody may see this project's profiles. Its source is open to its readers: log in to see it.";

struct PageSources {
  PageStore store;
  page::SourceLinksByProject links;
  ReadSource read_source = nullptr;              // null: source is unavailable
  std::shared_ptr<LoginIssuer> login = nullptr;  // where people log in; null: with tokens only
  Pictures pictures = {};
  // Time of the data in the replica that is read; null: it reads the primary.
  std::function<std::optional<absl::Time>()> as_of = nullptr;
};

// The same as text, UTC; empty: the data is current.
inline std::string AsOfText(const PageSources& sources, absl::string_view format) {
  const std::optional<absl::Time> as_of = sources.as_of ? sources.as_of() : std::nullopt;
  return as_of.has_value() ? absl::FormatTime(format, *as_of, absl::UTCTimeZone()) : "";
}

}  // namespace gprofhub::cli
