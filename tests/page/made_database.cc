#include "tests/page/made_database.h"

#include <cstddef>

namespace gprofhub::tests {

MadeProgram Database(const std::string& build, const Work& work) {
  MadeProgram program("query_test", build);
  const size_t main = program.Add("main", "db/query_test.cc", 12, 20);
  const size_t run = program.Add("_ZN2db5Query3RunEv", "db/query.cc", 40, 110);
  const size_t print = program.Add("_ZN2db10JsonWriter5PrintERKNS_5ValueE", "db/json.cc", 180, 240);
  const size_t append =
      program.Add("_ZN2db10JsonWriter6AppendEc", "db/json.cc", 60, work.appends / 400);
  const size_t grow = program.Add("_ZN2db10JsonWriter4GrowEm", "db/json.cc", 90, work.grows / 900);
  const size_t size = program.Add("_ZN2db6Memory4SizeEPKv", "db/memory.cc", 25, work.sizes / 1200);
  const size_t walk = program.Add("_ZN2db4Tree4WalkERKNS_4NodeE", "db/tree.cc", 70, 310);
  const size_t visit = program.Add("_ZN2db4Tree5VisitERKNS_4NodeE", "db/tree.cc", 110, 95);
  const size_t compare = program.Add("_ZN2db3Key7CompareERKS0_", "db/key.cc", 15, 420);
  const size_t hash = program.Add("_ZNSt8__detail9HashTable4FindEm", "db/table.cc", 33, 77);
  program.Start(main);
  program.Call(main, run, 1000);
  program.Call(run, print, 1000);
  program.Call(run, walk, 4000);
  program.Call(print, append, work.appends);
  program.Call(append, grow, work.grows);
  program.Call(run, size, work.sizes);
  program.Call(walk, visit, 61'000);
  program.Call(visit, walk, 57'000);
  program.Call(visit, compare, 940'000);
  program.Call(walk, walk, 2'000);
  program.Call(run, hash, 31'000);
  if (work.has_cache) {
    const size_t cache = program.Add("_ZN2db9JsonCache3GetERKNS_3KeyE", "db/json_cache.cc", 51, 60);
    program.Call(run, cache, 12'000);
    program.Call(cache, compare, 24'000);
  }
  return program;
}

}  // namespace gprofhub::tests
