#include "profile/recording/site_counts.h"

#include <cstddef>
#include <utility>

namespace gprofhub::profile {
namespace {

uint64_t WordsOf(const gprofhub_site& site) {
  switch (site.kind) {
    case GPROFHUB_SITE_CALL:
    case GPROFHUB_SITE_ENTRY:
      return 1;
    case GPROFHUB_SITE_INDIRECT:
    case GPROFHUB_SITE_TAIL:
      return 2 * GPROFHUB_SITE_CALLEES;
    default:
      return 0;
  }
}

// For a block's sites: this one adds to the sum of the preceding ones.
bool Continues(const gprofhub_site& site) {
  return site.kind == GPROFHUB_SITE_BLOCK_PLUS || site.kind == GPROFHUB_SITE_BLOCK_MINUS;
}

// Adds the value of a block's site to that of the preceding ones. Unsigned, so that an overflow in
// a damaged file is defined. False: it has no word.
bool AddToBlock(const gprofhub_site& site, const std::vector<uint64_t>& totals,
                uint64_t& executed) {
  if (site.kind == GPROFHUB_SITE_BLOCK) executed = 0;
  if (site.kind == GPROFHUB_SITE_BLOCK_ALSO || totals.empty()) return true;
  if (site.counter >= totals.size()) return false;
  const uint64_t runs = totals[site.counter];
  executed += site.kind == GPROFHUB_SITE_BLOCK_MINUS ? 0 - runs : runs;
  return true;
}

// By word: the sum over threads. Blocks share words only in these sums, and a call's word belongs
// to one site: so AddSites is linear.
std::vector<uint64_t> TotalsOf(const std::vector<SiteCounts::Words>& threads) {
  std::vector<uint64_t> totals(threads.empty() ? 0 : threads.front().counted.size());
  for (const SiteCounts::Words& thread : threads) {
    for (size_t at = 0; at < totals.size(); ++at) totals[at] += thread.Count(at);
  }
  return totals;
}

// Calls visit(address, calls) for each pair of words that begins at `counter`.
template <typename Visit>
void ForEachPair(const std::vector<SiteCounts::Words>& threads, uint64_t counter, Visit visit) {
  for (const SiteCounts::Words& thread : threads) {
    for (uint64_t at = counter; at < counter + 2 * GPROFHUB_SITE_CALLEES; at += 2) {
      const uint64_t calls = thread.Count(at + 1);
      if (calls > 0) visit(thread.counted[at], calls);
    }
  }
}

// Whether each site has the number of words that its kind needs, and shares them with no other.
bool HaveWordsOfTheirOwn(const std::vector<gprofhub_site>& sites, size_t words) {
  std::vector<bool> taken(words);
  for (const gprofhub_site& site : sites) {
    const uint64_t end = site.counter + WordsOf(site);
    for (uint64_t at = site.counter; at < end; ++at) {
      if (at >= words || taken[at]) return false;
      taken[at] = true;
    }
  }
  return true;
}

}  // namespace

bool SiteCounts::AddWords(uint32_t set, Words words) {
  std::vector<Words>& threads = sets_[set].threads;
  const size_t size = words.counted.size();
  if (!threads.empty() && threads.front().counted.size() != size) return false;
  if (!words.excluded.empty() && words.excluded.size() != size) return false;
  threads.push_back(std::move(words));
  return true;
}

bool SiteCounts::AddSites(uint32_t set, uint64_t base, const std::vector<gprofhub_site>& sites) {
  Set& words = sets_[set];
  if (words.described) return false;
  words.described = true;
  const std::vector<uint64_t> totals = TotalsOf(words.threads);
  if (!words.threads.empty() && !HaveWordsOfTheirOwn(sites, totals.size())) return false;
  const auto total = [&totals](uint64_t at) { return totals.empty() ? 0 : totals[at]; };
  uint64_t executed = 0;  // by the block that these sites describe
  for (size_t i = 0; i < sites.size(); ++i) {
    const gprofhub_site& site = sites[i];
    const uint64_t self = base + static_cast<uint64_t>(int64_t{site.self});
    const uint64_t from = base + static_cast<uint64_t>(int64_t{site.from});
    switch (site.kind) {
      case GPROFHUB_SITE_CALL:
        if (const uint64_t calls = total(site.counter)) arcs_.push_back({from, self, calls});
        break;
      case GPROFHUB_SITE_INDIRECT:
        indirect_sites_.insert(from);
        ForEachPair(words.threads, site.counter, [&](uint64_t callee, uint64_t calls) {
          arcs_.push_back({from, callee, calls});
        });
        break;
      case GPROFHUB_SITE_TAIL:
        ForEachPair(words.threads, site.counter, [&](uint64_t caller, uint64_t calls) {
          arcs_.push_back({caller, self, calls});
        });
        break;
      case GPROFHUB_SITE_ENTRY:
        AddFunction(self).entered += total(site.counter);
        break;
      case GPROFHUB_SITE_FUNCTION:
        AddFunction(self);
        break;
      case GPROFHUB_SITE_BLOCK:
      case GPROFHUB_SITE_BLOCK_PLUS:
      case GPROFHUB_SITE_BLOCK_MINUS:
      case GPROFHUB_SITE_BLOCK_ALSO: {
        if (!AddToBlock(site, totals, executed)) return false;
        const bool more = i + 1 < sites.size() && Continues(sites[i + 1]);
        if (!more && static_cast<int64_t>(executed) > 0) blocks_.push_back({self, executed});
        break;
      }
      default:
        break;
    }
  }
  return true;
}

SiteCounts::Function& SiteCounts::AddFunction(uint64_t self) {
  const auto [function, is_new] = functions_.try_emplace(self);
  if (is_new) function_order_.push_back(self);
  return function->second;
}

bool SiteCounts::AddTableArc(uint64_t from, uint64_t self, uint64_t count) {
  const auto function = functions_.find(self);
  if (function == functions_.end()) {
    return !indirect_sites_.contains(from) && (from & GPROFHUB_TAIL_CONTEXT) == 0;
  }
  function->second.called += count;
  return true;
}

std::vector<CountedArc> SiteCounts::Arcs() const {
  std::vector<CountedArc> arcs;
  absl::flat_hash_map<uint64_t, uint64_t> called;
  for (const CountedArc& arc : arcs_) {
    if (!functions_.contains(arc.self)) continue;
    called[arc.self] += arc.count;
    arcs.push_back(arc);
  }
  for (uint64_t self : function_order_) {
    const Function& function = functions_.at(self);
    const uint64_t known = function.called + (called.contains(self) ? called.at(self) : 0);
    // A process that was killed, or still runs, may be between call and entry.
    if (function.entered > known) {
      arcs.push_back({GPROFHUB_CALLER_UNKNOWN, self, function.entered - known});
    }
  }
  return arcs;
}

}  // namespace gprofhub::profile
