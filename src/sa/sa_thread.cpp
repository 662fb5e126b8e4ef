#include "sa/sa_thread.h"

namespace weft {

SaThread::SaThread(SaOptions options, GmpTransport& transport, const Clock& clock)
    : transport_(transport),
      clock_(clock),
      server_(std::move(options), send_by(transport)),
      thread_([this] { run(); }) {}

SaThread::~SaThread() {
  stopping_ = true;
  transport_.wake();
  thread_.join();
}

void SaThread::publish(std::shared_ptr<const Snapshot> snapshot) {
  {
    const std::lock_guard lock(mutex_);
    published_ = std::move(snapshot);
  }
  transport_.wake();
}

void SaThread::set_options(SaOptions options) {
  {
    const std::lock_guard lock(mutex_);
    options_ = std::move(options);
  }
  transport_.wake();
}

void SaThread::on_trap(const Notice& notice) {
  {
    const std::lock_guard lock(mutex_);
    if (traps_.size() < kTrapsMax) traps_.push_back(notice);
  }
  transport_.wake();
}

std::optional<std::vector<FiledGroup>> SaThread::take_multicast_groups() {
  const std::lock_guard lock(mutex_);
  return std::exchange(groups_, std::nullopt);
}

void SaThread::hand_out_groups() {
  if (server_.multicast_version() == groups_handed_out_) return;
  groups_handed_out_ = server_.multicast_version();
  auto groups = server_.multicast_groups();
  const std::lock_guard lock(mutex_);
  groups_ = std::move(groups);
}

void SaThread::take_news() {
  std::optional<std::shared_ptr<const Snapshot>> published;
  std::optional<SaOptions> options;
  std::vector<Notice> traps;
  {
    const std::lock_guard lock(mutex_);
    published.swap(published_);
    options.swap(options_);
    traps.swap(traps_);
  }
  if (options) server_.set_options(std::move(*options));
  if (published) server_.publish(std::move(*published));
  for (const Notice& trap : traps) server_.on_trap(trap);
}

void SaThread::run() {
  while (!stopping_) {
    take_news();
    serve(server_, transport_, clock_);
    hand_out_groups();
    transport_.wait_until(server_.next_event());
  }
}

}  // namespace weft
