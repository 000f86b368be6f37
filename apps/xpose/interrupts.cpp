#include "interrupts.hpp"

#include <csignal>

#include "report_output.hpp"

namespace xpose::app {
namespace {

volatile std::sig_atomic_t interrupts = 0;

void on_second_interrupt(int signal) {
  ReportOutput::abandon();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void on_interrupt(int signal) {
  interrupts = 1;
  std::signal(signal, on_second_interrupt);
}

}  // namespace

Interrupts::Interrupts() { std::signal(SIGINT, on_interrupt); }
Interrupts::~Interrupts() { std::signal(SIGINT, SIG_DFL); }
bool Interrupts::met() { return interrupts != 0; }

}  // namespace xpose::app
