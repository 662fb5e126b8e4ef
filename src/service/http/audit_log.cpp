// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/audit_log.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/log.h"

namespace weft {
namespace {

using AuditJson = nlohmann::ordered_json;

std::string dumped(const AuditJson& json) {
  return json.dump(-1, ' ', true, AuditJson::error_handler_t::replace);
}

}  // namespace

Result<std::unique_ptr<AuditLog>> AuditLog::open(const std::string& path) {
  std::unique_ptr<AuditLog> log(new AuditLog(path));
  if (const Status opened = log->open_file(); !opened) return forward(opened);
  return log;
}

AuditLog::~AuditLog() {
  if (file_ != nullptr) std::fclose(file_);
}

Status AuditLog::open_file() {
  if (path_.empty()) return {};
  const int fd =
      ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  std::FILE* const file = fd < 0 ? nullptr : ::fdopen(fd, "a");
  if (file == nullptr) {
    const int error = errno;
    if (fd >= 0) ::close(fd);
    return fail(Code::kEnvironment, "{}: cannot open the audit log: {}", path_,
                std::strerror(error));
  }
  (void)::fchmod(fd, 0600);
  if (file_ != nullptr) std::fclose(file_);
  file_ = file;
  return {};
}

void AuditLog::reopen() {
  const std::lock_guard lock(mutex_);
  if (const Status opened = open_file(); !opened) log::error("{}", opened.error().message);
}

void AuditLog::record_refusal(const AuditRecord& record) {
  std::uint64_t unrecorded = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (now - second_ >= std::chrono::seconds(1)) {
      second_ = now;
      refusals_ = 0;
    }
    if (++refusals_ > kRefusalsMax) {
      ++unrecorded_;
      return;
    }
    unrecorded = std::exchange(unrecorded_, 0);
  }
  if (unrecorded > 0) put(dumped({{"audit", "refused"}, {"unrecorded", unrecorded}}));
  write(record, "refused");
}

void AuditLog::write(const AuditRecord& record, const char* what) {
  const auto now =
      std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  AuditJson json;
  if (!path_.empty()) json["time"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
  json["audit"] = what;
  json["client"] = record.client;
  json["role"] = record.role;
  json["address"] = record.address;
  json["request"] = record.request;
  json["status"] = record.status;
  put(dumped(json));
}

void AuditLog::put(const std::string& line) {
  if (path_.empty()) return log::info("audit: {}", line);
  const std::lock_guard lock(mutex_);
  const bool written = std::fwrite(line.data(), 1, line.size(), file_) == line.size() &&
                       std::fputc('\n', file_) != EOF && std::fflush(file_) == 0;
  if (!written && !failed_)
    log::error("{}: cannot write the audit log: {}", path_, std::strerror(errno));
  failed_ = !written;
  std::clearerr(file_);
}

}  // namespace weft
