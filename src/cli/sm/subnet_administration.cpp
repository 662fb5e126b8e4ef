// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/sm/subnet_administration.h"

#include <future>
#include <utility>

#include "base/file.h"
#include "base/log.h"

namespace weft::cli {

SubnetAdministration::SubnetAdministration(const Attachment& attachment, const SaOptions& options)
    : attachment_(attachment) {
  if (attachment.emulated)
    server_.emplace(options, send_by(*attachment.queries));
  else
    thread_.emplace(options, *attachment.queries, *attachment.clock);
  if (thread_ && attachment.device)
    attachment.device->set_early_handler(
        MgmtClass::kSubnAdm, [this](const Gmp& gmp) { return thread_->accept(gmp), true; });
}

SubnetAdministration::~SubnetAdministration() {
  if (thread_ && attachment_.device) attachment_.device->set_early_handler(MgmtClass::kSubnAdm, {});
}

void SubnetAdministration::step(SubnetManager& sm) {
  if (auto snapshot = sm.snapshot(); snapshot != published_) {
    published_ = snapshot;
    if (server_) server_->publish(snapshot);
    if (thread_) thread_->publish(snapshot);
  }
  for (const Notice& trap : sm.take_traps()) {
    if (server_) server_->on_trap(trap);
    if (thread_) thread_->on_trap(trap);
  }
  if (server_) {
    for (const auto& call : take_posted()) call(*server_);
    server_->hold_answers(TimeNs(hold_most_));
    server_->confirm(confirmed_);
    serve(*server_, *attachment_.queries, *attachment_.clock);
    if (replicate_)
      if (auto all = server_->take_registrations(attachment_.clock->now()))
        replicate_(std::move(*all));
  }
  if (auto groups = server_ ? server_->take_multicast_groups(attachment_.clock->now())
                            : thread_->take_multicast_groups())
    sm.change_multicast_groups(std::move(*groups));
  if (auto aliases = server_ ? server_->take_alias_guids() : thread_->take_alias_guids())
    sm.set_alias_guids(std::move(*aliases));
  if (dump_every_.count() > 0) keep_dump();
}

bool SubnetAdministration::execute(Call call) {
  auto done = std::make_shared<std::promise<void>>();
  auto finished = done->get_future();
  auto post = [done, call = std::move(call)](const SaServer& server) {
    call(server);
    done->set_value();
  };
  if (thread_) {
    thread_->post(std::move(post));
  } else {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(post));
  }
  return finished.wait_for(kCallTimeout) == std::future_status::ready;
}

std::shared_ptr<const sa::Meter> SubnetAdministration::meter() const {
  return server_ ? server_->meter() : thread_->meter();
}

void SubnetAdministration::dump_to(std::string path, TimeNs every) {
  dump_path_ = std::move(path);
  dump_every_ = every;
}

void SubnetAdministration::set_options(const SaOptions& options) {
  if (server_) server_->set_options(options);
  if (thread_) thread_->set_options(options);
}

void SubnetAdministration::inherit(std::shared_ptr<const sa::Saved> saved) {
  if (server_) server_->inherit(std::move(saved), attachment_.clock->now());
  if (thread_) thread_->inherit(std::move(saved));
}

void SubnetAdministration::replicate(std::function<void(sa::Registrations)> take) {
  if (thread_) return thread_->replicate(std::move(take));
  server_->set_replicated(true);
  replicate_ = std::move(take);
}

void SubnetAdministration::hold_answers(TimeNs most) {
  hold_most_ = most.count();
  if (thread_) thread_->hold_answers(most);
}

void SubnetAdministration::confirm(std::uint64_t version) {
  confirmed_ = version;
  if (thread_) thread_->confirm(version);
}

std::vector<SubnetAdministration::Call> SubnetAdministration::take_posted() {
  const std::lock_guard lock(mutex_);
  return std::exchange(posted_, {});
}

void SubnetAdministration::keep_dump() {
  const TimeNs now = attachment_.clock->now();
  std::optional<std::string> dump;
  if (thread_) dump = thread_->take_dump();
  if (now >= next_dump_) {
    next_dump_ = now + dump_every_;
    if (thread_) thread_->request_dump();
    if (server_) dump = server_->dump(now);
  }
  if (!dump || dump->empty() || *dump == dumped_) return;
  if (const auto written = write_file(dump_path_, *dump, 0600); !written)
    return log::error("{}", written.error().message);
  dumped_ = std::move(*dump);
}

}  // namespace weft::cli
