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

std::optional<AliasGuids> SaThread::take_alias_guids() {
  const std::lock_guard lock(mutex_);
  return std::exchange(aliases_, std::nullopt);
}

void SaThread::ask_for_dump() {
  {
    const std::lock_guard lock(mutex_);
    dump_wanted_ = true;
  }
  transport_.wake();
}

std::optional<std::string> SaThread::take_dump() {
  const std::lock_guard lock(mutex_);
  return std::exchange(dump_, std::nullopt);
}

void SaThread::hand_out() {
  auto groups = server_.take_multicast_groups();
  auto aliases = server_.take_alias_guids();
  if (!groups && !aliases) return;
  const std::lock_guard lock(mutex_);
  if (groups) groups_ = std::move(groups);
  if (aliases) aliases_ = std::move(aliases);
}

void SaThread::take_news() {
  std::optional<std::shared_ptr<const Snapshot>> published;
  std::optional<SaOptions> options;
  std::vector<Notice> traps;
  bool dump_wanted = false;
  {
    const std::lock_guard lock(mutex_);
    published.swap(published_);
    options.swap(options_);
    traps.swap(traps_);
    dump_wanted = std::exchange(dump_wanted_, false);
  }
  if (options) server_.set_options(std::move(*options));
  if (published) server_.publish(std::move(*published));
  for (const Notice& trap : traps) server_.on_trap(trap);
  if (!dump_wanted) return;
  std::string dump = server_.dump(clock_.now());
  const std::lock_guard lock(mutex_);
  dump_ = std::move(dump);
}

void SaThread::run() {
  while (!stopping_) {
    take_news();
    serve(server_, transport_, clock_);
    hand_out();
    transport_.wait_until(server_.next_event());
  }
}

}  // namespace weft
