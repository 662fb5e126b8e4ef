// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/secure_path.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <deque>
#include <filesystem>

#include "base/printable.h"
#include "base/text.h"

namespace weft {
namespace {

constexpr unsigned kWritableByOthers = 022;
constexpr unsigned kModeBits = 07777;
constexpr int kLinksMax = 40;  // the same as the kernel's limit

tl::unexpected<Error> unsafe(const std::string& path, const std::string& at, std::string_view why) {
  const std::string place = path == at ? std::string() : fmt::format(": {}", printable(at));
  return fail(Code::kUsage, "{}{}: {}", printable(path), place, why);
}

/// Checks one component of a path. `is_last`: the component is the file itself.
Status check_component(const std::string& path, const std::string& at, const struct stat& about,
                       bool is_last) {
  const uid_t own = ::geteuid();
  if (about.st_uid != 0 && about.st_uid != own)
    return unsafe(path, at,
                  fmt::format("found owner {}, expected {}", about.st_uid,
                              own == 0 ? "root" : fmt::format("root or user {}", own)));
  if (S_ISLNK(about.st_mode)) return {};                       // the mode of a link has no meaning
  if (S_ISCHR(about.st_mode) && about.st_uid == 0) return {};  // such as /dev/null
  const bool is_shared = S_ISDIR(about.st_mode) && !is_last && (about.st_mode & S_ISVTX) != 0;
  if ((about.st_mode & kWritableByOthers) == 0 || is_shared) return {};
  return unsafe(
      path, at,
      fmt::format("users other than its owner can write it: found mode {:04o}, expected "
                  "at most {:04o}",
                  about.st_mode & kModeBits, about.st_mode & kModeBits & ~kWritableByOthers));
}

void put_in_front(std::deque<std::string>& parts, std::string_view path) {
  const auto words = split(path, '/');
  for (auto word = words.rbegin(); word != words.rend(); ++word)
    if (!word->empty() && *word != ".") parts.emplace_front(*word);
}

std::string reason_of(const std::string& path) {
  return fmt::format("{}: {}", path, std::strerror(errno));
}

}  // namespace

Status check_only_owner_writes(const std::string& path) {
  std::error_code error;
  const std::string whole = std::filesystem::absolute(path, error).string();
  if (error) return fail(Code::kEnvironment, "{}: {}", printable(path), error.message());
  std::deque<std::string> parts;
  put_in_front(parts, whole);
  std::string at = "/";
  int links = 0;
  struct stat about {};
  if (::stat("/", &about) == 0)
    if (auto status = check_component(path, at, about, false); !status) return status;
  while (!parts.empty()) {
    const std::string part = std::move(parts.front());
    parts.pop_front();
    if (part == "..") {
      at = std::filesystem::path(at).parent_path().string();
      continue;
    }
    const std::string next = at == "/" ? at + part : at + "/" + part;
    if (::lstat(next.c_str(), &about) != 0)
      return {};  // missing or not accessible, so opening it fails
    if (auto status = check_component(path, next, about, parts.empty()); !status) return status;
    if (!S_ISLNK(about.st_mode)) {
      at = next;
      continue;
    }
    std::array<char, PATH_MAX> target{};
    const ssize_t size = ::readlink(next.c_str(), target.data(), target.size());
    if (size < 0 || ++links > kLinksMax) return {};  // opening it fails as well
    if (target[0] == '/') at = "/";
    put_in_front(parts, {target.data(), static_cast<std::size_t>(size)});
  }
  return {};
}

Status make_private_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    return fail(Code::kEnvironment, "{}: cannot create the folder: {}", path, std::strerror(errno));
  struct stat about {};
  if (::lstat(path.c_str(), &about) != 0) return fail(Code::kEnvironment, "{}", reason_of(path));
  if (!S_ISDIR(about.st_mode))
    return fail(Code::kEnvironment, "{}: is no folder, expected a private folder", path);
  return check_only_owner_writes(path);
}

Status write_new_file(const std::string& folder, const std::string& name,
                      std::string_view content) {
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos)
    return fail(Code::kUsage, "{}: expected a name without folders", weft::quoted(name));
  const std::string path = folder + "/" + name;
  if (auto status = make_private_folder(folder); !status) return status;
  const int at = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (at < 0) return fail(Code::kEnvironment, "{}", reason_of(folder));
  const int fd =
      ::openat(at, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) {
    const auto error = fail(Code::kEnvironment, "{}", reason_of(path));
    ::close(at);
    return error;
  }
  bool good = true;
  while (good && !content.empty()) {
    const ssize_t done = ::write(fd, content.data(), content.size());
    good = done > 0 || (done < 0 && errno == EINTR);
    if (done > 0) content.remove_prefix(static_cast<std::size_t>(done));
  }
  good = good && ::fsync(fd) == 0;
  Status status;
  if (!good) {
    status = fail(Code::kEnvironment, "{}", reason_of(path));
    ::unlinkat(at, name.c_str(), 0);
  }
  ::close(fd);
  (void)::fsync(at);  // not every file system can sync a folder
  ::close(at);
  return status;
}

}  // namespace weft
