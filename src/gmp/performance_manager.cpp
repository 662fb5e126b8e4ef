// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "gmp/performance_manager.h"

#include <algorithm>

#include "base/file.h"
#include "base/log.h"
#include "gmp/addresses.h"
#include "gmp/counter_dump.h"
#include "ib/sa_records.h"
#include "ib/wire.h"

namespace weft {
namespace {

/// OpenSM's error number in the log for the first Counter; the other Counters follow in order.
constexpr unsigned kFirstErrorNumber = 0x5431;

/// The lowest value at which a counter is cleared, as in OpenSM: three quarters of its maximum; two
/// thirds for counters of 4 bits.
std::uint64_t clear_threshold(unsigned bits) {
  return bits == 4 ? 10 : std::uint64_t{3} << (bits - 2);
}

bool is_extended(std::uint16_t capabilities) {
  return (capabilities &
          (perf_capability::kExtendedWidth | perf_capability::kExtendedWidthNoIetf)) != 0;
}

Gmp request(Method method, PerformanceAttribute attribute) {
  Gmp gmp;
  gmp.mgmt_class = MgmtClass::kPerf;
  gmp.method = method;
  gmp.attribute = static_cast<std::uint16_t>(attribute);
  return gmp;
}

std::string number_text(std::size_t counter) {
  return fmt::format("{:04X}", kFirstErrorNumber + counter);
}

}  // namespace

PerformanceManager::PerformanceManager(GmpTransport& transport, const Clock& clock,
                                       PerformanceOptions options, WallClock wall_clock)
    : clock_(clock),
      options_(std::move(options)),
      wall_clock_(std::move(wall_clock)),
      client_(transport, clock, options_.client) {
  open_database();
}

void PerformanceManager::open_database() {
  database_.reset();
  if (options_.database_file.empty() || !options_.perfmgr) return;
  auto opened = CounterDatabase::open(options_.database_file);
  const Status restored = opened ? opened->restore(store_) : forward(opened);
  if (!restored) {
    log::error("counters are not saved: {}", restored.error().message);
    return;
  }
  database_.emplace(std::move(*opened));
}

void PerformanceManager::publish(std::shared_ptr<const Snapshot> snapshot) {
  snapshot_ = std::move(snapshot);
}

void PerformanceManager::set_options(PerformanceOptions options) {
  const bool other_database = options.database_file != options_.database_file;
  if (options.sweep_time != options_.sweep_time)
    next_sweep_ = std::min(next_sweep_, clock_.now() + options.sweep_time);
  options_ = std::move(options);
  client_.set_options(options_.client);
  if (other_database) open_database();
}

// ---- a sweep

EndportId PerformanceManager::endport_of(const Agent& agent) const {
  const Fabric& fabric = snapshot_->fabric;
  const auto node = fabric.find_node(agent.node);
  if (!node) return kNoEndport;
  const PortId port = fabric.port_id(*node, fabric.is_switch(*node) ? PortNum(0) : agent.port);
  if (port == kNoPort) return kNoEndport;
  const EndportId endport = fabric.endport_at(port);
  if (endport == kNoEndport || !is_unicast(fabric.endport(endport).lid)) return kNoEndport;
  return endport;
}

void PerformanceManager::begin_sweep() {
  next_sweep_ = clock_.now() + options_.sweep_time;
  mark_absent();
  for (auto& [agent, known] : agents_) known.silent = false;
  stage_ = Stage::kCapabilities;
  plan_capabilities();
}

void PerformanceManager::mark_absent() {
  std::vector<Guid> absent;
  for (const auto& [guid, node] : store_.nodes())
    if (!snapshot_->fabric.find_node(guid) && (node.active || options_.rm_nodes))
      absent.push_back(guid);
  for (const Guid guid : absent) {
    log::error(
        "ERR 5407: Node \"{}\" (guid 0x{:x}) no longer exists so removing from PerfMgr "
        "monitoring",
        store_.nodes().at(guid).name, guid.value());
    rises_.forget(guid);
    if (options_.rm_nodes)
      store_.forget(guid);
    else
      store_.set_inactive(guid);
  }
  std::erase_if(agents_, [&](const auto& entry) { return endport_of(entry.first) == kNoEndport; });
}

/// Adds the agents with a LID; with ignore_cas, those of switches only. With query_cpi, queues a
/// query for each of these agents with unknown capabilities, in the order of node ids: switches
/// first.
void PerformanceManager::plan_capabilities() {
  queue_.clear();
  const Fabric& fabric = snapshot_->fabric;
  for (const Endport& endport : fabric.endports()) {
    if (!is_unicast(endport.lid)) continue;
    const bool is_switch = fabric.is_switch(endport.node);
    if (options_.ignore_cas && !is_switch) continue;
    const Node& node = fabric.node(endport.node);
    const Agent agent{node.node_guid, fabric.port(endport.port).num};
    store_.set_active(node.node_guid, node.description);
    AgentState& known = agents_[agent];
    if (!options_.query_cpi)
      known.capabilities.reset();
    else if (!known.capabilities)
      queue_.push(agent, {{agent, agent.port}, Query::kCapabilities});
  }
}

void PerformanceManager::plan_counters() {
  queue_.clear();
  const Fabric& fabric = snapshot_->fabric;
  for (const auto& [agent, known] : agents_) {
    const auto node = fabric.find_node(agent.node);
    if (!node || known.silent) continue;
    if (!fabric.is_switch(*node)) {
      if (!options_.ignore_cas) queue_.push(agent, {{agent, agent.port}, Query::kCounters});
      continue;
    }
    const Node& sw = fabric.node(*node);
    for (unsigned port = sw.enhanced_port0 ? 0 : 1; port <= sw.port_count; ++port)
      queue_.push(agent, {{agent, PortNum(static_cast<std::uint8_t>(port))}, Query::kCounters});
  }
}

void PerformanceManager::feed() {
  while (client_.has_room()) {
    const auto task = queue_.take(options_.agent_queries_max);
    if (!task) break;
    if (!send_query(*task)) queue_.finish(task->target.agent);
  }
  if (queries_.empty()) finish_stage();
}

/// Sends a request. Returns false if the agent has no endport with a LID in the fabric, or has left
/// a request of this sweep without an answer or with an unusable redirection.
bool PerformanceManager::send_query(const Task& task) {
  const EndportId endport = endport_of(task.target.agent);
  const auto known = agents_.find(task.target.agent);
  if (endport == kNoEndport || known == agents_.end() || known->second.silent) return false;
  const auto attribute = [&] {
    if (task.query == Query::kCapabilities) return PerformanceAttribute::kClassPortInfo;
    return task.query == Query::kExtended || task.query == Query::kClearData
               ? PerformanceAttribute::kPortCountersExtended
               : PerformanceAttribute::kPortCounters;
  }();
  const bool clears = task.query == Query::kClearErrors || task.query == Query::kClearData;
  Gmp gmp = request(clears ? Method::kSet : Method::kGet, attribute);
  if (task.query != Query::kCapabilities) {
    PortCounters wanted{task.target.port, task.select, 0, {}};
    if (task.query == Query::kClearErrors && (task.select & kSelectErrors) != 0)
      wanted.select2 = kSelectXmitWait;
    const PerfData data = attribute == PerformanceAttribute::kPortCounters
                              ? encode_port_counters(wanted)
                              : encode_port_counters_extended(wanted);
    std::ranges::copy(data, perf_data(gmp).begin());
  }
  gmp.peer = known->second.redirected && options_.redir ? *known->second.redirected
                                                        : address_of(*snapshot_, endport);
  queries_.emplace(++last_ticket_, task);
  ++counts_.queries;
  client_.send_request(last_ticket_, gmp);
  return true;
}

void PerformanceManager::finish_stage() {
  if (stage_ == Stage::kCapabilities) {
    stage_ = Stage::kCounters;
    plan_counters();
    feed();
    return;
  }
  end_sweep();
}

void PerformanceManager::end_sweep() {
  stage_ = Stage::kSleeping;
  ++counts_.sweeps;
  report_errors();
  if (on_reading) on_reading(store_, *snapshot_, clock_.now());
  if (database_) {
    if (const auto kept = database_->keep(store_, wall_clock_(), options_.readings); kept)
      store_.mark_written();
    else
      log::error("counters of this sweep are not saved: {}", kept.error().message);
  }
  if (!options_.dump_file.empty())
    if (const auto dumped = dump(false); !dumped) log::error("{}", dumped.error().message);
}

// ---- answers

void PerformanceManager::on_outcome(const Task& task, const std::optional<Gmp>& answer) {
  if (!answer) {
    ++counts_.silent;
    return mark_silent(task, "no answer");
  }
  if ((answer->status & mad_status::kRedirect) != 0) return follow(task, *answer);
  if (answer->status != mad_status::kGood && task.query != Query::kCapabilities)
    return report_failure(task, fmt::format("status 0x{:04x}", answer->status));
  const auto known = agents_.find(task.target.agent);
  if (known == agents_.end()) return;
  if (known->second.logged == task.target.port) {
    log::info("performance counters of {} available again", describe(task.target));
    known->second.logged.reset();
  }
  on_good(task, *answer);
}

void PerformanceManager::on_good(const Task& task, const Gmp& answer) {
  const Target& target = task.target;
  switch (task.query) {
    case Query::kCapabilities:  // without ClassPortInfo: no optional capabilities
      agents_[target.agent].capabilities =
          answer.status == mad_status::kGood
              ? decode_class_port_info(perf_data(answer).first<ClassPortInfo::kSize>())
                    .capability_mask
              : std::uint16_t{0};
      return;
    case Query::kCounters:
      return on_counters(task, answer);
    case Query::kExtended:
      return on_extended(task, answer);
    case Query::kClearErrors:
      if ((task.select & kSelectErrors) != 0)
        store_.record_clear(target.agent.node, target.port, CounterGroup::kErrors);
      if ((task.select & kSelectData) != 0)
        store_.record_clear(target.agent.node, target.port, CounterGroup::kData);
      return;
    case Query::kClearData:
      return store_.record_clear(target.agent.node, target.port, CounterGroup::kData);
  }
}

void PerformanceManager::on_counters(const Task& task, const Gmp& answer) {
  const Target& target = task.target;
  PortCounters read = decode_port_counters(perf_data(answer));
  if (read.port != target.port)
    return report_failure(task,
                          fmt::format("answer has the counters of port {}", read.port.value()));
  const std::uint16_t capabilities = agents_[target.agent].capabilities.value_or(0);
  if ((capabilities & perf_capability::kXmitWait) == 0)
    read.values[index(Counter::kXmitWait)] = 0;  // some devices leave the field undefined
  const bool extended = is_extended(capabilities);
  const bool is_first = !store_.has(target.agent.node, target.port);
  const auto change = store_.take(target.agent.node, target.port, read.values,
                                  CounterGroup::kErrors, wall_clock_());
  log_changes(target, change);
  if (!is_first && on_errors) rises_.add(target.agent.node, target.port, change.delta);
  if (!extended)
    store_.take(target.agent.node, target.port, read.values, CounterGroup::kData, wall_clock_());
  std::uint16_t select = 0;
  for (std::size_t i = 0; i < kCounterCount; ++i) {
    const unsigned bits = width(counter_at(i));
    if (bits == 0 || read.values[i] < clear_threshold(bits)) continue;
    if (counts_errors(counter_at(i)))
      select |= kSelectErrors;
    else if (!extended)
      select |= kSelectData;
  }
  if (select != 0) {
    log::info("PerfMgr: Counter overflow: {}; clearing counters", describe(target));
    queue_.push_front(target.agent, {target, Query::kClearErrors, false, select});
  }
  if (extended) queue_.push_front(target.agent, {target, Query::kExtended, false, 0});
}

void PerformanceManager::on_extended(const Task& task, const Gmp& answer) {
  const Target& target = task.target;
  PortCounters read = decode_port_counters_extended(perf_data(answer));
  if (read.port != target.port)
    return report_failure(task,
                          fmt::format("answer has the counters of port {}", read.port.value()));
  const std::uint16_t capabilities = agents_[target.agent].capabilities.value_or(0);
  if ((capabilities & perf_capability::kExtendedWidth) == 0)
    for (std::size_t i = index(Counter::kUnicastXmitPkts); i < kCounterCount; ++i)
      read.values[i] = 0;
  store_.take(target.agent.node, target.port, read.values, CounterGroup::kData, wall_clock_());
  const auto near = [](std::uint64_t value) { return value >= clear_threshold(64); };
  if (std::ranges::none_of(read.values, near)) return;
  log::info("PerfMgr: PortCountersExtended overflow: {}; clearing counters", describe(target));
  queue_.push_front(target.agent, {target, Query::kClearData, false, kSelectExtended});
}

/// Follows a redirection to another agent, which has the counters.
void PerformanceManager::follow(const Task& task, const Gmp& answer) {
  if (!options_.redir) return mark_silent(task, "redirected, but perfmgr_redir is FALSE");
  if (task.redirected) return mark_silent(task, "redirected twice");
  const ClassPortInfo info =
      decode_class_port_info(perf_data(answer).first<ClassPortInfo::kSize>());
  if (!is_unicast(info.redirect_lid))
    return mark_silent(task, fmt::format("redirected to LID {}, expected a unicast LID",
                                         info.redirect_lid.value()));
  const EndportId holder = snapshot_->fabric.endport_of(info.redirect_lid);
  const EndportId own = holder == kNoEndport ? snapshot_->sm : snapshot_->manager_towards(holder);
  const auto pkey_index = own_pkey_index(*snapshot_, own, info.redirect_pkey);
  if (!pkey_index)
    return mark_silent(
        task,
        fmt::format("redirected with P_Key 0x{:04x}, which is not in the known P_Key table of the "
                    "manager's port",
                    info.redirect_pkey.value()));
  GmpAddress to;
  to.lid = info.redirect_lid;
  to.port = holder == kNoEndport ? std::uint8_t{0} : snapshot_->manager_port_towards(holder);
  to.qpn = info.redirect_qp;
  to.qkey = info.redirect_qkey;
  to.sl = info.redirect_sl;
  to.pkey_index = *pkey_index;
  const auto known = agents_.find(task.target.agent);
  if (known == agents_.end()) return;
  known->second.redirected = to;
  Task again = task;
  again.redirected = true;
  queue_.push_front(task.target.agent, again);
}

/// Sends no further requests to the agent in this sweep, forgets its redirection, and reports the
/// failure.
void PerformanceManager::mark_silent(const Task& task, const std::string& why) {
  const auto known = agents_.find(task.target.agent);
  if (known == agents_.end()) return;
  known->second.silent = true;
  known->second.redirected.reset();
  report_failure(task, why);
}

/// Logs the failure of an agent only once, until a request for the port of the failure succeeds.
void PerformanceManager::report_failure(const Task& task, const std::string& why) {
  const auto known = agents_.find(task.target.agent);
  if (known == agents_.end() || known->second.logged) return;
  known->second.logged = task.target.port;
  log::warn("performance counters of {} missing: {}", describe(task.target), why);
}

// ---- log

std::string PerformanceManager::describe(const Target& target) const {
  const auto found = store_.nodes().find(target.agent.node);
  return fmt::format("{} (0x{:x}) port {}",
                     found == store_.nodes().end() ? "?" : found->second.name,
                     target.agent.node.value(), target.port.value());
}

void PerformanceManager::log_changes(const Target& target,
                                     const CounterStore::Change& change) const {
  if (change.has_decreased)
    log::error("PerfMgr: ERR 540A: Detected an out of band error clear on {}", describe(target));
  if (!options_.log_errors) return;
  for (std::size_t i = 0; i < kErrorCounterCount; ++i) {
    if (change.delta[i] == 0) continue;
    if (counter_at(i) == Counter::kXmitWait &&
        (!options_.xmit_wait_log || change.delta[i] <= options_.xmit_wait_threshold))
      continue;
    std::string peer;
    if (const Port* other = peer_of(target.agent.node, target.port)) {
      const Node& node = snapshot_->fabric.node(other->node);
      peer = fmt::format(" connected to \"{}\" (NodeGUID: 0x{:x}) : port {}", node.description,
                         node.node_guid.value(), other->num.value());
    }
    log::error("ERR {}: {} : {} : node \"{}\" (NodeGUID: 0x{:x}) : port {}{}", number_text(i),
               name(counter_at(i)), change.delta[i], store_.nodes().at(target.agent.node).name,
               target.agent.node.value(), target.port.value(), peer);
  }
}

/// The port at the other end of a port's cable; null if there is none.
const Port* PerformanceManager::peer_of(Guid guid, PortNum num) const {
  const Fabric& fabric = snapshot_->fabric;
  const auto node = fabric.find_node(guid);
  const PortId port = node ? fabric.port_id(*node, num) : kNoPort;
  if (port == kNoPort || fabric.port(port).peer == kNoPort) return nullptr;
  return &fabric.port(fabric.port(port).peer);
}

void PerformanceManager::report_errors() {
  if (!on_errors) return;
  std::vector<ErrorRise> rises = rises_.take(store_, clock_.now());
  for (ErrorRise& rise : rises) {
    rise.sweep = snapshot_->sweep;
    const Port* other = peer_of(rise.node, rise.port);
    if (other == nullptr) continue;
    const Node& node = snapshot_->fabric.node(other->node);
    rise.peer = node.node_guid;
    rise.peer_name = node.description;
    rise.peer_port = other->num;
  }
  if (!rises.empty()) on_errors(std::move(rises));
}

void PerformanceManager::clear_counters() {
  store_.clear_totals(wall_clock_());
  rises_.clear();
  log::info("PerfMgr counters cleared");
}

Status PerformanceManager::dump(bool for_programs) const {
  if (options_.dump_file.empty())
    return fail(Code::kUsage, "cannot dump the counters: event_db_dump_file is not set");
  return write_file(options_.dump_file,
                    for_programs ? counters_table(store_) : counters_text(store_));
}

std::string PerformanceManager::redirections() const {
  std::string text;
  for (const auto& [agent, known] : agents_)
    if (known.redirected)
      text += fmt::format("0x{:x} port {}: LID {}, QP {:#x}\n", agent.node.value(),
                          agent.port.value(), known.redirected->lid.value(), known.redirected->qpn);
  return text;
}

void PerformanceManager::clear_redirections() {
  for (auto& [agent, known] : agents_) known.redirected.reset();
}

// ---- time

void PerformanceManager::step() {
  client_.step();
  while (const auto outcome = client_.next()) {
    const auto asked = queries_.find(outcome->ticket);
    if (asked == queries_.end()) continue;
    const Task task = asked->second;
    queries_.erase(asked);
    queue_.finish(task.target.agent);
    if (snapshot_) on_outcome(task, outcome->answer);
  }
  if (!snapshot_ || !options_.perfmgr) {  // not master or disabled
    stage_ = Stage::kSleeping;
    client_.forget_all();
    queries_.clear();
    queue_.clear();
    return;
  }
  if (stage_ == Stage::kSleeping && clock_.now() >= next_sweep_) begin_sweep();
  if (stage_ != Stage::kSleeping) feed();
}

TimeNs PerformanceManager::next_event() const {
  if (!snapshot_ || !options_.perfmgr) return TimeNs::max();
  return std::min(client_.next_event(), stage_ == Stage::kSleeping ? next_sweep_ : TimeNs::max());
}

}  // namespace weft
