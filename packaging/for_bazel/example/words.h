#pragma once

#include <string>

// Words of the text, which single blanks separate.
int CountWords(const std::string& text);
