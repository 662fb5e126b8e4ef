// The endpoints of the HTTP service: maps a request to an answer. Reads published state from the
// board and posts requests there; independent of sockets.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "service/events/event_ring.h"
#include "service/http/http_message.h"
#include "service/http/http_studies.h"
#include "service/http_options.h"
#include "service/metrics/metrics.h"
#include "service/sm_board.h"

namespace weft {

class HttpApi {
 public:
  /// `board` must outlive this object.
  HttpApi(HttpOptions options, SmBoard& board, std::shared_ptr<const EventRing> events);

  /// Thread-safe.
  HttpAnswer answer(const HttpRequest& request);
  /// The same, but only if the answer takes microseconds, such as a cached one; otherwise empty.
  std::optional<HttpAnswer> quick_answer(const HttpRequest& request);

  struct Call;
  struct Endpoint {
    std::string_view method;
    std::string_view path;  // ends with '/' where the rest of the path is a parameter
    HttpAnswer (HttpApi::*run)(const Call& call);
    /// Accepted without a token: always; on a loopback listener; never.
    enum class Open { kAlways, kReads, kChanges } open = Open::kReads;
    bool quick = false;  // its answer always takes microseconds
  };
  /// All endpoints.
  static std::span<const Endpoint> endpoints();

 private:
  bool is_allowed(const Endpoint& endpoint, const HttpRequest& request) const;
  HttpAnswer refuse(const HttpRequest& request) const;
  HttpAnswer page(const HttpRequest& request) const;
  /// Fails with the error answer.
  tl::expected<const Endpoint*, HttpAnswer> endpoint_of(const HttpRequest& request) const;
  Call call_of(const Endpoint& endpoint, const HttpRequest& request) const;

  HttpAnswer healthz(const Call& call);
  HttpAnswer readyz(const Call& call);
  HttpAnswer metrics(const Call& call);
  HttpAnswer openapi(const Call& call);
  HttpAnswer fabric(const Call& call);
  HttpAnswer nodes(const Call& call);
  HttpAnswer node(const Call& call);
  HttpAnswer ports(const Call& call);
  HttpAnswer links(const Call& call);
  HttpAnswer path(const Call& call);
  HttpAnswer partitions(const Call& call);
  HttpAnswer partition(const Call& call);
  HttpAnswer create_partition(const Call& call);
  HttpAnswer change_partition(const Call& call);
  HttpAnswer delete_partition(const Call& call);
  HttpAnswer carry_out(PartitionOrder order, int done);
  HttpAnswer cut_cables(const Call& call);
  HttpAnswer cut_cable(const Call& call);
  HttpAnswer mend_cable(const Call& call);
  HttpAnswer carry_out_cable(CableOrder::Action action, const Call& call);
  HttpAnswer multicast(const Call& call);
  HttpAnswer subscriptions(const Call& call);
  HttpAnswer configuration(const Call& call);
  HttpAnswer events(const Call& call);
  HttpAnswer event_stream(const Call& call);
  HttpAnswer sweep(const Call& call);
  HttpAnswer drawing(const Call& call);
  HttpAnswer search(const Call& call);
  HttpAnswer errors(const Call& call);
  HttpAnswer node_counters(const Call& call);
  HttpAnswer all_counters(const Call& call);
  HttpAnswer history_events(const Call& call);
  HttpAnswer history_sweeps(const Call& call);
  HttpAnswer history_counters(const Call& call);
  HttpAnswer engines(const Call& call);
  HttpAnswer compare(const Call& call);
  HttpAnswer what_if(const Call& call);
  HttpAnswer study(const Call& call, const Studies::Study& study);

  PortCountsTable counters();
  template <class Make>
  std::shared_ptr<const std::string> cached(const std::shared_ptr<const Snapshot>& snapshot,
                                            std::string key, Make make);
  template <class Make>
  HttpAnswer of_snapshot(const Call& call, Make make);
  template <class Read>
  HttpAnswer of_queries(Read read);
  template <class Read>
  HttpAnswer of_history(const Call& call, std::optional<Guid> node, Read read);

  const HttpOptions options_;
  SmBoard& board_;
  const std::shared_ptr<const EventRing> events_;

  // Cache of texts that depend on the snapshot alone; valid until a new snapshot is published.
  static constexpr std::size_t kCacheMax = std::size_t{32} << 20;  // bytes
  std::mutex cache_mutex_;
  std::shared_ptr<const Snapshot> cache_snapshot_;
  std::unordered_map<std::string, std::shared_ptr<const std::string>> cache_;
  std::size_t cache_bytes_ = 0;

  // Cached answer with all settings; valid until the settings change.
  std::mutex configuration_mutex_;
  std::shared_ptr<const Settings> configuration_of_;
  std::shared_ptr<const std::string> configuration_;

  std::mutex drawing_mutex_;  // one drawing is computed at a time
  Studies studies_;

  // Short-lived copy of all counters, so that concurrent requests share one reading.
  std::mutex counters_mutex_;
  PortCountsTable counters_;
  std::chrono::steady_clock::time_point counters_at_{};
};

}  // namespace weft
