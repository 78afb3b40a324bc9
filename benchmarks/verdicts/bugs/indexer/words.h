#pragma once

#include <string>
#include <string_view>
#include <vector>

std::vector<std::string_view> Split(std::string_view text);
bool IsDate(const std::string& word);
bool IsStopWord(std::string_view word);
int WeightOf(std::string_view word);
std::string Escape(const std::string& text);
