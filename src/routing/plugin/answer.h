// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The tables that an engine from a shared object fills in its child process, and their conversion
// to routes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/shared_memory.h"
#include "fabric/fabric.h"
#include "routes/routes.h"
#include "routing/engine_plugin.h"
#include "routing/plugin/child_outcome.h"

namespace weft::plugin {

/// An error of an engine; its message is "routing engine PATH: WHY".
tl::unexpected<Error> engine_error(Code code, std::string_view path, std::string_view why);

class Answer {
 public:
  /// The fabric must outlive this object.
  Answer(const Fabric& fabric, std::string_view path);

  /// Stores the sizes of the tables in `head`, for the child process.
  void describe_in(RequestHead& head) const;
  /// Descriptors of the shared memory: the outcome, the forwarding tables, the SL table.
  std::vector<int> descriptors() const;
  const ChildOutcome& outcome() const { return result_->outcome; }

  /// The routes from the tables. Fails with kOutOfVls or kBadField if a value is out of range, and
  /// with kBadField if the kind of the SL table is unknown; the verifier reports missing entries.
  /// The values are copied before they are checked, because a process that the engine started may
  /// still write to the shared memory.
  Result<Routes> routes(unsigned vls_max) const;

 private:
  Status copy_lfts(Lfts& lfts) const;

  const Fabric& fabric_;
  std::string path_;
  std::size_t lft_stride_;
  std::size_t switches_;
  SharedBytes lfts_;
  SharedBytes sls_;
  Shared<TableOutcome> result_;
};

}  // namespace weft::plugin
