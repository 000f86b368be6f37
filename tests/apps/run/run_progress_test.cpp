#include "run/run_progress.hpp"

#include <gtest/gtest.h>

namespace xpose::app {
namespace {

TEST(RunProgressText, HasTheRateAndTheTimeThatIsLeft) {
  EXPECT_EQ(progress_text(1'000'000'000, 4'000'000'000, 2), "1.00 of 4.00 GB, 500 MB/s, 6 s left");
  EXPECT_EQ(progress_text(4'000'000'000, 4'000'000'000, 8), "4.00 of 4.00 GB, 500 MB/s, 0 s left");
}

TEST(RunProgressText, SaysBeforeTheFirstTileWhatIsDone) {
  EXPECT_EQ(progress_text(0, 4'000'000'000, 3), "0 of 4.00 GB, choosing and reading, 3 s");
}

}  // namespace
}  // namespace xpose::app
