// Files of this folder's tests.
#pragma once

#include <string>

namespace gprofhub::ci {

// Content of testdata/<name>; aborts the test program if it is missing.
std::string ReadTestFile(const std::string& name);

// Path of testdata/<name> or of another file of this folder.
std::string TestPath(const std::string& name);

// A fresh, empty folder.
std::string MakeTestFolder(const std::string& name);

// Writes a file, making the folders above it.
void WriteTestFile(const std::string& path, const std::string& bytes);

}  // namespace gprofhub::ci
