#include "report_output.hpp"

#include <stdexcept>

#include "exit_cleanup.hpp"
#include "pending_file.hpp"

namespace xpose::app {

struct ReportOutput::File {
  explicit File(const std::string& target) : pending(target) {}
  ExitCleanup cleanup;
  PendingFile pending;
};

ReportOutput::ReportOutput(const std::string& target) try {
  if (!target.empty()) file_ = std::make_unique<File>(target);
} catch (const std::runtime_error& error) {
  throw std::runtime_error("--report " + std::string(error.what()));
}

ReportOutput::~ReportOutput() = default;

void ReportOutput::write(std::string_view page) {
  file_->pending.write(page);
  file_->pending.commit();
}

void ReportOutput::abandon() noexcept { unlink_pending_output(); }

}  // namespace xpose::app
