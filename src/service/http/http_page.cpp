// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/http_page.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <system_error>

#include "base/file.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

/// Names of files in this folder contain a hash of the content (by Vite).
constexpr std::string_view kLastingFolder = "/assets/";

/// Content security policy: the page may use only scripts and data of this service. Text from the
/// fabric that a browser interprets as markup can neither run scripts nor send data.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::string_view type_of(std::string_view path) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kTypes{
      {{".html", "text/html; charset=utf-8"},
       {".js", "text/javascript; charset=utf-8"},
       {".css", "text/css; charset=utf-8"},
       {".svg", "image/svg+xml"},
       {".png", "image/png"},
       {".txt", "text/plain; charset=utf-8"}}};
  for (const auto& [ending, type] : kTypes)
    if (path.ends_with(ending)) return type;
  return {};
}

/// ETag of a file: quoted FNV-1a hash. It distinguishes versions, and need not be cryptographic.
std::string tag_of(std::string_view bytes) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return fmt::format("\"{:016x}\"", hash);
}

}  // namespace

Result<PageFiles> PageFiles::read(const std::string& folder) {
  PageFiles page;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, error), end;
  while (!error && at != end) {
    if (!at->is_symlink() && at->is_regular_file()) {
      const std::string name = "/" + at->path().lexically_relative(folder).generic_string();
      if (const auto taken = page.take(at->path().string(), name); !taken) return forward(taken);
    }
    at.increment(error);
  }
  if (error) return fail(Code::kEnvironment, "{}: {}", folder, error.message());
  if (page.file("/") == nullptr)
    return fail(Code::kEnvironment, "{}: expected a folder with the page's index.html", folder);
  return page;
}

Status PageFiles::take(const std::string& path, const std::string& name) {
  if (type_of(name).empty()) return {};
  auto bytes = read_file(path, kBytesMax);
  if (!bytes) return forward(bytes);
  bytes_ += bytes->size();
  if (bytes_ > kBytesMax)
    return fail(Code::kEnvironment, "{}: the page has more than {} bytes", path, kBytesMax);
  add({name, std::make_shared<const std::string>(std::move(*bytes))});
  return {};
}

void PageFiles::add(PageFile file) {
  const std::string_view type = type_of(file.name);
  if (type.empty()) return;
  const bool is_lasting = file.name.starts_with(kLastingFolder);
  std::string tag = tag_of(*file.content);
  files_[std::move(file.name)] = {type, std::move(tag), is_lasting, std::move(file.content)};
}

PageFiles PageFiles::of(const std::vector<PageFile>& files) {
  PageFiles page;
  for (const PageFile& file : files) page.add(file);
  return page;
}

std::vector<PageFile> PageFiles::all() const {
  std::vector<PageFile> files;
  for (const auto& [name, file] : files_) files.push_back({name, file.body});
  return files;
}

const PageFiles::File* PageFiles::file(std::string_view path) const {
  const auto found = files_.find(path == "/" ? std::string_view("/index.html") : path);
  return found == files_.end() ? nullptr : &found->second;
}

const std::string* PageFiles::find(std::string_view path) const {
  const File* found = file(path);
  return found == nullptr ? nullptr : found->body.get();
}

HttpAnswer PageFiles::answer(const HttpRequest& request) const {
  const File* found = file(request.path);
  HttpAnswer answer;
  if (found == nullptr) {
    answer.status = 404;
    return answer;
  }
  answer.headers = {
      {"Cache-Control", found->lasting ? "public, max-age=31536000, immutable" : "no-cache"},
      {"ETag", found->tag},
      {"Content-Security-Policy", std::string(kPolicy)},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"}};
  if (request.have_tag == found->tag) {
    answer.status = 304;
    return answer;
  }
  answer.type = std::string(found->type);
  answer.body = found->body;
  return answer;
}

std::string find_page_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  const fs::path above = program.parent_path().parent_path();
  for (const fs::path& folder : {above / "share/weft/web", above / "web"})
    if (fs::is_regular_file(folder / "index.html", error)) return folder.string();
  return {};
}

}  // namespace weft
