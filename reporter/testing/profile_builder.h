// Builds synthetic computed profiles, for tests.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "profile/computed.h"
#include "profile/demangle.h"

namespace gprofhub::reporter {

// Functions are identified by name; arcs add to their callee's calls.
class ProfileBuilder {
 public:
  ProfileBuilder() {
    profile_.sample_rate = 100;
    profile_.profiles = 1;
  }

  ProfileBuilder& Repetitions(uint32_t repetitions) {
    profile_.repetitions = repetitions;
    return *this;
  }

  ProfileBuilder& Function(const std::string& name, double self_samples = 0,
                           double child_samples = 0, const std::string& file = "src/a.cc",
                           uint32_t line = 1, bool is_static = false) {
    profile::FunctionCost function;
    function.name = String(name);
    function.file = String(file);
    function.line = line;
    function.is_static = is_static;
    function.self_samples = self_samples;
    function.child_samples = child_samples;
    row_[name] = static_cast<uint32_t>(profile_.functions.size());
    profile_.functions.push_back(function);
    profile_.total_samples += self_samples;
    return *this;
  }

  // Code size in bytes of the last function.
  ProfileBuilder& Size(uint64_t bytes) {
    profile_.functions.back().size = bytes;
    return *this;
  }

  // Code digest of the last function.
  ProfileBuilder& Code(uint32_t digest) {
    profile_.functions.back().code = digest;
    return *this;
  }

  // What the last function asks for.
  ProfileBuilder& Asks(uint8_t asks) {
    profile_.functions.back().asks = asks;
    return *this;
  }

  // A function that was inlined into the last function.
  ProfileBuilder& Inlines(const std::string& name) {
    profile_.inlined.push_back(
        {static_cast<uint32_t>(profile_.functions.size() - 1), profile::NameHash(name)});
    return *this;
  }

  // Another name of the last function.
  ProfileBuilder& Alias(const std::string& name) {
    profile_.aliases.push_back(
        {static_cast<uint32_t>(profile_.functions.size() - 1), String(name)});
    return *this;
  }

  // File name of the object that contains the last function.
  ProfileBuilder& Object(const std::string& name) {
    profile_.functions.back().image = String(name);
    return *this;
  }

  // Toolchain of the last function, and whether none of its calls was inlined.
  ProfileBuilder& Toolchain(const std::string& name, bool never_inlined = false) {
    profile_.functions.back().toolchain = String(name);
    profile_.functions.back().never_inlined = never_inlined;
    return *this;
  }

  // An empty caller: kSpontaneous.
  ProfileBuilder& Arc(const std::string& caller, const std::string& callee, uint64_t count,
                      uint32_t line = 10, uint64_t offset = 0) {
    pending_.push_back({caller, callee, count, line, offset, ""});
    return *this;
  }

  // The last arc's call stands in this file, from which code was inlined into the caller.
  ProfileBuilder& InlinedFrom(const std::string& file) {
    pending_.back().file = file;
    return *this;
  }

  profile::ComputedProfile Build() const {
    profile::ComputedProfile profile = profile_;
    const auto none = static_cast<uint32_t>(profile.functions.size());
    for (const Pending& pending : pending_) {
      profile::ArcCost arc;
      arc.caller = pending.caller.empty() ? none : row_.at(pending.caller);
      arc.callee = row_.at(pending.callee);
      arc.count = pending.count;
      arc.site_line = pending.line;
      arc.site_offset = pending.offset;
      if (arc.caller != none) arc.site_file = profile.functions[arc.caller].file;
      if (!pending.file.empty()) {
        arc.site_file = static_cast<uint32_t>(profile.strings.size());
        profile.strings.push_back(pending.file);
      }
      profile::FunctionCost& callee = profile.functions[arc.callee];
      (arc.caller == arc.callee ? callee.self_calls : callee.calls) += pending.count;
      profile.arcs.push_back(arc);
    }
    return profile;
  }

 private:
  struct Pending {
    std::string caller, callee;
    uint64_t count;
    uint32_t line;
    uint64_t offset;
    std::string file;  // empty: the caller's
  };

  uint32_t String(const std::string& text) {
    const auto [entry, inserted] =
        strings_.try_emplace(text, static_cast<uint32_t>(profile_.strings.size()));
    if (inserted) profile_.strings.push_back(text);
    return entry->second;
  }

  profile::ComputedProfile profile_;
  std::map<std::string, uint32_t> row_;
  std::map<std::string, uint32_t> strings_ = {{"", 0}};
  std::vector<Pending> pending_;
};

}  // namespace gprofhub::reporter
