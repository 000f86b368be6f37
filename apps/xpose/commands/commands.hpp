// The subcommands.
#pragma once

#include "options/options.hpp"

namespace xpose::app {

// Each returns an exit code or throws UsageError or xpose::Error.
int tune(const Arguments& arguments);
int run(const Arguments& arguments);
int bench(const Arguments& arguments);
int explain(const Arguments& arguments);
int plugins(const Arguments& arguments);
int check(const Arguments& arguments);
int cache(const Arguments& arguments);
int lab(const Arguments& arguments);
int route(const Arguments& arguments);
int doctor(const Arguments& arguments);
int complete(const Arguments& arguments);
int new_plugin(const Arguments& arguments);
int manual(const Arguments& arguments);

}  // namespace xpose::app
