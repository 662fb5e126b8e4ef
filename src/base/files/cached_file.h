// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// State that a process keeps across restarts, in a file of the persistent folder.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace weft {

/// The name, the reader and the writer of a state file.
template <typename State>
struct CachedFormat {
  const char* file;  // file name in the folder
  const char* what;  // plural noun for the content, in messages
  /// Drops damaged lines and appends warnings; a file that does not exist has no content.
  Result<State> (*read)(const std::string& path, std::vector<std::string>& warnings);
  Status (*write)(const std::string& path, const State& state);
};

/// Keeps a copy of the file under another name in the same folder and returns the path of the copy.
/// Fails with kEnvironment, naming the path of the file.
Result<std::string> copy_damaged(const std::string& path);

/// The part of CachedFile that does not depend on the type of the state.
class CachedPlace {
 public:
  explicit CachedPlace(const char* what) : what_(what) {}
  void add_read_warning(const Error& error, std::vector<std::string>& warnings);
  /// Copies a damaged file to another name, so that the content can be repaired. write() overwrites
  /// the file only if the copy succeeded.
  void keep_damaged(const std::string& path, std::vector<std::string>& warnings);
  /// Writes into `folder`, which is created if it does not exist. True if the file was written.
  template <typename Write>
  bool write(const std::string& folder, const std::string& path, std::vector<std::string>& warnings,
             const Write& write) {
    if (!may_write(folder, path, warnings)) return false;
    const Status status = write(path);
    if (!status) add_save_warning(status.error(), warnings);
    return status.has_value();
  }

 private:
  bool may_write(const std::string& folder, const std::string& path,
                 std::vector<std::string>& warnings);
  void add_save_warning(const Error& error, std::vector<std::string>& warnings);

  const char* what_;
  bool may_overwrite_ = true;  // overwriting the file loses no data
};

template <typename State>
class CachedFile {
 public:
  explicit CachedFile(const CachedFormat<State>& format) : format_(format), place_(format.what) {}

  /// The current state. The first call, and the first call after forget(), read the state from the
  /// file in `folder` (empty: no file). A file that cannot be read gives an empty state, and save()
  /// then leaves this file unchanged. Appends to `warnings`.
  State& recall(const std::string& folder, std::vector<std::string>& warnings) {
    if (state_) return *state_;
    state_.emplace();
    saved_.emplace();
    if (folder.empty()) return *state_;
    const std::string path = path_in(folder);
    const std::size_t before = warnings.size();
    auto read = format_.read(path, warnings);
    if (!read) {
      place_.add_read_warning(read.error(), warnings);
      return *state_;
    }
    state_ = saved_ = std::move(*read);
    if (warnings.size() > before) {
      saved_.reset();
      place_.keep_damaged(path, warnings);
    }
    return *state_;
  }
  /// Drops the state, which recall() must have returned; the next save() replaces the file.
  void clear() {
    *state_ = State{};
    saved_.reset();
  }
  /// Writes the file if the state differs from its content.
  void save(const std::string& folder, std::vector<std::string>& warnings) {
    if (folder.empty() || !state_ || saved_ == state_) return;
    const bool is_written =
        place_.write(folder, path_in(folder), warnings,
                     [&](const std::string& path) { return format_.write(path, *state_); });
    if (is_written) saved_ = state_;
  }
  /// Replaces the state and saves it. Returns the warnings of recall() and save().
  std::vector<std::string> replace(const std::string& folder, State state) {
    std::vector<std::string> warnings;
    recall(folder, warnings) = std::move(state);
    save(folder, warnings);
    return warnings;
  }
  /// The current state, without reading a file.
  State known() const { return state_.value_or(State{}); }
  /// Drops the state, because another process may have replaced the file: the next recall() reads
  /// the file again.
  void forget() { state_.reset(); }

 private:
  std::string path_in(const std::string& folder) const { return folder + "/" + format_.file; }

  CachedFormat<State> format_;
  CachedPlace place_;
  std::optional<State> state_;
  std::optional<State> saved_;  // content of the file; none: damaged or to be replaced
};

}  // namespace weft
