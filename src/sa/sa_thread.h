// The subnet administration on a thread of its own, so that neither a sweep delays answers nor
// answers a sweep. Who receives may let it answer what costs microseconds at once, on his own
// thread: waking another one costs more than such an answer.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "sa/server.h"

namespace weft {

class SaThread {
 public:
  /// Serves `transport` until it is destroyed.
  SaThread(SaOptions options, GmpTransport& transport, const Clock& clock);
  ~SaThread();
  SaThread(const SaThread&) = delete;
  SaThread& operator=(const SaThread&) = delete;

  /// As SaServer's; they take effect before the next request is answered.
  void publish(std::shared_ptr<const Snapshot> snapshot);
  void set_options(SaOptions options);
  void on_trap(const Notice& notice);
  /// Answers a Get of the path between two ports, if the thread is at rest. False: nothing was
  /// done, and the request is for `transport` to bring. By any one thread besides.
  bool answer_at_once(const Gmp& gmp);
  /// SaServer's groups, where they have changed since they were last taken.
  std::optional<std::vector<FiledGroup>> take_multicast_groups();
  std::optional<AliasGuids> take_alias_guids();
  std::shared_ptr<const sa::Meter> meter() const { return server_.meter(); }
  /// Calls `look` on the thread, between two of its turns.
  void post(std::function<void(const SaServer&)> look);
  /// opensm-sa.dump: the text is there to be taken some time after it was asked for.
  void ask_for_dump();
  std::optional<std::string> take_dump();

 private:
  static constexpr std::size_t kTrapsMax = 4096;  // not taken yet; the others are lost

  void run();
  void take_news();
  void hand_out();

  GmpTransport& transport_;
  const Clock& clock_;
  std::mutex serving_;
  SaServer server_;  // of who holds `serving_`

  std::mutex mutex_;
  std::optional<std::shared_ptr<const Snapshot>> published_;  // not taken yet
  std::optional<SaOptions> options_;
  std::vector<Notice> traps_;
  std::vector<std::function<void(const SaServer&)>> posted_;
  bool dump_wanted_ = false;
  std::optional<std::vector<FiledGroup>> groups_;  // for whoever takes them
  std::optional<AliasGuids> aliases_;
  std::optional<std::string> dump_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace weft
