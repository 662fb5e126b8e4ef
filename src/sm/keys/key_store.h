// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Stores M_Keys for later runs. A manager that is killed while it changes keys must regain access
// to the ports: before the first change, the new keys are written to a second file beside
// guid2mkey. The second file is removed once guid2mkey has the active keys.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "fabric/fabric.h"
#include "sm/keys/key_files.h"
#include "sm/keys/known_keys.h"

namespace weft {

class KeyStore {
 public:
  /// `keys` must outlive this object.
  explicit KeyStore(KnownKeys& keys) : keys_(keys) {}

  /// Reads the keys of earlier runs from `cache_dir` (empty: no files), and logs warnings. With
  /// `lookup` these keys become known keys.
  void recall(const std::string& cache_dir, bool lookup);
  /// Saves new keys before they are set in ports; has no effect if `cache_dir` is empty. If saving
  /// fails, the keys must not be set, because the keys of ports must be in a file. A new attempt is
  /// due at retry_at().
  Status announce(KeyMemory announced, const std::string& cache_dir, TimeNs now);
  TimeNs retry_at() const { return retry_at_; }
  /// Repeats announce() after a write error, such as a full disk; ports stay unprotected until
  /// then. True once the keys are saved and a sweep can set them.
  bool retry(const std::string& cache_dir, TimeNs now);
  /// Writes guid2mkey and neighbors if the known keys or the cables of `fabric` differ from their
  /// content; a file stays unchanged if recall() could not read it, or could not copy it although
  /// it is damaged. Fails if the directory or guid2mkey cannot be written; logs a warning if
  /// neighbors cannot be written. `complete`: every Set was confirmed, so that the announced keys
  /// are no longer needed. Has no effect if `cache_dir` is empty.
  Status save(const Fabric& fabric, const std::string& cache_dir, bool complete);

  /// The known keys, and the keys of absent ports, as in guid2mkey.
  KeyMemory all() const;
  /// The content of the neighbors file.
  NeighborMemory neighbors() const { return neighbors_.known(); }

 private:
  static constexpr TimeNs kRetryAfter = std::chrono::seconds(10);

  KnownKeys& keys_;
  bool may_overwrite_ = true;  // overwriting guid2mkey loses no data
  KeyMemory announced_;        // not in a file yet, so not set in ports
  TimeNs retry_at_ = TimeNs::max();
  KeyMemory keys_on_disk_;
  CachedFile<NeighborMemory> neighbors_{kNeighborFile};
};

}  // namespace weft
