// A small program's symbols and profiles, for tests.
#pragma once

#include <cstdint>
#include <string>

#include "profile/raw_profile.h"
#include "profile/symbols.h"

namespace gprofhub::profile {

// An x86_64 image of three functions, main, parse and sum, at 0x1000 to 0x1300,
// whose build-id is derived from `seed`.
SymbolTable SampleSymbols(uint32_t seed);

// The profile of a process of it: main calls parse `calls` times, which calls sum twice as often;
// samples in all three.
RawProfile SampleProfile(uint64_t calls);

// Their bytes, as a client sends them.
std::string SampleBundle(uint32_t seed);
std::string SampleGmon(uint64_t calls);

}  // namespace gprofhub::profile
