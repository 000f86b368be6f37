// Closes the channel between the worker and its host.
#include "../animal.hpp"

static void close_channel() { close(3); }

ZOO_ACT(close_channel)
