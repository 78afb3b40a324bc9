#include "profile/testing/recording_file.h"

#include <fstream>
#include <sstream>

namespace gprofhub::profile {

std::string OrderlyRecording() {
  std::ifstream file("tests/fuzz/corpus/recording_reader/orderly_with_stacks", std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

}  // namespace gprofhub::profile
