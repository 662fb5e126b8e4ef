#include "routing/plugin.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/text.h"
#include "ib/rates.h"
#include "routing/deadlock/lanes.h"
#include "routing/engine_plugin.h"

namespace weft {
namespace {

constexpr std::size_t kEnginesMax = 16;

struct EnginePlugin {
  std::string path;
  std::string summary;
  const weft_engine_interface* with = nullptr;
  Engine engine;
};

constexpr std::size_t kReasonMax = sizeof(weft_tables::reason);
constexpr std::chrono::seconds kProbePatience{10};
std::atomic<std::chrono::milliseconds> time_limit{std::chrono::minutes(10)};

tl::unexpected<Error> wrong(Code code, std::string_view path, std::string_view why) {
  return fail(code, "routing engine {}: {}", path, why);
}

// ---- Memory that a child process fills ----

/// Bytes that end at the end of a page, with inaccessible pages before and after: a write outside
/// crashes at once.
class SharedBytes {
 public:
  explicit SharedBytes(std::size_t size) : size_(size) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t body = (size + page - 1) / page * page;
    whole_ = body + 2 * page;
    base_ = ::mmap(nullptr, whole_, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base_ == MAP_FAILED) throw std::bad_alloc();
    auto* first = static_cast<std::uint8_t*>(base_) + page;
    if (body > 0 && ::mprotect(first, body, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    data_ = first + (body - size);
  }
  ~SharedBytes() { ::munmap(base_, whole_); }
  SharedBytes(const SharedBytes&) = delete;
  SharedBytes& operator=(const SharedBytes&) = delete;
  std::uint8_t* data() const { return data_; }
  std::span<const std::uint8_t> bytes() const { return {data_, size_}; }

 private:
  std::size_t size_;
  std::size_t whole_ = 0;
  void* base_ = nullptr;
  std::uint8_t* data_ = nullptr;
};

/// The result of a child process; plain bytes in shared memory.
struct ChildOutcome {
  enum State : std::uint32_t { kNothing, kDone, kRefused };
  std::uint32_t state = kNothing;
  char reason[kReasonMax] = {};

  void refuse(const char* why) {
    std::snprintf(reason, sizeof reason, "%s", why == nullptr ? "" : why);
    state = kRefused;
  }
  /// A single line of limited length for messages.
  std::string text() const {
    return quoted(std::string_view(reason, ::strnlen(reason, kReasonMax)));
  }
};

/// A struct in shared memory of its own.
template <class T>
class Shared {
 public:
  Shared()
      : bytes_((sizeof(T) + alignof(std::max_align_t) - 1) / alignof(std::max_align_t) *
               alignof(std::max_align_t)) {
    value_ = new (bytes_.data()) T();
  }
  T* operator->() const { return value_; }
  T& operator*() const { return *value_; }

 private:
  SharedBytes bytes_;
  T* value_ = nullptr;
};

// ---- Child processes ----

/// In the child: default signals, no core file, nothing on standard output, which is for reports;
/// the child ends with its parent.
void prepare_child() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int sig : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGINT, SIGTERM, SIGHUP, SIGPIPE})
    std::signal(sig, SIG_DFL);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  std::fflush(nullptr);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

/// Runs `work` in a child process. Empty if it finished, else what happened to it.
std::string in_child(std::chrono::milliseconds limit, const std::function<void()>& work) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) return fmt::format("cannot start a child process: {}", std::strerror(errno));
  if (child == 0) {
    prepare_child();
    work();
    ::_exit(0);
  }
  const Stopwatch watch;
  auto pause = std::chrono::microseconds(100);
  int status = 0;
  pid_t ended = 0;
  while ((ended = ::waitpid(child, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
    if (watch.seconds() > std::chrono::duration<double>(limit).count()) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return fmt::format("has not ended after {} s", std::chrono::duration<double>(limit).count());
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(10'000));
  }
  if (ended > 0 && WIFSIGNALED(status))
    return fmt::format("crashed ({})", ::strsignal(WTERMSIG(status)));
  if (ended > 0 && WEXITSTATUS(status) != 0)
    return fmt::format("ended its process with status {}", WEXITSTATUS(status));
  return {};
}

/// Runs code that may throw anything.
void guarded(ChildOutcome& outcome, const std::function<void()>& work) {
  try {
    work();
  } catch (const std::exception& error) {
    outcome.refuse(fmt::format("threw {}", error.what()).c_str());
  } catch (...) {
    outcome.refuse("threw an exception of unknown type");
  }
}

// ---- Loading ----

/// The interface of a library, or an error. The library stays loaded.
Result<const weft_engine_interface*> open_library(const std::string& path) {
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = ::dlerror();
    return wrong(Code::kUsage, path, why == nullptr ? "cannot be loaded" : why);
  }
  const auto* with = static_cast<const weft_engine_interface*>(::dlsym(library, "weft_engine"));
  if (with == nullptr)
    return wrong(Code::kUsage, path, "has no weft_engine: it is no routing engine for Weft");
  if (with->version != WEFT_ENGINE_VERSION)
    return wrong(Code::kUsage, path,
                 fmt::format("has version {} of the interface, expected {}", with->version,
                             WEFT_ENGINE_VERSION));
  if (with->route == nullptr) return wrong(Code::kUsage, path, "lacks the function route");
  return with;
}

/// Loads the library in a child process first, because loading runs code of the library.
Status probe(const std::string& path) {
  const Shared<ChildOutcome> outcome;
  const std::string fate = in_child(kProbePatience, [&] {
    guarded(*outcome, [&] {
      const auto opened = open_library(path);
      if (opened) {
        (void)std::strlen((*opened)->summary == nullptr ? "" : (*opened)->summary);
        outcome->state = ChildOutcome::kDone;
      } else {
        outcome->refuse(opened.error().message.c_str());
      }
    });
  });
  if (!fate.empty()) return wrong(Code::kUsage, path, fmt::format("{} while it was loaded", fate));
  if (outcome->state == ChildOutcome::kDone) return {};
  const std::string reason(outcome->reason, ::strnlen(outcome->reason, kReasonMax));
  if (reason.starts_with("routing engine ")) return fail(Code::kUsage, "{}", reason);
  return wrong(
      Code::kUsage, path,
      reason.empty() ? "ended its process while it was loaded" : reason + " while it was loaded");
}

struct Loaded {
  std::mutex mutex;
  std::vector<std::unique_ptr<EnginePlugin>> engines;  // in the order of loading

  const EnginePlugin* find(std::string_view path) const {
    const auto found = std::ranges::find(
        engines, path, [](const auto& one) { return std::string_view(one->path); });
    return found == engines.end() ? nullptr : found->get();
  }
};
Loaded& loaded() {
  static Loaded all;
  return all;
}

// ---- Routing ----

/// A fabric in the types of the plugin interface.
class PlainFabric {
 public:
  PlainFabric(const Fabric& fabric, unsigned vls_max) {
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) add_switch(fabric, SwitchId(s));
    for (const Channel& channel : fabric.channels()) add_channel(fabric, channel);
    for (std::uint32_t e = fabric.switch_count(); e < fabric.endport_count(); ++e)
      add_host(fabric, fabric.endport(EndportId(e)));
    view_.size = sizeof view_;
    view_.switch_count = fabric.switch_count();
    view_.channel_count = fabric.channel_count();
    view_.host_count = static_cast<std::uint32_t>(hosts_.size());
    view_.switches = switches_.data();
    view_.channels = channels_.data();
    view_.hosts = hosts_.data();
    view_.lid_top = fabric.lid_top().value();
    view_.vls_max = vls_max;
  }
  const weft_fabric& view() const { return view_; }

 private:
  void add_switch(const Fabric& fabric, SwitchId sw) {
    const Node& node = fabric.node(sw);
    const Endport& port0 = fabric.endport(Fabric::endport_of(sw));
    weft_switch plain{};
    plain.guid = node.node_guid.value();
    plain.name = node.description.c_str();
    plain.first_channel = fabric.first_channel(sw).value();
    plain.channel_count = static_cast<std::uint32_t>(fabric.channels_from(sw).size());
    plain.lid = port0.lid.value();
    plain.lmc = port0.lmc;
    plain.port_count = node.port_count;
    switches_.push_back(plain);
  }
  void add_channel(const Fabric& fabric, const Channel& channel) {
    const Port& port = fabric.ports(channel.from)[channel.from_port.value()];
    weft_channel plain{};
    plain.from = channel.from.value();
    plain.to = channel.to.value();
    plain.reverse = channel.reverse.value();
    plain.rate = 100 * data_rate_of(rate_code(port.width, port.speed));
    plain.from_port = channel.from_port.value();
    plain.to_port = channel.to_port.value();
    channels_.push_back(plain);
  }
  void add_host(const Fabric& fabric, const Endport& endport) {
    const Node& node = fabric.node(endport.node);
    weft_host plain{};
    plain.port_guid = fabric.port(endport.port).guid.value();
    plain.node_guid = node.node_guid.value();
    plain.name = node.description.c_str();
    plain.sw = endport.sw == kNoSwitch ? WEFT_NO_SWITCH : endport.sw.value();
    plain.lid = endport.lid.value();
    plain.lmc = endport.lmc;
    plain.sw_port = endport.sw_port.value();
    hosts_.push_back(plain);
  }

  std::vector<weft_switch> switches_;
  std::vector<weft_channel> channels_;
  std::vector<weft_host> hosts_;
  weft_fabric view_{};
};

/// The tables that a plugin fills, and their conversion to routes.
class Answer {
 public:
  Answer(const Fabric& fabric, std::string_view path)
      : fabric_(fabric),
        path_(path),
        row_(std::size_t{fabric.lid_top().value()} + 1),
        switches_(fabric.switch_count()),
        lfts_(switches_ * row_),
        lanes_(switches_ * std::max(switches_, row_)) {
    std::memset(lfts_.data(), WEFT_NO_ROUTE, lfts_.bytes().size());
    tables_->tables.size = sizeof(weft_tables);
    tables_->tables.vls = 1;
    tables_->tables.lfts = lfts_.data();
    tables_->tables.lft_stride = row_;
    tables_->tables.path_sl = &Answer::path_sl;
    tables_->tables.reserved = this;
  }

  weft_tables* tables() const { return &tables_->tables; }
  ChildOutcome& outcome() const { return tables_->outcome; }

  /// Every entry is checked: values out of range are an error; missing entries are left to the
  /// verifier.
  Result<Routes> routes(unsigned vls_max) const {
    const unsigned vls = tables_->tables.vls;
    if (vls < 1 || vls > vls_max)
      return wrong(Code::kOutOfVls, path_,
                   fmt::format("uses {} VLs, the fabric has {}", vls, vls_max));
    Routes routes;
    routes.engine = path_;
    routes.vls = routes.vls_needed = vls;
    if (vls > 1) routes.sl2vl = Sl2Vl(modulo_map(vls));
    if (const auto status = copy_lfts(routes.lfts); !status) return forward(status);
    const std::size_t count = sl_count(tables_->kind);
    const auto sls = lanes_.bytes().first(count);
    const auto high = std::ranges::find_if(sls, [&](std::uint8_t sl) { return sl >= vls; });
    if (high != sls.end())
      return wrong(Code::kBadField, path_,
                   fmt::format("entry {} of its SLs is {}, expected less than the {} VLs in use",
                               high - sls.begin(), *high, vls));
    std::vector<std::uint8_t> table(sls.begin(), sls.end());
    switch (tables_->kind) {
      case WEFT_SL_BY_LID:
        routes.path_sl = PathSl::by_destination(std::move(table));
        break;
      case WEFT_SL_BY_SWITCH_PAIR:
        routes.path_sl =
            PathSl::by_switch_pair(static_cast<std::uint32_t>(switches_), std::move(table));
        break;
      case WEFT_SL_BY_SWITCH_AND_LID:
        routes.path_sl = PathSl::by_switch_and_lid(static_cast<std::uint32_t>(switches_),
                                                   fabric_.lid_top(), std::move(table));
        break;
      default:
        break;
    }
    return routes;
  }

 private:
  struct Tables {
    weft_tables tables{};
    ChildOutcome outcome;
    std::uint32_t kind = WEFT_SL_NONE;
  };

  std::size_t sl_count(std::uint32_t kind) const {
    switch (kind) {
      case WEFT_SL_BY_LID:
        return row_;
      case WEFT_SL_BY_SWITCH_PAIR:
        return switches_ * switches_;
      case WEFT_SL_BY_SWITCH_AND_LID:
        return switches_ * row_;
      default:
        return 0;
    }
  }

  /// Runs in the child. The table ends at the end of a mapping, so a write past it crashes.
  static std::uint8_t* path_sl(weft_tables* tables, std::uint32_t kind) {
    const auto* self = static_cast<const Answer*>(tables->reserved);
    const std::size_t count = self->sl_count(kind);
    if (count == 0 && kind != WEFT_SL_NONE) return nullptr;
    self->tables_->kind = kind;
    std::memset(self->lanes_.data(), 0, count);
    return self->lanes_.data();
  }

  Status copy_lfts(Lfts& lfts) const {
    lfts = Lfts(fabric_.switch_count(), fabric_.lid_top());
    for (std::uint32_t s = 0; s < switches_; ++s) {
      const auto row = lfts_.bytes().subspan(s * row_, row_);
      const unsigned ports = fabric_.node(SwitchId(s)).port_count;
      const auto bad = std::ranges::find_if(
          row, [&](std::uint8_t port) { return port > ports && port != WEFT_NO_ROUTE; });
      if (bad != row.end())
        return wrong(
            Code::kBadField, path_,
            fmt::format("its table of {} has port {} for LID {}; the switch has {} ports",
                        describe(fabric_.node(SwitchId(s))), *bad, bad - row.begin(), ports));
      std::ranges::copy(row, lfts.row(SwitchId(s)).begin());
    }
    return {};
  }

  const Fabric& fabric_;
  std::string path_;
  std::size_t row_;
  std::size_t switches_;
  SharedBytes lfts_;
  SharedBytes lanes_;
  Shared<Tables> tables_;
};

Result<Routes> route_by(const EnginePlugin& plugin, const Fabric& fabric,
                        const RoutingOptions& options) {
  const unsigned vls_max = lanes_available(fabric, options.vls_max);
  const PlainFabric plain(fabric, vls_max);
  const Answer answer(fabric, plugin.path);
  std::vector<std::uint32_t> roots;
  for (const SwitchId root : options.roots) roots.push_back(root.value());
  weft_request request{};
  request.size = sizeof request;
  request.threads = options.threads != 0 ? options.threads : std::thread::hardware_concurrency();
  request.seed = options.seed;
  request.roots = roots.data();
  request.root_count = static_cast<std::uint32_t>(roots.size());
  ChildOutcome& outcome = answer.outcome();
  const std::string fate = in_child(time_limit.load(), [&] {
    guarded(outcome, [&] {
      weft_tables* tables = answer.tables();
      if (plugin.with->route(&plain.view(), &request, tables) == 0)
        outcome.state = ChildOutcome::kDone;
      else
        outcome.refuse(std::string(tables->reason, ::strnlen(tables->reason, kReasonMax)).c_str());
    });
  });
  if (!fate.empty()) return wrong(Code::kUnroutable, plugin.path, fate);
  if (outcome.state == ChildOutcome::kRefused)
    return wrong(Code::kUnroutable, plugin.path,
                 outcome.reason[0] == 0 ? "refused without a reason" : outcome.text());
  if (outcome.state != ChildOutcome::kDone)
    return wrong(Code::kUnroutable, plugin.path, "ended its process");
  return answer.routes(vls_max);
}

/// Engine functions have no context argument, so there is one function for each slot.
template <std::size_t I>
Result<Routes> run_loaded(const Fabric& fabric, const RoutingOptions& options) {
  const EnginePlugin* plugin = nullptr;
  {
    const std::lock_guard lock(loaded().mutex);
    plugin = loaded().engines[I].get();
  }
  return route_by(*plugin, fabric, options);
}
template <std::size_t... I>
constexpr auto runners(std::index_sequence<I...>) {
  return std::array{&run_loaded<I>...};
}
constexpr auto kRunners = runners(std::make_index_sequence<kEnginesMax>());

}  // namespace

Status load_engine(const std::string& path) {
  Loaded& all = loaded();
  const std::lock_guard lock(all.mutex);
  if (all.find(path) != nullptr) return {};
  if (all.engines.size() == kEnginesMax)
    return wrong(Code::kUsage, path, fmt::format("{} are loaded already", kEnginesMax));
  if (auto status = probe(path); !status) return status;
  const auto opened = open_library(path);
  if (!opened) return forward(opened);
  auto plugin = std::make_unique<EnginePlugin>();
  plugin->path = path;
  plugin->summary = (*opened)->summary == nullptr ? "" : (*opened)->summary;
  plugin->with = *opened;
  plugin->engine = {plugin->path, plugin->summary, kRunners[all.engines.size()]};
  all.engines.push_back(std::move(plugin));
  return {};
}

Status load_engine_files(std::string_view names) {
  for (const std::string_view part : split(names, ','))
    if (const std::string_view name = trim(part); name.find('/') != std::string_view::npos)
      if (auto status = load_engine(std::string(name)); !status) return status;
  return {};
}

const Engine* find_loaded_engine(std::string_view path) {
  Loaded& all = loaded();
  const std::lock_guard lock(all.mutex);
  const EnginePlugin* plugin = all.find(path);
  return plugin == nullptr ? nullptr : &plugin->engine;
}

void set_engine_time_limit(std::chrono::milliseconds limit) { time_limit = limit; }

}  // namespace weft
