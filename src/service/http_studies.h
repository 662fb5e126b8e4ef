// What would be: another engine's routes on the fabric as it is, or the loss of a cable or switch.
// The engines are pure functions of the published snapshot, so that nothing here touches the
// manager; a study has one thread of low priority, and there is one study at a time.
#pragma once

#include <functional>
#include <mutex>
#include <optional>

#include "service/http_data.h"
#include "whatif/what_if.h"

namespace weft {

/// The engines that could be asked for, and the one in force.
http_data::Json engines_json(const Snapshot& snapshot);

/// What the engine makes of the fabric, under the settings in force. An engine that does not serve
/// says why; that is an answer too. Fails with kUsage for an engine that there is not.
Result<http_data::Json> compare_engine(const Snapshot& snapshot, const Settings& settings,
                                       const std::string& engine);

/// The cable at a port, or the switch where there is none. Fails with kUsage.
Result<Failure> failure_at(const Fabric& fabric, Guid node, std::optional<PortNum> port);

/// The failure played through with the engines of the settings.
Result<http_data::Json> what_if(const Snapshot& snapshot, const Settings& settings,
                                const Failure& failure);

class Studies {
 public:
  /// Above this a study would take too long: `weft route` and `weft simulate` do it elsewhere.
  static constexpr std::uint64_t kEntriesMax = std::uint64_t{1} << 26;  // LIDs times switches

  using Study = std::function<Result<http_data::Json>()>;
  /// Runs it and waits. Fails with kTimeout where another is under way, and with kRejected
  /// where the fabric is too large.
  Result<http_data::Json> run(const Fabric& fabric, const Study& study);

 private:
  std::mutex one_;
};

}  // namespace weft
