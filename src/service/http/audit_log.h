// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The audit log: changes over HTTP and refused clients, one JSON object per line. The log is a file
// that only its owner may read, or the manager's log. Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"

namespace weft {

struct AuditRecord {
  std::string client;  // "token operate", "certificate alice", "wrong token"
  std::string role;
  std::string address;  // address of the client
  std::string request;  // method and path
  int status = 0;       // HTTP status of the response
};

class AuditLog {
 public:
  /// Most refused requests that are recorded in a second; further refused requests are counted.
  static constexpr unsigned kRefusalsMax = 10;

  /// Opens the log; with an empty path, writes to the manager's log. Fails with kEnvironment; the
  /// message contains the path.
  static Result<std::unique_ptr<AuditLog>> open(const std::string& path);
  ~AuditLog();
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;

  void record_change(const AuditRecord& record) { write(record, "change"); }
  void record_refusal(const AuditRecord& record);
  /// Opens the file again after it was renamed. If that fails, logs the error and keeps the old
  /// file.
  void reopen();

 private:
  explicit AuditLog(std::string path) : path_(std::move(path)) {}
  Status open_file();
  void write(const AuditRecord& record, const char* what);
  void put(const std::string& line);

  const std::string path_;
  std::mutex mutex_;
  std::FILE* file_ = nullptr;
  bool failed_ = false;  // the last write failed, and the failure is logged
  std::chrono::steady_clock::time_point second_{};
  unsigned refusals_ = 0;  // number of refused requests since second_
  std::uint64_t unrecorded_ = 0;
};

}  // namespace weft
