// Recognises a part of a program that was written anew. The essay is in rewrites.cc.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

// Functions are indices into MatchedTarget::functions.
struct Rewrite {
  std::string component;         // "json*", "ns::Parser::*" or a file
  std::vector<uint32_t> gone;    // only the base has them
  std::vector<uint32_t> came;    // only the head has them
  std::vector<uint32_t> stayed;  // of the component, on both sides
  // Of those that went and came: which does what the other did, as far as name, callers and callees
  // tell. Not all have one.
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
};

// A function is in one rewrite at most. Those with most functions come first.
std::vector<Rewrite> FindRewrites(const MatchedTarget& target);

}  // namespace gprofhub::reporter
