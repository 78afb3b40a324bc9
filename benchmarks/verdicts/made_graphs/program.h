// A program as a model: functions with data-dependent behaviour.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gprofhub::benchmarks {

// Argument of a call. Equal values lead to equal behaviour, except for the program's state.
struct Value {
  uint64_t tag = 0;
  uint32_t size = 0;
};

enum class Does {
  kCall,    // of one of `callees`, by the value: several are a virtual call
  kLoop,    // `body`, once for each element
  kIf,      // `body`, or else `otherwise`
  kReturn,  // if the condition holds
  kLookup,  // `body` if a cache does not have the value
  kAppend,  // to a list, which stays
};

// Argument of a call: its caller's value, a smaller one, one derived from it, or a constant, as a
// flag or a table is.
enum class Pass { kSame, kSmaller, kOther, kFixed };

enum class Holds {
  kForSome,    // for `limit` percent of the values
  kIfLarger,   // the value's size is above `limit`
  kNowAndThen  // when the sizes seen since it last held add up to `limit`, as a collector's
};

enum class Trips {
  kConstant,
  kSize,
  kByValue,
  kList
};  // `limit`, its size, 1 to `limit`, a list's

struct Step {
  Does does = Does::kCall;
  std::vector<uint32_t> callees;
  Pass pass = Pass::kSame;
  Holds holds = Holds::kForSome;
  Trips trips = Trips::kConstant;
  uint32_t limit = 0;
  uint32_t kept = 0;  // which cache, list or sum is meant
  uint64_t salt = 0;
  std::vector<Step> body, otherwise;
  uint32_t line = 0;
  bool edited = false;  // the planted change directly alters how often this call is made
};

struct Function {
  std::string name, file;
  uint32_t line = 0;
  uint64_t size = 0;  // bytes of code; 0: unknown
  uint32_t code = 1;  // digest of it
  double cost = 0;    // of one call of it, in itself, but for its steps
  std::vector<Step> body;
};

struct Program {
  std::vector<Function> functions;
  std::vector<uint32_t> tests;  // by target: the function that is the test
  uint32_t kept = 0;            // how many caches, lists and sums there are
};

// Gives every function and step its line, in their files' order.
void NumberLines(Program& program);

// Adds the calls in these steps, and in what is within them.
void CallsIn(std::vector<Step>& steps, std::vector<Step*>& calls);

}  // namespace gprofhub::benchmarks
