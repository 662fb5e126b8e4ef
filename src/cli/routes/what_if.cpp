// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/routes/what_if.h"

#include <algorithm>
#include <map>

#include "base/log.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/team.h"
#include "congestion/blob.h"
#include "congestion/metrics.h"
#include "congestion/quality/quality.h"
#include "fabric/aggregation.h"
#include "service/config/options.h"

namespace weft::cli {
namespace {

/// Statistics of `value` over the failures with new routes.
template <class Value>
Statistics loss_statistics(const std::vector<Loss>& losses, const Value& value) {
  std::vector<double> values;
  for (const Loss& loss : losses)
    if (loss.routed) values.push_back(static_cast<double>(value(loss)));
  return statistics(values);
}

struct Before {
  Quality quality;
  std::uint64_t blocks = 0;  // number of blocks of all tables
};

Before before(const Fabric& fabric, const Routes& routes, const WhatIfArguments& arguments,
              std::uint64_t seed, unsigned threads) {
  const WhatIfOptions options{
      .threads = threads, .seed = seed, .matchings = arguments.matchings, .shifts = true};
  return {assess(fabric, routes, shift_options(options, traffic_hosts(fabric).size())),
          routes.lfts.switch_count() * routes.lfts.blocks()};
}

Json loss_json(const Fabric& fabric, const Loss& loss, bool times) {
  Json row{{"name", describe(fabric, loss.failure)},
           {"routed", loss.routed},
           {"pairs_cut", loss.pairs_cut}};
  if (!loss.routed) return row;
  row["pairs_lost"] = loss.pairs_lost;
  row["ebb_left"] = loss.ebb;
  row["alltoall_left"] = loss.alltoall;
  row["shift_worst_left"] = loss.shift_worst;
  row["link_load_max"] = loss.link_load_max;
  row["blocks"] = loss.blocks;
  row["vls"] = loss.vls;
  row["engine"] = loss.engine;
  row["credit_loop"] = loss.credit_loop;
  if (times) row["seconds"] = loss.seconds;
  return row;
}

/// {"at_once", "played", .. "rows": [{"name", "pairs_cut", ..}, ..]}, in the order of `losses`.
Json what_if_json(const Fabric& fabric, const Routes& routes, const std::vector<Loss>& losses,
                  const WhatIfArguments& arguments) {
  Json rows = Json::array();
  for (const Loss& loss : losses) rows.push_back(loss_json(fabric, loss, arguments.times));
  return {{"at_once", arguments.size},
          {"played", losses.size()},
          {"engine", routes.engine},
          {"blocks", routes.lfts.switch_count() * routes.lfts.blocks()},
          {"rows", std::move(rows)}};
}

std::string loss_text(const Fabric& fabric, const Loss& loss, bool times) {
  if (!loss.routed)
    return fmt::format("{:>10} {:>10}  no engine can route the remaining fabric: {}\n",
                       loss.pairs_cut, "-", describe(fabric, loss.failure));
  std::string text = fmt::format("{:>10} {:>10} {:>6.3f} {:>8.3f} {:>6.3f} {:>9} {:>7} {:>3}",
                                 loss.pairs_cut, loss.pairs_lost, loss.ebb, loss.alltoall,
                                 loss.shift_worst, loss.link_load_max, loss.blocks, loss.vls);
  if (times) text += fmt::format(" {:>9.4f}", loss.seconds);
  text += fmt::format("  {}", describe(fabric, loss.failure));
  if (loss.credit_loop) text += " (credit loop)";
  return text + "\n";
}

std::string losses_text(const Fabric& fabric, const Before& before, const std::vector<Loss>& losses,
                        std::size_t requested, const WhatIfArguments& arguments) {
  const auto routed = static_cast<std::size_t>(std::ranges::count(losses, true, &Loss::routed));
  std::string text = fmt::format("failures            {} of {} simulated, {} at a time",
                                 losses.size(), requested, arguments.size);
  if (routed < losses.size())
    text += fmt::format("; {} without routes from any engine", losses.size() - routed);
  const Statistics cut = loss_statistics(losses, [](const Loss& loss) { return loss.pairs_cut; });
  const Statistics lost = loss_statistics(losses, [](const Loss& loss) { return loss.pairs_lost; });
  const Statistics ebb = loss_statistics(losses, [](const Loss& loss) { return loss.ebb; });
  const Statistics alltoall =
      loss_statistics(losses, [](const Loss& loss) { return loss.alltoall; });
  const Statistics shift =
      loss_statistics(losses, [](const Loss& loss) { return loss.shift_worst; });
  const Statistics blocks = loss_statistics(losses, [](const Loss& loss) { return loss.blocks; });
  text += fmt::format(
      "\npairs cut           {:.1f} on average, {:.0f} at most, until tables are rewritten\n",
      cut.mean, cut.most);
  text +=
      fmt::format("pairs lost          {:.1f} on average, {:.0f} at most, with the new routes\n",
                  lost.mean, lost.most);
  text += fmt::format(
      "effective bisection {:.3f} before, {:.3f} on average and {:.3f} at worst after\n",
      before.quality.ebb, ebb.mean, ebb.least);
  text += fmt::format(
      "all to all          {:.3f} before, {:.3f} on average and {:.3f} at worst after\n",
      before.quality.alltoall, alltoall.mean, alltoall.least);
  text += fmt::format(
      "worst shift         {:.3f} before, {:.3f} on average and {:.3f} at worst after\n",
      before.quality.shifts ? before.quality.shifts->worst : 0, shift.mean, shift.least);
  text += fmt::format("blocks to rewrite   {:.1f} on average, {:.0f} at most, of {}\n", blocks.mean,
                      blocks.most, before.blocks);
  if (arguments.times) {
    const Statistics seconds =
        loss_statistics(losses, [](const Loss& loss) { return loss.seconds; });
    text += fmt::format("time to route       {:.4f} s on average, {:.4f} at most\n", seconds.mean,
                        seconds.most);
  }
  text += fmt::format("\n{:>10} {:>10} {:>6} {:>8} {:>6} {:>9} {:>7} {:>3}", "cut", "lost", "ebb",
                      "alltoall", "shift", "load max", "blocks", "VLs");
  if (arguments.times) text += fmt::format(" {:>9}", "seconds");
  text += "  failure\n";
  for (std::size_t i = 0; i < std::min<std::size_t>(losses.size(), arguments.top); ++i)
    text += loss_text(fabric, losses[i], arguments.times);
  return text;
}

FailureKind failure_kind_of(const std::string& victims) {
  if (victims == "switches") return FailureKind::kSwitches;
  return victims == "both" ? FailureKind::kBoth : FailureKind::kCables;
}

/// Encodes the losses of the failures from index `first`, for the leader of the team.
std::vector<std::byte> to_bytes(const std::vector<Loss>& losses, std::uint64_t first) {
  BlobWriter out;
  out.value(first);
  out.value(static_cast<std::uint64_t>(losses.size()));
  for (const Loss& loss : losses) {
    out.value(loss.routed);
    for (const std::uint64_t number :
         {loss.pairs_cut, loss.pairs_lost, loss.link_load_max, loss.blocks})
      out.value(number);
    for (const double share : {loss.ebb, loss.alltoall, loss.shift_worst}) out.value(share);
    out.value(loss.vls);
    out.value(loss.credit_loop);
    out.value(loss.seconds);
    out.text(loss.engine);
  }
  return out.take();
}

/// Decodes a result of to_bytes() into `losses`, by the number of the failure; false if the
/// result is invalid.
bool decode_losses(std::span<const std::byte> bytes, std::span<const Failure> failures,
                   std::map<std::uint64_t, Loss>& losses) {
  BlobReader in(bytes);
  std::uint64_t first = 0, count = 0;
  in.value(first);
  in.value(count);
  for (std::uint64_t i = 0; i < count && in.good(); ++i) {
    Loss loss;
    in.value(loss.routed);
    for (std::uint64_t* number :
         {&loss.pairs_cut, &loss.pairs_lost, &loss.link_load_max, &loss.blocks})
      in.value(*number);
    for (double* share : {&loss.ebb, &loss.alltoall, &loss.shift_worst}) in.value(*share);
    in.value(loss.vls);
    in.value(loss.credit_loop);
    in.value(loss.seconds);
    in.text(loss.engine);
    if (first + i >= failures.size()) return false;
    loss.failure = failures[first + i];
    losses[first + i] = std::move(loss);
  }
  return in.at_end();
}

}  // namespace

void add_what_if(CLI::App& app, WhatIfArguments& arguments) {
  app.add_option(
         "--failures", arguments.size,
         "Simulate this many simultaneous failures: pairs cut, remaining bandwidth, changed tables")
      ->check(CLI::PositiveNumber);
  app.add_option("--trials", arguments.trials,
                 "Simulate this many random sets of failures (default: every single failure)");
  restrict_to(app.add_option("--victims", arguments.victims,
                             "Select the elements that fail: links, switches or both (default: "
                             "cables)"),
              {"cables", "switches", "both"});
  app.add_option("--top", arguments.top, "List this many failures, worst first (default: 20)");
  app.add_option("--matchings", arguments.matchings,
                 "Measure the remaining bandwidth with this many random matchings (default: 100)")
      ->check(CLI::PositiveNumber);
  restrict_to(
      app.add_option("--repair", arguments.repair,
                     "With --failures: measure on an emulated fabric what AR-capable switches "
                     "(all switches, or some: mixed) repair by port selection and fault "
                     "routing notifications before the subnet manager reroutes"),
      {"all", "mixed"});
  app.add_flag_callback(
      "--no-times", [&arguments] { arguments.times = false; },
      "Omit the routing times, which are not reproducible");
}

Result<std::vector<Failure>> failures_of(const Fabric& fabric, const WhatIfArguments& arguments,
                                         std::uint64_t seed) {
  const FailureKind kind = failure_kind_of(arguments.victims);
  if (arguments.trials > 0)
    return drawn_failures(fabric, kind, arguments.size, arguments.trials, seed);
  if (arguments.size != 1)
    return fail(Code::kUsage, "--failures {}: sets of more than one failure require --trials N",
                arguments.size);
  return single_failures(fabric, kind);
}

Router router_of(const RoutingRequest& request, EngineFinder find) {
  return [&request, find](const Fabric& remaining, const Routes& before, Lfts previous) {
    ChainResult chain = reroute(request, remaining, before, std::move(previous), find);
    return Rerouted{std::move(chain.status), std::move(chain.routes), std::move(chain.verdict),
                    chain.route_seconds};
  };
}

int run_what_if(const FabricArgument& argument, const Assignments& assignments, Settings settings,
                const WhatIfArguments& arguments, bool json, const std::string& output) {
  std::vector<std::string> warnings;
  const auto request = read_request(assignments, warnings, std::move(settings));
  if (!request) return report(request.error());
  const auto fabric = load_with_lids(argument, *request);
  if (!fabric) return report(fabric.error());
  const ChainResult chain = route(*request, *fabric, warnings);
  for (const std::string& warning : warnings) log::warn("{}", warning);
  if (!chain.status) return report(chain.status.error());
  const auto threads = static_cast<unsigned>(request->settings.threads);
  const std::uint64_t seed = request->settings.seed;
  const auto failures = failures_of(*fabric, arguments, seed);
  if (!failures) return report(failures.error());
  std::map<std::uint64_t, Loss> parts;  // by the failure's number
  const std::atomic<bool>& interrupted = catch_interrupts();
  const bool whole = team().share(
      failures->size(),
      [&](std::uint64_t begin, std::uint64_t end) {
        return to_bytes(
            simulate_failures(*fabric, chain.routes, chain.verdict.ca_to_ca.arrived,
                              std::span(*failures).subspan(begin, end - begin), router_of(*request),
                              {.threads = threads,
                               .seed = seed,
                               .matchings = arguments.matchings,
                               .shifts = true,
                               .go_on = [&] { return !interrupted; }}),
            begin);
      },
      [&](std::span<const std::byte> bytes) { return decode_losses(bytes, *failures, parts); },
      interrupted);
  if (!team().is_leader()) return 0;
  std::vector<Loss> losses;
  losses.reserve(parts.size());
  for (auto& [number, loss] : parts) losses.push_back(std::move(loss));
  if (!whole)
    log::warn("interrupted: {} of {} failures simulated", losses.size(), failures->size());
  sort_worst_first(losses);
  const int status = write_to(output, [&](const Append& append) {
    append(json ? dump(what_if_json(*fabric, chain.routes, losses, arguments))
                : losses_text(*fabric, before(*fabric, chain.routes, arguments, seed, threads),
                              losses, failures->size(), arguments));
  });
  if (!whole) team().abandon();
  if (status != 0) return status;
  return whole ? 0 : 1;
}

}  // namespace weft::cli
