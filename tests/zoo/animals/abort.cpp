// Aborts.
#include "../animal.hpp"

ZOO_ACT(std::abort)
