# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Quality figures of routes, computed only from the dumps of `weft route -o FOLDER` by the simplest method, one path after another.

docs/reference/cli.md has the definitions. Paths follow the forwarding tables; only ebb_adaptive depends on AR groups. The lower bounds of the load are
computed from the lengths in the file of --quality-values: such lengths prove a bound, regardless of how they were found.
"""
import collections
import fractions
import heapq
import itertools
import math
import re

# Data rate of a lane in units of 100 Mbit/s.
LANE_RATES = {"SDR": 20, "DDR": 40, "QDR": 80, "FDR10": 100, "FDR": 136, "EDR": 250, "HDR": 500, "NDR": 1000, "XDR": 2000}
LENGTH_MAX = 2**20
QUANTILE = 2.576  # of the 99% confidence interval
WORD = 2**64


class Rng:
    """xoshiro256** seeded by splitmix64 (Blackman and Vigna, 2018)."""

    def __init__(self, seed):
        self.seed, self.state = seed, []
        for _ in range(4):
            seed, word = splitmix(seed)
            self.state.append(word)

    def fork(self, index):
        return Rng(splitmix(self.seed ^ (0xd1342543de82ef95 * (index + 1) % WORD))[1])

    def next(self):
        a, b, c, d = self.state
        result = rotate(b * 5 % WORD, 7) * 9 % WORD
        c, d, shifted = c ^ a, d ^ b, (b << 17) % WORD
        self.state = [a ^ d, b ^ c, c ^ shifted, rotate(d, 45)]
        return result

    def below(self, bound):
        while (product := self.next() * bound) % WORD < (WORD - bound) % bound:
            pass
        return product // WORD

    def permutation(self, count):
        order = list(range(count))
        for i in range(count, 1, -1):
            j = self.below(i)
            order[i - 1], order[j] = order[j], order[i - 1]
        return order


def splitmix(state):
    """The next state, and the random number."""
    state = z = (state + 0x9e3779b97f4a7c15) % WORD
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9 % WORD
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb % WORD
    return state, z ^ (z >> 31)


def rotate(word, by):
    return (word << by) % WORD | word >> (64 - by)


def error_of(values):
    """Half the width of the 99% confidence interval of the mean."""
    if len(values) < 2:
        return 0
    mean = math.fsum(values) / len(values)
    return QUANTILE * math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values))


def adapter(description):
    """Host and number of an adapter: ("node07", 3) for "node07 mlx5_3"; None for other descriptions."""
    words = description.split()
    found = re.fullmatch(r"\S*\D(\d{1,3})", words[-1]) if len(words) > 1 else None
    local = bool(words) and (words[0] == "localhost" or words[0].startswith("localhost."))
    return (words[0], int(found[1])) if found and not local else None


class Quality:
    def __init__(self, dumps):
        self.dumps = dumps
        # Hosts by node GUID and port, without aggregation nodes. Paths to a host are paths to its base LID.
        self.hosts = sorted(end for end, lids in dumps.lids.items()
                            if end[1] != 0 and lids and dumps.peer[end][0] in dumps.switches and end[0] not in dumps.aggregation_nodes)
        self.channels = [end for end, peer in dumps.peer.items()
                         if end[0] in dumps.switches and peer[0] in dumps.switches and end[0] != peer[0]]
        self.units = self.ports_by_host()
        self.fastest = max(map(self.rate, self.channels), default=1)
        self.paths = {(a, b): path for a in self.hosts for b in self.hosts if a != b and (path := self.path(a, b)) is not None}
        self.loads = collections.Counter(channel for path in self.paths.values() for channel in path)

    def rate(self, end):
        width, speed = self.dumps.links[end]
        return int(width.rstrip("x")) * LANE_RATES[speed]

    def ports_by_host(self):
        """The ports of each host, adapters by number. Each port is a host if no host has several ports, or if there is only one host."""
        nodes = collections.defaultdict(set)  # by host and number of the adapter
        for node, _ in self.hosts:
            if found := adapter(self.dumps.descriptions[node]):
                nodes[found].add(node)
        ambiguous = {word for (word, _), found in nodes.items() if len(found) > 1}
        units = {}
        for node, port in self.hosts:
            found = adapter(self.dumps.descriptions[node])
            word, number = found if found and found[0] not in ambiguous else (node, 0)
            units.setdefault(word, []).append((number, port, (node, port)))
        if len(units) < 2 or len(units) == len(self.hosts):
            return [[host] for host in self.hosts]
        return [[end for *_, end in sorted(unit)] for unit in units.values()]

    def flows(self, pairs):
        """Pairs of ports for pairs of indices of hosts: each port sends to the port of the other host with the same position."""
        return [flow for a, b in pairs for flow in zip(self.units[a], self.units[b])]

    def matchings(self, seed, count):
        for index in range(count):
            order = Rng(seed).fork(index).permutation(len(self.units))
            yield self.flows([(order[i + 1], order[i]) for i in range(0, len(order) - 1, 2)])

    def path(self, source, target, offset=0):
        """The output ports between switches to a LID of the target, or None if packets do not arrive."""
        at, path, lid = self.dumps.peer[source][0], [], self.dumps.lids[target][offset]
        while (out := (at, self.dumps.tables.get((at, lid)))) != self.dumps.peer[target]:
            following = self.dumps.peer.get(out)
            if following is None or following[0] not in self.dumps.switches or len(path) > len(self.dumps.switches):
                return None
            path.append(out)
            at = following[0]
        return path

    def shortest(self, first):
        """Hop counts from a switch to all reachable switches."""
        hops, todo = {first: 0}, collections.deque([first])
        while todo:
            at = todo.popleft()
            for end, peer in self.dumps.peer.items():
                if end[0] == at and peer[0] in self.dumps.switches and peer[0] not in hops:
                    hops[peer[0]] = hops[at] + 1
                    todo.append(peer[0])
        return hops

    def nonminimal(self):
        entry = {host: self.dumps.peer[host][0] for host in self.hosts}
        hops = {switch: self.shortest(switch) for switch in set(entry.values())}
        return sum(len(path) > hops[entry[a]][entry[b]] for (a, b), path in self.paths.items())

    def alltoall(self):
        """The rate at which each host can send while all hosts send to all hosts, as a share of the slowest host's rate."""
        if not self.paths:
            return 0
        # Rate of each flow if no link between switches limits it.
        per_flow = min(map(self.rate, self.hosts)) / (len(self.paths) / len(self.hosts))
        return min([per_flow, *(self.rate(channel) / load for channel, load in self.loads.items())]) / per_flow

    def timed(self, loads):
        """The largest load if each path over a channel counts (fastest rate / rate of the channel)."""
        return max((load * self.fastest / self.rate(channel) for channel, load in loads.items()), default=0)

    def distances(self, target, length):
        """The lengths of shortest paths from all switches to a switch. `length`: by channel, (1, length) for paths of the fewest hops, else (0, length)."""
        into = collections.defaultdict(list)
        for channel in self.channels:
            into[self.dumps.peer[channel][0]].append(channel)
        found, todo = {}, [((0, 0), target)]
        while todo:
            so_far, at = heapq.heappop(todo)
            if at in found:
                continue
            found[at] = so_far
            for channel in into[at]:
                heapq.heappush(todo, ((so_far[0] + length[channel][0], so_far[1] + length[channel][1]), channel[0]))
        return {switch: number for switch, (_, number) in found.items()}

    def bound(self, lengths, shortest, by_rate):
        """The lower bound that the lengths of the channels prove, a fraction. `shortest`: for routes on paths of the fewest hops. `by_rate`: of the
        load in which a path counts (fastest rate / rate)."""
        hosts_at = collections.Counter(self.dumps.peer[host][0] for host in self.hosts)
        weighted = {channel: (int(shortest), lengths[channel]) for channel in self.channels}
        total = sum(distance * hosts_at[a] * hosts_at[b] for b in hosts_at for a, distance in self.distances(b, weighted).items())
        capacity = sum(lengths[channel] * (fractions.Fraction(self.rate(channel), self.fastest) if by_rate else 1) for channel in self.channels)
        return total / fractions.Fraction(capacity) if capacity else fractions.Fraction(0)

    def split_loads(self):
        """Loads of a fractional routing, in which flows are split evenly among the channels of all shortest paths; and the mean load."""
        entry = {host: self.dumps.peer[host][0] for host in self.hosts}
        after = collections.defaultdict(list)
        for end in self.channels:
            after[end[0]].append((end, self.dumps.peer[end][0]))
        loads, distances = collections.Counter(), 0
        for target in self.hosts:
            hops = self.shortest(entry[target])
            flows = collections.Counter(entry[host] for host in self.hosts if host != target and entry[host] in hops)
            for at in sorted(hops, key=hops.get, reverse=True):
                distances += hops[at] * sum(1 for host in self.hosts if host != target and entry[host] == at)
                nearer = [(end, to) for end, to in after[at] if to in hops and hops[to] < hops[at]]
                for end, to in nearer:
                    loads[end] += flows[at] / len(nearer)
                    flows[to] += flows[at] / len(nearer)
        return loads, distances / len(self.channels) if self.channels else 0

    def bandwidth(self, flows):
        """The mean share of the rate of flows that start at the same time; `flows` are pairs of hosts."""
        return self.mean_share([(flow, self.paths.get(flow)) for flow in flows])

    def mean_share(self, placed):
        """As bandwidth(), for pairs of a flow and its path, which may be None."""
        crossing = collections.Counter(channel for _, path in placed for channel in path or ())
        shares = [min([1, *(self.rate(channel) / crossing[channel] / min(map(self.rate, flow)) for channel in path)]) if path is not None else 0
                  for flow, path in placed]
        return math.fsum(shares) / len(placed) if placed else 0

    def adaptive_bandwidth(self, flows):
        """As bandwidth(), with each flow placed, at every hop, on the port of its AR group with the fewest flows for its rate."""
        crossing, placed = collections.Counter(), []
        for source, target in flows:
            path = self.adaptive_path(source, target, crossing)
            crossing.update(path or ())
            placed.append(((source, target), path))
        return self.mean_share(placed)

    def adaptive_path(self, source, target, crossing):
        dumps, lid = self.dumps, self.dumps.lids[target][0]
        (at, entered), path = dumps.peer[source], []
        sl = dumps.sls.get((at, lid), 0)
        tables = 1 + max(dumps.inputs.values(), default=0)
        while at != dumps.peer[target][0]:
            own = (at, dumps.tables.get((at, lid)))
            group = [(at, port) for port in sorted(dumps.ar_groups.get((at, dumps.table(at, entered, sl), lid), ()))]
            group.sort(key=lambda each: each != own)  # the port of the forwarding table is the first one if the group has it
            usable = [out for out in group or [own] if dumps.peer.get(out, (None,))[0] in dumps.switches]
            if not usable or len(path) > len(dumps.switches) * tables:
                return None
            out = min(usable, key=lambda each: crossing[each] / self.rate(each))  # the first one of equally loaded ports
            path.append(out)
            at, entered = dumps.peer[out]
        return path if (at, dumps.tables.get((at, lid))) == dumps.peer[target] else None

    def shift(self, distance):
        """The bandwidth of the shift by a number of hosts."""
        count = len(self.units)
        return self.bandwidth(self.flows([(i, (i + distance) % count) for i in range(count)]))

    def permutation_flows(self):
        """The largest number of flows that a permutation can send over each channel: the largest matching of senders and receivers of the paths over
        the channel."""
        receivers = collections.defaultdict(lambda: collections.defaultdict(list))
        for (a, b), path in self.paths.items():
            for channel in path:
                receivers[channel][a].append(b)
        return {channel: largest_matching(of_channel) for channel, of_channel in receivers.items()}

    def kept(self):
        """The expected shares of the paths without a failed cable, after the failure of one, two and three random cables."""
        cables = len({frozenset((channel, self.dumps.peer[channel])) for channel in self.channels})
        lengths = collections.Counter(map(len, self.paths.values()))
        return [sum(count * (math.comb(cables - length, failed) / math.comb(cables, failed) if failed <= cables else length == 0)
                    for length, count in lengths.items()) / max(1, len(self.paths)) for failed in (1, 2, 3)]

    def lid_paths(self):
        """Figures of the paths to all LIDs, for pairs of hosts on different switches; None without LMC or without such pairs."""
        lids = max(len(self.dumps.lids[host]) for host in self.hosts)
        pairs = [(a, b) for a in self.hosts for b in self.hosts if self.dumps.peer[a][0] != self.dumps.peer[b][0]]
        if lids == 1 or not pairs:
            return None
        load, disjoint, kept = collections.Counter(), [], [0, 0, 0]
        for a, b in pairs:
            offsets = range(len(self.dumps.lids[b]))
            paths = [set(path) for offset in offsets if (path := self.path(a, b, offset)) is not None]
            for path in paths:
                load.update({channel: 1 / len(offsets) for channel in path})
            disjoint.append(most_disjoint(set(map(frozenset, paths))))
            kept = [count + (not can_be_cut(paths, failures + 1)) for failures, count in enumerate(kept)]
        return {"lids": lids, "link_load_max": max(load.values(), default=0), "timed_load_max": self.timed(load), "disjoint_mean": sum(disjoint) / len(pairs),
                "disjoint_min": min(disjoint), "kept": [count / len(pairs) for count in kept]}


def can_be_cut(paths, failures):
    """Whether the failure of `failures` channels can interrupt all paths. `paths`: sets of channels."""
    return not paths or failures > 0 and any(can_be_cut([path for path in paths if channel not in path], failures - 1) for channel in paths[0])


def most_disjoint(paths):
    """Size of the largest set of paths without a common channel. `paths`: sets of channels."""
    for count in range(len(paths), 1, -1):
        for chosen in itertools.combinations(paths, count):
            if sum(map(len, chosen)) == len(set().union(*chosen)):
                return count
    return min(len(paths), 1)


def compare_bounds(weft_figures, model, loads, values):
    """The errors of the bounds, as text. A bound must be the one that the lengths of its channels prove. It must not be above the load of the tables or
    of evenly split flows, nor below the mean load of shortest paths."""
    differences = []
    shortest = weft_figures["link_load_bound_basis"] == "shortest paths"
    rows = {(int(row["guid"], 16), row["port"]): row for row in values["channels"]}
    if set(rows) != set(model.channels):
        return [f"{len(rows)} channels have lengths, expected {len(model.channels)}"]
    # Without paths between switches every length proves the bound 0.
    for what, by_rate in (("length", False), ("timed_length", True)):
        lengths = {channel: row[what] for channel, row in rows.items()}
        if None in lengths.values() and weft_figures["link_load_bound"] == 0:
            continue
        if not all(length is not None and 1 <= length <= LENGTH_MAX for length in lengths.values()):
            differences.append(f"{what}: expected 1 to {LENGTH_MAX} for each channel")
            continue
        proved = model.bound(lengths, shortest, by_rate)
        if not by_rate and weft_figures["link_load_bound"] != math.ceil(proved):
            differences.append(f"link_load_bound: Weft {weft_figures['link_load_bound']}, the lengths prove {math.ceil(proved)}")
        equal = len(set(map(model.rate, model.channels))) <= 1
        expected = math.ceil(proved) if equal else float(proved)
        if by_rate and not math.isclose(weft_figures["timed_load_bound"], expected, rel_tol=1e-12):
            differences.append(f"timed_load_bound: Weft {weft_figures['timed_load_bound']}, the lengths prove {expected}")
    split, mean = model.split_loads()

    def between(what, least, bound, *reached):
        if not least - 1e-9 <= bound <= min(reached) + 1e-9:
            differences.append(f"{what}: Weft {bound}, expected {least} to {min(reached)}")

    between("link_load_bound", math.ceil(mean - 1e-9), weft_figures["link_load_bound"], max(loads, default=0),
            math.ceil(max(split.values(), default=0) - 1e-9))
    timed = model.timed(split)
    equal = len(set(map(model.rate, model.channels))) <= 1
    between("timed_load_bound", 0, weft_figures["timed_load_bound"], weft_figures["timed_load_max"], math.ceil(timed - 1e-9) if equal else timed)
    between("alltoall", 0, weft_figures["alltoall"], weft_figures["alltoall_bound"])
    return differences


def largest_matching(neighbors):
    sender_of = {}

    def match(sender, seen):
        for receiver in neighbors[sender]:
            if receiver not in seen:
                seen.add(receiver)
                if receiver not in sender_of or match(sender_of[receiver], seen):
                    sender_of[receiver] = sender
                    return True
        return False

    return sum(match(sender, set()) for sender in neighbors)


def compare_patterns(weft_figures, model, values, seed, same):
    """Calls same(figure, value of Weft, value of the model) for the figures of traffic patterns."""
    matchings = list(model.matchings(seed, len(values["matchings"])))
    bandwidths = list(map(model.bandwidth, matchings))
    same("matchings", len(matchings), 100)
    for index, (one, other) in enumerate(zip(values["matchings"], bandwidths)):
        same(f"bandwidth of matching {index}", one, other)
    same("ebb", weft_figures["ebb"], math.fsum(bandwidths) / len(bandwidths))
    same("ebb_error", weft_figures["ebb_error"], error_of(bandwidths))
    if weft_figures["ebb_adaptive"] is not None:
        adaptive = list(map(model.adaptive_bandwidth, matchings))
        same("ebb_adaptive", weft_figures["ebb_adaptive"], math.fsum(adaptive) / len(adaptive))
        same("ebb_adaptive_error", weft_figures["ebb_adaptive_error"], error_of(adaptive))
    shifts, every = {distance: model.shift(distance) for distance, _ in values["shifts"]}, len(model.units) - 1
    same("different distances of shifts", len(shifts), weft_figures["shifts"]["measured"])
    same("distances of shifts beyond the number of hosts", sum(not 1 <= distance <= every for distance in shifts), 0)
    for distance, bandwidth in values["shifts"]:
        same(f"shift by {distance}", bandwidth, shifts[distance])
    even = list(shifts.values())[:values["even_shifts"]]
    same("mean of the shifts", weft_figures["shifts"]["mean"], math.fsum(even) / len(even))
    same("error of the shifts", weft_figures["shifts"]["error"], error_of(even) * math.sqrt(1 - len(even) / every))
    same("worst shift", weft_figures["shifts"]["worst"], min(shifts.values()))
    same("bandwidth by the worst distance", shifts[weft_figures["shifts"]["worst_distance"]], min(shifts.values()))
    crossing = model.permutation_flows()
    same("permutation_flows", weft_figures["permutation_flows"], max(crossing.values(), default=0))
    same("timed_permutation_flows", weft_figures["timed_permutation_flows"], model.timed(crossing))


def compare(report, dumps, values, seed, model=None):
    """The differences between the figures of `weft route --json --patterns` and the figures of this model. `values`: the file of --quality-values."""
    weft_figures, model = report["quality"], model or Quality(dumps)
    differences = []

    def same(what, weft_value, model_value):
        if weft_value is None or not math.isclose(weft_value, model_value, rel_tol=1e-9, abs_tol=1e-12):
            differences.append(f"{what}: Weft {weft_value}, model {model_value}")

    if len(model.hosts) < 2:
        return differences
    loads = [model.loads[channel] for channel in model.channels]
    hops = [len(path) + 1 for path in model.paths.values()]
    mean = sum(loads) / len(loads) if loads else 0
    same("hops_max", weft_figures["hops_max"], max(hops, default=0))
    same("hops_mean", weft_figures["hops_mean"], sum(hops) / len(hops) if hops else 0)
    same("nonminimal", weft_figures["nonminimal"], model.nonminimal())
    for failed, (one, other) in enumerate(zip(weft_figures["kept"], model.kept()), 1):
        same(f"paths kept after {failed} random failures", one, other)
    same("link_load_max", weft_figures["link_load_max"], max(loads, default=0))
    same("link_load_mean", weft_figures["link_load_mean"], mean)
    deviation = math.sqrt(sum((load - mean) ** 2 for load in loads) / len(loads)) if loads else 0
    if not math.isclose(weft_figures["link_load_sd"], deviation, rel_tol=1e-6, abs_tol=1e-5):
        differences.append(f"link_load_sd: Weft {weft_figures['link_load_sd']}, model {deviation}")
    same("timed_load_max", weft_figures["timed_load_max"], model.timed(model.loads))
    if weft_figures["link_load_bound"] is not None:
        differences += compare_bounds(weft_figures, model, loads, values)
    same("alltoall", weft_figures["alltoall"], model.alltoall())
    compare_patterns(weft_figures, model, values, seed, same)
    lid_paths = model.lid_paths()
    if lid_paths is None or weft_figures["lid_paths"] is None:
        if lid_paths != weft_figures["lid_paths"]:
            differences.append(f"lid_paths: Weft {weft_figures['lid_paths']}, model {lid_paths}")
    else:
        for figure, value in lid_paths.items():
            weft_values = weft_figures["lid_paths"].get(figure)
            for one, other in zip(weft_values, value) if figure == "kept" else [(weft_values, value)]:
                same(f"{figure} of all LIDs", one, other)
    return differences
