// Names this process among all that work on one store.
#pragma once

#include <string>

namespace gprofhub::cli {

// "host/pid".
std::string ProcessName();

}  // namespace gprofhub::cli
