// Exceptions, thrown in the program and through a library, and memory of C++.
//
//     exceptions ROUNDS
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>

#include "tests/runtime/library_calls/library.h"

extern "C" {

NI int Throw(int depth) {
  if (depth == 0) throw std::runtime_error("thrown");
  return Throw(depth - 1) + 1;
}

NI bool Catch() {
  try {
    Throw(5);
  } catch (const std::runtime_error&) {
    return true;
  }
  return false;
}

NI void ThrowBack(void*) { throw 7; }

// The exception passes the library's function.
NI bool CatchFromLibrary() {
  try {
    call_back(ThrowBack, nullptr, 3);
  } catch (int value) {
    return value == 7;
  }
  return false;
}

NI int* Make() { return new int(5); }
NI void Drop(int* made) { delete made; }

}  // extern "C"

int main(int argc, char** argv) {
  if (argc != 2) return 64;
  for (int i = 0; i < std::atoi(argv[1]); ++i) {
    if (!Catch() || !CatchFromLibrary()) return 1;
    Drop(Make());
  }
  std::puts("ok");
  return 0;
}
