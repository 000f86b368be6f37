// A command as a shell takes it.
#pragma once

#include <string>
#include <vector>

namespace xpose::app {

// One word, in quotes where the shell would read more than a word in it; on one line whatever it
// contains.
std::string shell_word(const std::string& word);

// The words, each quoted so, with a space between two.
std::string shell_command(const std::vector<std::string>& words);

}  // namespace xpose::app
