// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Keys of one management class: publish(), to be called after every heavy sweep and incremental
// discovery, begins a round, which checks the keys that were confirmed and sets all other keys; a
// new version of the keys, and a change of the options, begins a further round. A state machine
// without threads or sleeping.
//   ClassKeyManager keys(KeyedClass::kVendor, transport, clock, options);
//   keys.publish(snapshot);   keys.step();
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "gmp/class_key_work.h"
#include "gmp/gmp_client.h"
#include "gmp/options.h"

namespace weft {

/// The version of keys at a given time, and the start of the next version; TimeNs::max(): never.
struct KeyVersion {
  std::uint64_t number = 0;
  TimeNs until = TimeNs::max();
};
KeyVersion key_version_at(const ClassKeyOptions& options, TimeNs now);

/// Stores the keys of ports for later runs in a file with the format of guid2mkey. Failures are
/// logged; after a failure read() returns no keys.
class ClassKeyFile {
 public:
  explicit ClassKeyFile(std::string path) : path_(std::move(path)) {}
  KeyMemory read();
  void write(const KeyMemory& keys);

 private:
  const std::string path_;  // empty: no file
  KeyMemory on_disk_;
};

class ClassKeyManager {
 public:
  ClassKeyManager(KeyedClass keyed, GmpTransport& transport, const Clock& clock,
                  ClassKeyOptions options);

  /// Sets the subnet and begins a round. Null means that the manager is not master; then no keys
  /// are set.
  void publish(std::shared_ptr<const Snapshot> snapshot);
  /// Begins a round if the options differ from the current options. The file stays the same.
  void set_options(ClassKeyOptions options);

  /// Processes received MADs and sends requests up to the limit; does not wait for answers. Writes
  /// the file at the end of a round.
  void step();
  /// Time of the next step() if nothing is received before.
  TimeNs next_event() const;
  /// True if all requests were sent, and each was answered or has failed.
  bool settled() const { return work_.is_done() && client_.outstanding() == 0; }
  const ClassKeyWork& work() const { return work_; }

 private:
  void begin();

  const Clock& clock_;
  ClassKeyOptions options_;
  GmpClient client_;
  ClassKeyWork work_;
  ClassKeyFile file_;
  KeyVersion version_;
  std::shared_ptr<const Snapshot> snapshot_;
};

}  // namespace weft
