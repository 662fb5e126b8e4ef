// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Finds the definition of a system type: first in the folders of IBNL files, then among the
// single-chip systems that are built into Weft.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "fabric/formats/ibdm/ibnl.h"

namespace weft {

/// The folders that are searched for IBNL files: options.ibnl_dir, the folders in WEFT_IBNL_PATH
/// (separated by colons), the folder of the topology file and the folder `ibnl` in it, and the
/// installation folders of ibutils. Only the installation folders are checked for existence.
std::vector<std::string> ibnl_folders(const ReadOptions& options, const std::string& topology);

/// A system of one chip: ports P1 to Pn.
IbnlFile make_one_chip_system(const std::string& type, NodeType node_type, std::uint8_t ports);

class IbnlLibrary {
 public:
  IbnlLibrary(std::vector<std::string> folders, Warnings& warnings)
      : folders_(std::move(folders)), warnings_(warnings) {}

  /// The definition of a type; nullptr if there is none. Fails if the file of the type cannot be
  /// read. The first call lists the folders. A file is parsed when one of its types is requested.
  /// The definition is valid as long as this object.
  Result<const IbnlFile*> find(const std::string& type);

  /// Adds a definition of a type for which find() returned nullptr.
  const IbnlFile* add(const std::string& type, IbnlFile file);

  /// The searched folders as text, for messages.
  std::string folders_text() const;

 private:
  void list_folders();
  void list_folder(const std::string& folder);

  std::vector<std::string> folders_;
  Warnings& warnings_;
  bool listed_ = false;
  std::unordered_map<std::string, std::string> path_of_type_;
  std::unordered_map<std::string, const IbnlFile*> by_path_;
  std::unordered_map<std::string, const IbnlFile*> by_type_;  // types that no folder has
  std::deque<IbnlFile> files_;                                // addresses are stable
};

}  // namespace weft
