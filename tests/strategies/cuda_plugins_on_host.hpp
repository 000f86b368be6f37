// The strategies of every CUDA plugin, run by the host: pointers are host pointers, and a launch
// has finished when it returns.
#pragma once

#include <xpose/plugin.h>

#include <vector>

std::vector<const xpose_strategy*> cuda_strategies_on_host();
