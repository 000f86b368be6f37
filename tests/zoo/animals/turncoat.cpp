// Right, until its file is exchanged for turncoat_exchanged.
#include "../animal.hpp"

ZOO_ANIMAL(zoo::Animal)
