// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/history/history_writer.h"

#include <algorithm>

#include "base/log.h"
#include "service/error_sum.h"

namespace weft {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

std::int64_t seconds_now() {
  using namespace std::chrono;
  return duration_cast<seconds>(system_clock::now().time_since_epoch()).count();
}

class HistorySink final : public EventSink {
 public:
  explicit HistorySink(HistoryWriter& writer) : writer_(writer) {}
  Status start() override {
    writer_.start();
    return {};
  }
  void take(const Event& event, WallTime at) override { writer_.take(event, at); }

 private:
  HistoryWriter& writer_;
};

}  // namespace

std::optional<SweepRecord> SweepAssembler::take(const Event& event, WallTime at) {
  switch (event.kind) {
    case WEFT_EVENT_SWEEP_BEGUN:
      under_way_ = {};
      under_way_.begun_ns = since_epoch_ns(at);
      under_way_.reason = event.text;
      return std::nullopt;
    case WEFT_EVENT_NODE_APPEARED:
    case WEFT_EVENT_NODE_GONE:
    case WEFT_EVENT_LINK_APPEARED:
    case WEFT_EVENT_LINK_GONE:
    case WEFT_EVENT_LINK_CHANGED:
      ++under_way_.changes;
      return std::nullopt;
    case WEFT_EVENT_SWEEP_ENDED: {
      SweepRecord sweep = std::exchange(under_way_, {});
      sweep.ended_ns = since_epoch_ns(at);
      if (sweep.begun_ns == 0) sweep.begun_ns = sweep.ended_ns;
      sweep.number = event.sweep;
      sweep.up = event.text.empty();
      sweep.error = event.text;
      return sweep;
    }
    default:
      return std::nullopt;
  }
}

std::vector<CounterRecord> CounterDeltas::take(const std::vector<PortCounts>& totals) {
  std::vector<CounterRecord> records;
  std::map<std::pair<Guid, PortNum>, PortCounts> now;
  for (const PortCounts& port : totals) {
    const auto key = std::pair(port.node, port.port);
    const auto before = before_.find(key);
    if (before != before_.end() && before->second.read_at >= port.read_at) {
      now[key] = before->second;  // not read since the last call
      continue;
    }
    now[key] = port;
    if (before == before_.end()) continue;
    const auto added = [&](Counter counter) {
      const std::uint64_t old_total = before->second.total[index(counter)];
      const std::uint64_t total = port.total[index(counter)];
      return total >= old_total ? total - old_total : total;
    };
    CounterRecord record{before->second.read_at,
                         static_cast<std::uint32_t>(port.read_at - before->second.read_at),
                         port.node, port.port};
    record.sent_bytes = added(Counter::kXmitData) * kBytesOfData;
    record.received_bytes = added(Counter::kRcvData) * kBytesOfData;
    record.wait_ticks = added(Counter::kXmitWait);
    CounterValues deltas{};
    for (std::size_t i = 0; i < kErrorCounterCount; ++i) deltas[i] = added(counter_at(i));
    record.errors = errors_of(deltas);
    if (record.sent_bytes + record.received_bytes + record.wait_ticks + record.errors > 0)
      records.push_back(record);
  }
  before_ = std::move(now);
  return records;
}

HistoryWriter::HistoryWriter(std::string path, const HistoryRetention& keeping,
                             ReadCounters counters)
    : HistoryWriter(std::move(path), keeping, std::move(counters), Pace()) {}

HistoryWriter::HistoryWriter(std::string path, const HistoryRetention& keeping,
                             ReadCounters counters, const Pace& pace)
    : path_(std::move(path)), read_counters_(std::move(counters)), pace_(pace), keeping_(keeping) {}

HistoryWriter::~HistoryWriter() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void HistoryWriter::start() {
  thread_ = std::thread([this] { serve(); });
}

void HistoryWriter::take(const Event& event, WallTime at) {
  {
    const std::lock_guard lock(mutex_);
    if (queue_.size() < kQueueMax) {
      queue_.push_back({event, at});
    } else {
      ++lost_;
      ++meter_->lost;
    }
  }
  changed_.notify_one();
}

void HistoryWriter::set_keeping(const HistoryRetention& keeping) {
  const std::lock_guard lock(mutex_);
  keeping_ = keeping;
}

void HistoryWriter::serve() {
  std::deque<Queued> batch;  // unwritten events that were queued before queue_
  bool ending = false;
  while (!ending) {
    std::uint64_t lost = 0;
    {
      std::unique_lock lock(mutex_);
      if (batch.empty())
        changed_.wait_for(lock, pace_.gather, [&] { return !queue_.empty() || ending_; });
      changed_.wait_for(lock, pace_.gather, [&] { return ending_; });
      ending = ending_;
      if (batch.empty()) batch.swap(queue_);
      lost = batch.empty() ? 0 : std::exchange(lost_, 0);
    }
    if (!is_open()) {
      const std::lock_guard lock(mutex_);
      lost_ += lost;
      continue;
    }
    if (!batch.empty()) {
      if (record_result(write(batch, lost))) {
        batch.clear();
        if (ending) {  // write the rest of the queue
          const std::lock_guard lock(mutex_);
          batch.swap(queue_);
        }
        if (ending && !batch.empty()) (void)record_result(write(batch, 0));
      } else {
        const std::lock_guard lock(mutex_);
        lost_ += lost;
        continue;
      }
    }
    const auto now = std::chrono::steady_clock::now();
    if (!ending && read_counters_ && now >= counters_at_) {
      counters_at_ = now + pace_.counters;
      write_counters();
    }
    if (!ending && database_ && now >= compact_at_) {
      compact_at_ = now + pace_.compact;
      compact();
    }
  }
}

bool HistoryWriter::is_open() {
  if (database_) return true;
  const auto now = std::chrono::steady_clock::now();
  if (now < open_at_) return false;
  open_at_ = now + pace_.again;
  auto opened = HistoryDatabase::open(path_);
  if (!opened) return record_result(fail(opened.error().code, "{}", opened.error().message));
  database_ = std::move(*opened);
  return true;
}

/// Updates the meter. Logs the first failure and the recovery. Closes the database after a failure.
/// Returns whether `status` is success.
bool HistoryWriter::record_result(const Status& status) {
  meter_->failing = !status;
  if (status) {
    if (failing_) log::info("{}: the history is written again", path_);
    failing_ = false;
    return true;
  }
  if (!failing_)
    log::error(
        "{}: events for the history are queued in memory; events are dropped if the queue is full",
        status.error().message);
  failing_ = true;
  database_.reset();  // open() detects a damaged file
  open_at_ = std::chrono::steady_clock::now() + pace_.again;
  return false;
}

Status HistoryWriter::write(const std::deque<Queued>& batch, std::uint64_t lost) {
  const SweepAssembler sweeps = sweeps_;
  if (auto begun = database_->begin(); !begun) return begun;
  Status status = write_events(batch, lost);
  if (status) status = database_->commit();
  if (status) {
    meter_->written += batch.size();
    return status;
  }
  database_->roll_back();
  sweeps_ = sweeps;
  return status;
}

Status HistoryWriter::write_events(const std::deque<Queued>& batch, std::uint64_t lost) {
  for (const Queued& queued : batch) {
    if (auto put = database_->put(queued.event, queued.at); !put) return put;
    if (const auto sweep = sweeps_.take(queued.event, queued.at))
      if (auto put = database_->put(*sweep); !put) return put;
  }
  if (lost == 0) return {};
  log::warn("{}: {} events are missing in the history: the queue was full", path_, lost);
  Event event;
  event.kind = WEFT_EVENTS_LOST;
  event.count = lost;
  return database_->put(event, std::chrono::system_clock::now());
}

/// Writes the increments since the last call. If writing fails, the next call includes them.
void HistoryWriter::write_counters() {
  const PortCountsTable totals = read_counters_();
  if (!totals) return;
  const CounterDeltas before = counters_;
  const auto records = counters_.take(*totals);
  if (records.empty()) return;
  Status status = database_->begin();
  for (std::size_t i = 0; status && i < records.size(); ++i) status = database_->put(records[i]);
  if (status) status = database_->commit();
  if (!status) {
    database_->roll_back();
    counters_ = before;
  }
  (void)record_result(status);
}

void HistoryWriter::compact() {
  HistoryRetention keeping;
  {
    const std::lock_guard lock(mutex_);
    keeping = keeping_;
  }
  (void)record_result(database_->compact(seconds_now(), keeping));
}

HistoryRetention history_keeping(const Settings& settings) {
  HistoryRetention keeping;
  keeping.retention = std::chrono::days(settings.history_retention_days);
  keeping.bytes_max = settings.history_size_mb * kMiB;
  return keeping;
}

std::unique_ptr<EventSink> make_sink_into(HistoryWriter& writer) {
  return std::make_unique<HistorySink>(writer);
}

}  // namespace weft
