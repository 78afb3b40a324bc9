// The query service's methods, from bytes to the response, on a store with one analysed run: the
// first byte selects the method, the rest is its message.

#include <cstdint>
#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "server/queries/query_methods.h"
#include "tests/fuzz/calls/called_method.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gprofhub;
  static const store::Store& store = tests::FuzzedStore();
  static base::MemoryBudget decoding(uint64_t{768} << 20);
  static const std::vector<collector::Method> methods =
      server::QueryMethods(store.reading, store.blobs, decoding, store.gate).value();
  if (size == 0) return 0;
  (void)tests::Call(methods[data[0] % methods.size()],
                    {std::string(reinterpret_cast<const char*>(data) + 1, size - 1)});
  return 0;
}
