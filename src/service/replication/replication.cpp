// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/replication/replication.h"

#include <algorithm>

#include "base/log.h"

namespace weft::replication {
namespace {

using Steady = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr auto kTick = std::chrono::milliseconds(200);
constexpr std::size_t kDroppedNamed = 50;
constexpr std::size_t kVersionsMax = 65536;

milliseconds since(Steady::time_point begin, Steady::time_point now) {
  return std::chrono::duration_cast<milliseconds>(std::max(now - begin, Steady::duration::zero()));
}

/// The start of the first line of a registration, which identifies the registration in any term.
std::string title_of(const std::string& record) {
  constexpr std::size_t kShown = 160;
  return record.substr(0, std::min(record.find('\n'), kShown));
}

}  // namespace

std::string_view name(Role role) {
  constexpr std::array<std::string_view, 3> kNames{"none", "source", "follower"};
  return kNames[static_cast<std::size_t>(role)];
}

void Replication::start() {
  thread_ = std::thread([this] { run(); });
}

Replication::~Replication() { close(); }

void Replication::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  refuse_waiting("the manager ends");
}

bool Replication::is_closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

// ---- Master

void Replication::begin_term(Guid manager, std::string epoch) {
  {
    const std::lock_guard lock(mutex_);
    role_ = Role::kSource;
    epoch_ = std::move(epoch);
    manager_ = manager;
    store_ = {};
    posted_parts_.clear();
    posts_.clear();
    standbys_.clear();
    versions_.clear();
    confirmed_ = 0;
    last_term_.reset();
  }
  log::info("replication: master, term {}", epoch_);
}

void Replication::end_term() {
  {
    const std::lock_guard lock(mutex_);
    if (role_ == Role::kSource && is_ready()) last_term_ = store_.records(Part::kRegistrations);
    role_ = Role::kNone;
    posts_.clear();
    standbys_.clear();
  }
  refuse_waiting("this manager is not master");
  changed_.notify_all();
}

void Replication::post(Part part, Records records, std::uint64_t version) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    std::erase_if(posts_, [&](const Posted& posted) { return posted.part == part; });
    posts_.push_back({part, std::move(records), version});
  }
  changed_.notify_all();
}

void Replication::poll(const Poll& poll, Answer answer) {
  std::string why;
  int status = 409;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) why = "the manager ends";
    if (role_ != Role::kSource) why = "this manager is not master";
    if (why.empty() && !standbys_.contains(poll.standby) && standbys_.size() >= kStandbysMax) {
      status = 503;
      why = fmt::format("too many standbys: expected at most {}", kStandbysMax);
    }
    if (why.empty()) {
      const Time now = options_.now();
      // A standby has one request at a time, so an older request is of a broken connection.
      const auto same = std::ranges::find_if(
          waiting_, [&](const Waiting& waiting) { return waiting.poll.standby == poll.standby; });
      if (same != waiting_.end()) same->until = now;
      waiting_.push_back({poll, std::move(answer), now + poll.wait});
      Standby& standby = standbys_[poll.standby];
      if (standby.address.empty())
        log::info("replication: standby 0x{:016x} at {} copies this manager's state",
                  poll.standby.value(), poll.address);
      standby.address = poll.address;
      const std::uint64_t confirmed = poll.epoch == epoch_ ? poll.after : 0;
      standby.answered = standby.requested;
      if (confirmed < standby.confirmed)
        standby.had_all.reset();  // the standby has restarted with an older copy or none
      else if (standby.had_all)
        standby.had_all = standby.answered;
      standby.confirmed = confirmed;
      standby.last_seen = standby.requested = now;
      ++standby.requests;
    }
  }
  changed_.notify_all();
  if (!why.empty()) answer(status, refusal_text(why));
}

void Replication::refuse_waiting(const std::string& why) {
  std::vector<Waiting> refused;
  {
    const std::lock_guard lock(mutex_);
    refused.swap(waiting_);
  }
  for (Waiting& waiting : refused) waiting.answer(409, refusal_text(why));
}

void Replication::run() {
  std::unique_lock lock(mutex_);
  while (!closed_) {
    if (work(lock)) continue;
    const bool has_posts = !posts_.empty() && role_ == Role::kSource;
    if (!closed_ && !has_posts) changed_.wait_for(lock, kTick);
  }
}

void Replication::step() {
  std::unique_lock lock(mutex_);
  while (!closed_ && work(lock)) continue;
}

/// Applies the posted records, and executes the other work that is due. Returns false if there were
/// no answers and no calls of on_confirmed and on_hold.
bool Replication::work(std::unique_lock<std::mutex>& lock) {
  take_posts();
  const Time now = options_.now();
  std::vector<Done> done = answer_polls(now);
  note_standbys(now);
  const auto [version, hold] = confirmation();
  const bool confirms = version > confirmed_;
  const bool holds = hold != hold_;
  confirmed_ = std::max(confirmed_, version);
  hold_ = hold;
  if (done.empty() && !confirms && !holds) return false;
  lock.unlock();
  for (Done& one : done) one.answer(one.status, std::move(one.body));
  if (confirms && on_confirmed) on_confirmed(version);
  if (holds && on_hold) on_hold(hold);
  lock.lock();
  return true;
}

/// Applies the posted records to the state.
void Replication::take_posts() {
  while (!posts_.empty() && role_ == Role::kSource) {
    Posted posted = std::move(posts_.front());
    posts_.pop_front();
    store_.replace(posted.part, posted.records);
    posted_parts_.insert(posted.part);
    if (posted.part != Part::kRegistrations) continue;
    versions_.emplace_back(posted.version, store_.last());
    if (versions_.size() > kVersionsMax) versions_.pop_front();
  }
}

std::vector<Replication::Done> Replication::answer_polls(Time now) {
  std::vector<Done> done;
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    const Poll& poll = at->poll;
    const bool has_news = is_ready() && (poll.epoch != epoch_ || poll.after != store_.last());
    if (!has_news && now < at->until) {
      ++at;
      continue;
    }
    if (is_ready())
      done.push_back(
          {std::move(at->answer), 200,
           encode(message_after(store_, epoch_, manager_, poll.epoch, poll.after, kAnswerBytes))});
    else
      done.push_back({std::move(at->answer), 503, refusal_text("the state is not complete yet")});
    at = waiting_.erase(at);
  }
  return done;
}

/// Updates the standbys: a standby that has all changes is in step; removes standbys that stopped
/// polling.
void Replication::note_standbys(Time now) {
  for (auto& [guid, standby] : standbys_) {
    standby.waits = std::ranges::any_of(
        waiting_, [&, wanted = guid](const Waiting& one) { return one.poll.standby == wanted; });
    if (standby.waits) standby.last_seen = now;
    if (!is_ready() || standby.confirmed != store_.last()) continue;
    standby.in_step = true;
    standby.had_all = standby.answered;
  }
  for (auto at = standbys_.begin(); at != standbys_.end();) {
    const bool is_lost = now - at->second.last_seen > options_.silence;
    if (is_lost)
      log::warn(
          "replication: standby 0x{:016x} at {} does not respond: answers are not delayed for this "
          "standby",
          at->first.value(), at->second.address);
    at = is_lost ? standbys_.erase(at) : std::next(at);
  }
}

/// The newest version of the registrations that all standbys in step have, 0 if the last call
/// returned this version already; and the longest time that answers to registrations wait. Both are
/// 0 if no standby is in step.
std::pair<std::uint64_t, milliseconds> Replication::confirmation() {
  std::optional<std::uint64_t> least;
  for (const auto& [guid, standby] : standbys_)
    if (standby.in_step) least = least ? std::min(*least, standby.confirmed) : standby.confirmed;
  if (!least || role_ != Role::kSource) return {0, milliseconds{0}};
  std::uint64_t version = 0;
  while (!versions_.empty() && versions_.front().second <= *least) {
    version = versions_.front().first;
    versions_.pop_front();
  }
  return {version, options_.confirm};
}

std::optional<bool> Replication::had_all_after(Guid standby, Time since) const {
  const std::lock_guard lock(mutex_);
  const auto found = standbys_.find(standby);
  if (found == standbys_.end()) return std::nullopt;
  return found->second.had_all && *found->second.had_all > since;
}

std::vector<Guid> Replication::standbys() const {
  const std::lock_guard lock(mutex_);
  std::vector<Guid> guids;
  for (const auto& [guid, standby] : standbys_) guids.push_back(guid);
  return guids;
}

Status Replication::probe(Guid standby, milliseconds most) {
  std::unique_lock lock(mutex_);
  const auto counts = [&] {  // requests received, and changes not confirmed
    const auto found = standbys_.find(standby);
    return found == standbys_.end()
               ? std::pair<std::uint64_t, std::uint64_t>{}
               : std::pair{found->second.requests, store_.last() - found->second.confirmed};
  };
  const std::uint64_t before = counts().first;
  const Time now = options_.now();
  for (Waiting& waiting : waiting_)
    if (waiting.poll.standby == standby) waiting.until = now;
  changed_.notify_all();
  const auto ends = [&] { return closed_ || role_ != Role::kSource; };
  changed_.wait_for(lock, most, [&] {
    const auto [requests, missing] = counts();
    return ends() || (requests > before && missing == 0);
  });
  if (ends())
    return fail(Code::kTimeout, "{}", closed_ ? "the manager ends" : "this manager is not master");
  const auto [requests, missing] = counts();
  if (requests <= before)
    return fail(Code::kTimeout, "the standby 0x{:016x} does not respond: no request for {} ms",
                standby.value(), most.count());
  if (missing > 0)
    return fail(Code::kTimeout, "the standby 0x{:016x} lacks {} changes", standby.value(), missing);
  return {};
}

// ---- Standby

void Replication::follow() {
  {
    const std::lock_guard lock(mutex_);
    if (role_ == Role::kFollower) return;
    role_ = Role::kFollower;
  }
  changed_.notify_all();
}

bool Replication::is_following() const {
  const std::lock_guard lock(mutex_);
  return role_ == Role::kFollower && !closed_;
}

void Replication::wait_until_following(milliseconds most) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, most, [&] { return closed_ || role_ == Role::kFollower; });
}

void Replication::pause(milliseconds time) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, time, [&] { return closed_; });
}

Follower::Position Replication::position() const {
  const std::lock_guard lock(mutex_);
  return follower_.position();
}

Status Replication::take(const std::string& peer, std::string_view answer) {
  const std::lock_guard lock(mutex_);
  if (role_ != Role::kFollower) return {};  // this manager has become master
  if (!is_connected_) log::info("replication: copying the state of the master at {}", peer);
  const Status taken = follower_.take(answer);
  peer_ = peer;
  if (!taken) {
    error_ = taken.error().message;
    return taken;
  }
  is_connected_ = true;
  lost_.reset();
  error_.clear();
  if (follower_.is_complete()) {
    complete_at_ = options_.now();
    compare_with_last_term();
  }
  return {};
}

void Replication::lose(const std::string& peer, const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (peer_ != peer && is_connected_) return;
  if (is_connected_) {
    log::warn("replication: connection to the master at {} lost: {}", peer, why);
    lost_ = options_.now();
  }
  is_connected_ = false;
  error_ = peer + ": " + why;
}

Status Replication::load(std::string_view text) {
  const std::lock_guard lock(mutex_);
  const Status loaded = follower_.load(text);
  lost_ = Steady::time_point{};
  return loaded;
}

/// Finds registrations of this manager's last term that the current master does not have. There are
/// such registrations after two managers were master at the same time.
void Replication::compare_with_last_term() {
  if (!last_term_) return;
  std::set<std::string> kept;
  for (const auto& [key, text] : follower_.copy().records(Part::kRegistrations))
    kept.insert(title_of(text));
  dropped_.clear();
  dropped_count_ = 0;
  for (const auto& [key, text] : *last_term_) {
    std::string title = title_of(text);
    if (kept.contains(title)) continue;
    ++dropped_count_;
    if (dropped_.size() < kDroppedNamed) dropped_.push_back(std::move(title));
  }
  last_term_.reset();
  if (dropped_count_ == 0) return;
  log::warn(
      "replication: {} registrations of this manager's own term are not in the master's state"
      " and are dropped; their clients have to register again",
      dropped_count_);
  for (const std::string& title : dropped_) log::warn("replication: dropped: {}", title);
}

Replication::Copy Replication::copy(std::uint64_t known_version) const {
  const std::lock_guard lock(mutex_);
  if (follower_.manager() == Guid(0)) return {};
  Copy copy{follower_.version(), follower_.manager(), follower_.is_complete(), lost_, {}};
  if (copy.version == known_version) return copy;
  for (std::size_t part = 0; part < kParts; ++part)
    copy.checksums[part] = follower_.copy().checksum(static_cast<Part>(part));
  return copy;
}

Records Replication::copied(Part part) const {
  const std::lock_guard lock(mutex_);
  return follower_.copy().records(part);
}

std::string Replication::copied_text(Part part, std::string_view end) const {
  const std::lock_guard lock(mutex_);
  return follower_.copy().text(part, end);
}

std::string Replication::save() const {
  const std::lock_guard lock(mutex_);
  return follower_.save();
}

// ---- Status

ReplicationStatus Replication::status() const {
  const std::lock_guard lock(mutex_);
  const Time now = options_.now();
  ReplicationStatus status;
  status.role = role_;
  const bool has_term = role_ == Role::kSource;
  const RecordStore& store = has_term ? store_ : follower_.copy();
  status.epoch = has_term ? epoch_ : follower_.epoch();
  status.manager = has_term ? manager_ : follower_.manager();
  status.newest = store.last();
  status.bytes = store.bytes();
  for (std::size_t part = 0; part < kParts; ++part)
    status.parts[part] = {store.count(static_cast<Part>(part)),
                          store.checksum(static_cast<Part>(part))};
  for (const auto& [guid, standby] : standbys_)
    status.standbys.push_back({guid, standby.address, standby.confirmed,
                               store.last() - std::min(store.last(), standby.confirmed),
                               standby.in_step,
                               standby.waits ? milliseconds{0} : since(standby.last_seen, now)});
  status.dropped = dropped_;
  status.dropped_count = dropped_count_;
  status.mismatches = follower_.mismatches();
  if (role_ != Role::kFollower) return status;
  status.peer = peer_;
  status.in_step = is_connected_ && follower_.is_complete();
  status.missing = follower_.missing();
  if (status.in_step)
    status.lag = milliseconds{0};
  else if (complete_at_)
    status.lag = since(lost_ && *lost_ > *complete_at_ ? *lost_ : *complete_at_, now);
  status.error = error_;
  return status;
}

}  // namespace weft::replication
