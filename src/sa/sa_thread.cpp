// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/sa_thread.h"

#include "sa/paths/paths.h"

namespace weft {
namespace {

/// Whether the request takes only microseconds for any size of the subnet, and changes nothing.
bool is_quick(const Gmp& gmp) {
  using namespace sa::path_bit;
  if (gmp.method != Method::kGet || rmpp_header(gmp).active ||
      gmp.attribute != static_cast<std::uint16_t>(SaAttribute::kPathRecord))
    return false;
  const auto names = [mask = sa_header(gmp).component_mask](unsigned gid, unsigned lid) {
    return (mask >> gid & 1) != 0 || (mask >> lid & 1) != 0;
  };
  return names(kSgid, kSlid) && names(kDgid, kDlid);
}

}  // namespace

SaThread::SaThread(SaOptions options, GmpTransport& transport, const Clock& clock)
    : transport_(transport),
      clock_(clock),
      newest_options_(options),
      server_(std::move(options), send_by(transport)),
      thread_([this] { run(); }) {}

SaThread::~SaThread() {
  stopping_ = true;
  transport_.wake();
  thread_.join();
}

void SaThread::publish(std::shared_ptr<const Snapshot> snapshot) {
  std::shared_ptr<SaView> view;
  if (snapshot) view = SaView::make_after(newest_view_.get(), std::move(snapshot), newest_options_);
  std::vector<std::shared_ptr<const SaView>> replaced;  // freed after the lock is released
  newest_view_ = view;
  {
    const std::lock_guard lock(mutex_);
    if (!view) has_subnet_ = false;
    published_ = std::move(view);
    replaced.swap(replaced_);
  }
  transport_.wake();
}

void SaThread::set_options(SaOptions options) {
  newest_options_ = options;
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

std::optional<GroupChanges> SaThread::take_multicast_groups() {
  const std::lock_guard lock(mutex_);
  return std::exchange(groups_, std::nullopt);
}

std::optional<AliasGuids> SaThread::take_alias_guids() {
  const std::lock_guard lock(mutex_);
  return std::exchange(aliases_, std::nullopt);
}

void SaThread::inherit(std::shared_ptr<const sa::Saved> saved) {
  const std::lock_guard lock(mutex_);
  inherited_ = std::move(saved);
}

void SaThread::replicate(std::function<void(sa::Registrations)> take) {
  {
    const std::lock_guard lock(mutex_);
    take_registrations_ = std::move(take);
  }
  transport_.wake();
}

void SaThread::hold_answers(TimeNs most) {
  {
    const std::lock_guard lock(mutex_);
    hold_most_ = most;
  }
  transport_.wake();
}

void SaThread::confirm(std::uint64_t version) {
  {
    const std::lock_guard lock(mutex_);
    confirmed_ = version;
  }
  transport_.wake();
}

void SaThread::post(std::function<void(const SaServer&)> body) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(body));
  }
  transport_.wake();
}

void SaThread::request_dump() {
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

void SaThread::publish_changes() {
  auto groups = server_.take_multicast_groups(clock_.now());
  auto aliases = server_.take_alias_guids();
  if (replicate_)
    if (auto all = server_.take_registrations(clock_.now())) replicate_(std::move(*all));
  if (!groups && !aliases) return;
  const std::lock_guard lock(mutex_);
  if (groups) {
    if (!groups_) groups_.emplace();
    groups_->add(std::move(*groups));
  }
  if (aliases) aliases_ = std::move(aliases);
}

void SaThread::apply_updates() {
  std::optional<std::shared_ptr<SaView>> published;
  std::optional<SaOptions> options;
  std::vector<Notice> traps;
  std::vector<std::function<void(const SaServer&)>> posted;
  bool dump_wanted = false;
  {
    const std::lock_guard lock(mutex_);
    published.swap(published_);
    if (published && *published) has_subnet_ = true;
    options.swap(options_);
    traps.swap(traps_);
    posted.swap(posted_);
    dump_wanted = std::exchange(dump_wanted_, false);
    if (inherited_) server_.inherit(*std::exchange(inherited_, std::nullopt), clock_.now());
    if (take_registrations_) replicate_ = std::exchange(take_registrations_, nullptr);
    if (hold_most_) server_.hold_answers(*std::exchange(hold_most_, std::nullopt));
    server_.confirm(confirmed_);
  }
  server_.set_replicated(replicate_ != nullptr);
  if (published) {
    auto replaced = server_.publish_view(std::move(*published));
    const std::lock_guard lock(mutex_);
    if (replaced) replaced_.push_back(std::move(replaced));
  }
  // Set after the view, which may have been made with older options.
  if (options) server_.set_options(std::move(*options));
  for (const Notice& trap : traps) server_.on_trap(trap);
  for (const auto& body : posted) body(server_);
  if (!dump_wanted) return;
  std::string dump = server_.dump(clock_.now());
  const std::lock_guard lock(mutex_);
  dump_ = std::move(dump);
}

bool SaThread::answer_at_once(const Gmp& gmp) {
  if (!is_quick(gmp) || server_.waiting() > 0) return false;
  const std::unique_lock lock(serving_, std::try_to_lock);
  if (!lock || !has_subnet_) return false;
  server_.on_gmp(gmp, clock_.now());
  return true;
}

void SaThread::accept(const Gmp& gmp) {
  if (answer_at_once(gmp)) return;
  server_.enqueue(gmp);
  transport_.wake();
}

void SaThread::run() {
  while (!stopping_) {
    TimeNs next;
    {
      const std::lock_guard lock(serving_);
      apply_updates();
      serve(server_, transport_, clock_);
      publish_changes();
      next = server_.next_event();
    }
    transport_.wait_until(next);
  }
}

}  // namespace weft
