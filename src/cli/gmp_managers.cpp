#include "cli/gmp_managers.h"

namespace weft::cli {

GmpManagers::GmpManagers(GmpTransport* counters, const Clock& clock, bool own_threads,
                         const PerformanceOptions& performance)
    : own_threads_(own_threads) {
  if (counters == nullptr) return;
  performance_ = std::make_unique<ManagerHost<PerformanceManager>>(
      std::make_unique<PerformanceManager>(*counters, clock, performance), *counters);
  if (own_threads) performance_->start();
}

void GmpManagers::step(const SubnetManager& sm) {
  if (auto snapshot = sm.snapshot(); snapshot != published_) {
    published_ = snapshot;
    if (performance_)
      performance_->post([snapshot](PerformanceManager& manager) { manager.publish(snapshot); });
  }
  if (performance_ && !own_threads_) performance_->step();
}

void GmpManagers::set_options(const PerformanceOptions& performance) {
  if (performance_)
    performance_->post(
        [performance](PerformanceManager& manager) { manager.set_options(performance); });
}

}  // namespace weft::cli
