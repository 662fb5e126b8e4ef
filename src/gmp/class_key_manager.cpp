// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "gmp/class_key_manager.h"

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace weft {

KeyVersion key_version_at(const ClassKeyOptions& options, TimeNs now) {
  if (options.period.count() <= 0) return {};
  const std::chrono::nanoseconds since_epoch = options.epoch + now;
  const std::int64_t number = since_epoch / options.period;
  return {static_cast<std::uint64_t>(number), (number + 1) * options.period - options.epoch};
}

KeyMemory ClassKeyFile::read() {
  if (path_.empty()) return {};
  std::vector<std::string> warnings;
  auto keys = read_guid2mkey(path_, warnings);
  for (const std::string& warning : warnings) log::warn("{}", warning);
  if (!keys) {
    log::warn("{}", keys.error().message);
    return {};
  }
  return on_disk_ = std::move(*keys);
}

void ClassKeyFile::write(const KeyMemory& keys) {
  if (path_.empty() || keys == on_disk_) return;
  if (const auto status = write_guid2mkey(path_, keys); !status)
    return log::warn("keys are not saved for later runs: {}", status.error().message);
  on_disk_ = keys;
}

ClassKeyManager::ClassKeyManager(KeyedClass keyed, GmpTransport& transport, const Clock& clock,
                                 ClassKeyOptions options)
    : clock_(clock),
      options_(std::move(options)),
      client_(transport, clock, options_.client),
      work_(keyed),
      file_(options_.file) {
  work_.recall(file_.read());
}

void ClassKeyManager::publish(std::shared_ptr<const Snapshot> snapshot) {
  snapshot_ = std::move(snapshot);
  begin();
}

void ClassKeyManager::set_options(ClassKeyOptions options) {
  if (options == options_) return;
  options_ = std::move(options);
  client_.set_options(options_.client);
  begin();
}

/// Begins a round; answers to requests of the previous round are ignored.
void ClassKeyManager::begin() {
  client_.forget_all();
  version_ = key_version_at(options_, clock_.now());
  work_.begin(snapshot_, options_, version_.number, clock_.now());
}

void ClassKeyManager::step() {
  if (snapshot_ && clock_.now() >= version_.until) begin();
  const bool was_done = settled();
  client_.step();
  while (const auto outcome = client_.next()) work_.on_outcome(outcome->ticket, outcome->answer);
  Gmp request;
  std::uint64_t ticket = 0;
  while (client_.has_room() && work_.next(request, ticket)) client_.send_request(ticket, request);
  if (!was_done && settled()) file_.write(work_.known_keys());
}

TimeNs ClassKeyManager::next_event() const {
  return std::min(client_.next_event(), snapshot_ ? version_.until : TimeNs::max());
}

}  // namespace weft
