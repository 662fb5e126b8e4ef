// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// weft support FOLDER: collects the data that a diagnosis needs, without keys and tokens.

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "base/file.h"
#include "cli/api_client.h"
#include "cli/common.h"
#include "cli/doctor/report.h"
#include "cli/subcommands.h"
#include "cli/version_text.h"
#include "service/config/config_file.h"
#include "service/http/data/configuration.h"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLogMax = std::size_t{1} << 20;  // bytes of the end of the log
constexpr unsigned kOwnerOnly = 0600;
/// Paths of the HTTP service, and the files for the responses.
constexpr std::pair<const char*, const char*> kServerPaths[] = {
    {"/api/v1/fabric", "fabric.json"},
    {"/api/v1/configuration", "running-configuration.json"},
    {"/api/v1/nodes?limit=10000", "nodes.json"},
    {"/api/v1/links?limit=10000", "links.json"},
    {"/api/v1/errors", "errors.json"},
    {"/api/v1/partitions", "partitions.json"},
    {"/api/v1/events?limit=4096", "events.json"},
    {"/api/v1/engines", "engines.json"},
    {"/api/v1/replication", "replication.json"},
};

struct SupportOptions {
  std::string folder;
  std::string config;
  DoctorFolders folders;
  ServerArgument server;
};

class Bundle {
 public:
  explicit Bundle(std::string folder) : folder_(std::move(folder)) {}

  void add(const std::string& name, std::string_view text) {
    if (const Status written = write_file(folder_ + "/" + name, text, kOwnerOnly); !written)
      write_status_ = written;
    list_ += "  " + name + "\n";
  }
  void add_json(const std::string& name, const Json& json) {
    add(name, json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  }
  const std::string& list() const { return list_; }
  const Status& write_status() const { return write_status_; }

 private:
  const std::string folder_;
  std::string list_;
  Status write_status_;
};

/// The end of a file, at most kLogMax bytes, without a truncated first line.
std::string end_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return {};
  const auto size = static_cast<std::size_t>(file.tellg());
  const std::size_t from = size > kLogMax ? size - kLogMax : 0;
  std::string text(size - from, '\0');
  file.seekg(static_cast<std::streamoff>(from));
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return from > 0 ? text.substr(text.find('\n') + 1) : text;
}

void add_configuration(const std::string& path, Bundle& bundle) {
  Settings settings;
  ConfigDiagnostics diagnostics;
  std::error_code ignored;
  if (fs::exists(path, ignored))
    if (const Status read = read_config(path, settings, diagnostics); !read)
      bundle.add("configuration-errors.txt", read.error().message + "\n");
  bundle.add_json("configuration.json", http_data::configuration(settings));
  if (const std::string log = end_of_file(settings.log_file); !log.empty())
    bundle.add("log.txt", log);
}

void add_server_answers(const ServerArgument& server, Bundle& bundle) {
  auto client = ApiClient::open(server);
  if (!client) return bundle.add("server-errors.txt", client.error().message + "\n");
  std::string errors;
  for (const auto& [path, name] : kServerPaths) {
    const auto json = client->get(path);
    if (json) {
      bundle.add_json(name, *json);
      continue;
    }
    errors += std::string(path) + ": " + json.error().message + "\n";
    if (client->status() == 0) break;  // the service cannot be reached
  }
  if (!errors.empty()) bundle.add("server-errors.txt", errors);
}

int run_support(const SupportOptions& options) {
  if (::mkdir(options.folder.c_str(), 0700) != 0)
    return report({errno == EEXIST ? Code::kUsage : Code::kEnvironment,
                   fmt::format("cannot create {}: {}", options.folder, std::strerror(errno))});
  const std::string config = options.config.empty() ? kDefaultConfig : options.config;
  Bundle bundle(options.folder);
  bundle.add("version.txt", version_text("weft"));
  const LocalMachine machine = read_local_machine(options.folders);
  bundle.add_json("doctor.json", machine_json(machine, all_findings(machine, options.config)));
  add_configuration(config, bundle);
  add_server_answers(options.server, bundle);
  if (!bundle.write_status()) return report(bundle.write_status().error());
  append_to_stdout(fmt::format(
      "{} has these files. They contain names, GUIDs and addresses of the fabric, but no keys and "
      "tokens:\n{}Pack it with: tar czf {}.tar.gz {}\n",
      options.folder, bundle.list(), options.folder, options.folder));
  return 0;
}

Run set_up_support(CLI::App& app) {
  auto options = std::make_shared<SupportOptions>();
  app.add_option("FOLDER", options->folder, "Create this folder, for its owner only")->required();
  app.add_option("-F,--config", options->config, "Collect the settings of this configuration file")
      ->option_text(fmt::format("FILE [{}]", kDefaultConfig));
  add_doctor_folders(app, options->folders);
  add_server(app, options->server);
  return [options] { return run_support(*options); };
}

}  // namespace

const Subcommand kSupportSubcommand{
    "support", "Collect the data for a diagnosis, without keys and tokens", &set_up_support};

}  // namespace weft::cli
