// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/doctor/local_devices.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "base/text.h"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kAttributeMax = 4096;

/// The first line of a file; empty if it cannot be read.
std::string attribute(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return {};
  const auto text = read_file(path, kAttributeMax);
  if (!text) return {};
  return std::string(trim(std::string_view(*text).substr(0, text->find('\n'))));
}

std::vector<std::string> entries(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    names.push_back(at->path().filename());
  std::ranges::sort(names);
  return names;
}

/// The word after the number in "4: ACTIVE".
std::string state_word(const std::string& text) {
  const std::size_t colon = text.find(':');
  return std::string(trim(colon == std::string::npos ? text : text.substr(colon + 1)));
}

/// Parses "100 Gb/sec (4X EDR)".
void read_rate(const std::string& text, LocalPort& port) {
  port.gbps = std::strtod(text.c_str(), nullptr);
  const std::size_t begin = text.find('('), end = text.find('X');
  if (begin != std::string::npos && end != std::string::npos && begin < end)
    port.lanes = parse_number<unsigned>(text.substr(begin + 1, end - begin - 1)).value_or(0);
}

/// The GUID in the lower half of a GID such as "fe80:0000:0000:0000:0002:c903:000e:0b73"; empty if
/// there is none.
std::string guid_of_gid(const std::string& gid) {
  const auto words = split(gid, ':');
  constexpr std::size_t kWords = 8;
  if (words.size() != kWords) return {};
  std::string digits;
  for (std::size_t i = kWords / 2; i < kWords; ++i) digits += words[i];
  const auto guid = parse_number<std::uint64_t>(digits, 16);
  return guid && *guid != 0 ? fmt::format("0x{:016x}", *guid) : std::string();
}

unsigned lid_of(const std::string& text) { return parse_number<unsigned>(text, 16).value_or(0); }

/// Finds the files umadN and issmN of a port.
void find_files(const std::string& sys, const std::string& dev, const std::string& device,
                LocalPort& port) {
  const fs::path mads = fs::path(sys) / "class/infiniband_mad";
  for (const std::string& name : entries(mads)) {
    if (attribute(mads / name / "ibdev") != device ||
        attribute(mads / name / "port") != fmt::format("{}", port.number))
      continue;
    const fs::path file = fs::path(dev) / "infiniband" / name;
    const bool usable = ::access(file.c_str(), R_OK | W_OK) == 0;
    if (name.starts_with("umad")) {
      port.umad = file;
      port.umad_usable = usable;
    } else if (name.starts_with("issm")) {
      port.issm = file;
      port.issm_usable = usable;
    }
  }
}

}  // namespace

LocalMachine read_local_machine(const std::string& sys, const std::string& dev,
                                const std::string& proc) {
  LocalMachine machine;
  const fs::path devices = fs::path(sys) / "class/infiniband";
  for (const std::string& name : entries(devices)) {
    LocalDevice device{
        name, attribute(devices / name / "fw_ver"), attribute(devices / name / "board_id"), {}};
    for (const std::string& number : entries(devices / name / "ports")) {
      const fs::path from = devices / name / "ports" / number;
      LocalPort port;
      port.number = parse_number<unsigned>(number).value_or(0);
      port.guid = guid_of_gid(attribute(from / "gids/0"));
      port.link_layer = attribute(from / "link_layer");
      port.state = state_word(attribute(from / "state"));
      port.phys_state = state_word(attribute(from / "phys_state"));
      port.lid = lid_of(attribute(from / "lid"));
      port.sm_lid = lid_of(attribute(from / "sm_lid"));
      read_rate(attribute(from / "rate"), port);
      find_files(sys, dev, name, port);
      device.ports.push_back(std::move(port));
    }
    machine.devices.push_back(std::move(device));
  }
  for (const std::string& process : entries(proc))
    if (parse_number<unsigned>(process))
      if (const std::string name = attribute(fs::path(proc) / process / "comm"); name == "opensm")
        machine.other_managers.push_back(fmt::format("{} (process {})", name, process));
  return machine;
}

}  // namespace weft::cli
