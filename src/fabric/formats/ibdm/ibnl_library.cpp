// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/formats/ibdm/ibnl_library.h"

#include <glob.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "base/text.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFilesMax = 10'000;           // files of one folder
constexpr std::uintmax_t kFileSizeMax = 64u << 20;  // bytes; any chassis needs less

/// Single-chip systems with ports P1 to Pn, by their product names.
struct KnownSystem {
  std::string_view type;
  NodeType node_type;
  std::uint8_t ports;
};
constexpr NodeType kHca = NodeType::kCa;
constexpr NodeType kSw = NodeType::kSwitch;
constexpr std::array kKnownSystems{
    KnownSystem{"MT23108", kHca, 2},  KnownSystem{"Cougar", kHca, 2},
    KnownSystem{"MT25208", kHca, 2},  KnownSystem{"Lion", kHca, 2},
    KnownSystem{"MT25218", kHca, 2},  KnownSystem{"LionMini", kHca, 2},
    KnownSystem{"MT25204", kHca, 1},  KnownSystem{"Cheetah", kHca, 1},
    KnownSystem{"MT25408", kHca, 2},  KnownSystem{"Eagle", kHca, 2},
    KnownSystem{"MT26428", kHca, 2},  KnownSystem{"MT27500", kHca, 2},
    KnownSystem{"MTS800", kSw, 8},    KnownSystem{"Buffalo", kSw, 8},
    KnownSystem{"MTS2400", kSw, 24},  KnownSystem{"MTS2400-24", kSw, 24},
    KnownSystem{"Reindeer", kSw, 24}, KnownSystem{"MTS3600", kSw, 36},
    KnownSystem{"Shark", kSw, 36},    KnownSystem{"SX6036", kSw, 36},
    KnownSystem{"MSX6036", kSw, 36},  KnownSystem{"SB7700", kSw, 36},
    KnownSystem{"MSB7700", kSw, 36},  KnownSystem{"SB7800", kSw, 36},
    KnownSystem{"MSB7800", kSw, 36},  KnownSystem{"QM8700", kSw, 40},
    KnownSystem{"MQM8700", kSw, 40},  KnownSystem{"QM9700", kSw, 64},
    KnownSystem{"MQM9700", kSw, 64},
};

/// Folders in which Debian, Red Hat and a build from source install ibutils' definitions.
std::vector<std::string> installed_folders() {
  std::vector<std::string> folders;
  for (const char* pattern :
       {"/usr/lib/*/ibdm*/ibnl", "/usr/lib/ibdm*/ibnl", "/usr/lib64/ibdm*/ibnl",
        "/usr/share/ibdm*/ibnl", "/usr/local/lib/ibdm*/ibnl", "/usr/local/lib64/ibdm*/ibnl"}) {
    glob_t found{};
    if (glob(pattern, 0, nullptr, &found) == 0)
      folders.insert(folders.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
    globfree(&found);
  }
  return folders;
}

}  // namespace

std::vector<std::string> ibnl_folders(const ReadOptions& options, const std::string& topology) {
  std::vector<std::string> folders;
  const auto add = [&](const std::string& folder) {
    if (!folder.empty() && std::ranges::find(folders, folder) == folders.end())
      folders.push_back(folder);
  };
  add(options.ibnl_dir);
  if (const char* path = std::getenv("WEFT_IBNL_PATH"))
    for (const std::string_view folder : split(path, ':')) add(std::string(folder));
  const fs::path own = fs::path(topology).parent_path();
  add(own.empty() ? "." : own.string());
  add((own.empty() ? fs::path("ibnl") : own / "ibnl").string());
  for (const std::string& folder : installed_folders()) add(folder);
  return folders;
}

IbnlFile make_one_chip_system(const std::string& type, NodeType node_type, std::uint8_t ports) {
  IbnlPart chip;
  chip.is_chip = true;
  chip.type = node_type;
  chip.ports = ports;
  chip.kind = type;
  chip.name = "U1";
  for (unsigned port = 1; port <= ports; ++port)
    chip.connections.push_back({std::to_string(port), {}, fmt::format("P{}", port), {}, 0});
  IbnlFile file;
  file.path = type;
  file.boards.push_back({{type}, {std::move(chip)}, 0});
  return file;
}

void IbnlLibrary::list_folder(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> paths;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() != ".ibnl" || paths.size() >= kFilesMax) continue;
    std::error_code ignored;
    if (!at->is_regular_file(ignored) || at->file_size(ignored) > kFileSizeMax) continue;
    paths.push_back(at->path().string());
  }
  std::ranges::sort(paths);
  for (const std::string& path : paths) {
    auto lines = LineReader::open(path);
    if (!lines) {
      warnings_.add(lines.error().message);
      continue;
    }
    const auto names = read_ibnl_names(*lines);
    if (!names) {
      warnings_.add(names.error().message);
      continue;
    }
    for (const std::string& name : *names) path_of_type_.emplace(name, path);
  }
}

void IbnlLibrary::list_folders() {
  if (listed_) return;
  listed_ = true;
  for (const std::string& folder : folders_) list_folder(folder);
}

Result<const IbnlFile*> IbnlLibrary::find(const std::string& type) {
  list_folders();
  if (const auto path = path_of_type_.find(type); path != path_of_type_.end()) {
    const IbnlFile*& file = by_path_[path->second];
    if (file != nullptr) return file;
    auto lines = LineReader::open(path->second);
    if (!lines) return forward(lines);
    auto read = read_ibnl_file(*lines);
    if (!read) return forward(read);
    file = &files_.emplace_back(std::move(*read));
    return file;
  }
  if (const auto known = by_type_.find(type); known != by_type_.end()) return known->second;
  const auto known = std::ranges::find(kKnownSystems, type, &KnownSystem::type);
  if (known == kKnownSystems.end()) return nullptr;
  return add(type, make_one_chip_system(type, known->node_type, known->ports));
}

const IbnlFile* IbnlLibrary::add(const std::string& type, IbnlFile file) {
  return by_type_[type] = &files_.emplace_back(std::move(file));
}

std::string IbnlLibrary::folders_text() const {
  return fmt::format("{}", fmt::join(folders_, ", "));
}

}  // namespace weft
