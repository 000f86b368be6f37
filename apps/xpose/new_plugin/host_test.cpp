// The strategy my_idea as a caller meets it: my_idea_test FOLDER_OF_THE_PLUGIN.
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>
#include <xpose/xpose.hpp>

int main(int count, char** arguments) {
  if (count != 2) return 2;
  xpose::EngineOptions options;
  options.plugin_folders = {arguments[1]};  // this plugin alone
  options.remember = false;
  xpose::Engine engine(options);

  constexpr std::int64_t kRows = 67, kCols = 131;
  std::vector<std::uint32_t> in(kRows * kCols), out(in.size());
  std::iota(in.begin(), in.end(), 1u);
  const xpose::Plan plan = engine.plan(xpose::matrix(kRows, kCols, sizeof(std::uint32_t)),
                                       {.policy = xpose::Policy::estimate});
  plan.execute(in.data(), out.data());

  for (std::int64_t r = 0; r < kRows; ++r)
    for (std::int64_t c = 0; c < kCols; ++c)
      if (out[c * kRows + r] != in[r * kCols + c]) {
        std::printf("%s: element (%d, %d) of the input is not at its place\n",
                    to_string(plan.variant()).c_str(), static_cast<int>(r), static_cast<int>(c));
        return 1;
      }
  std::printf("%s is right\n", to_string(plan.variant()).c_str());
}
