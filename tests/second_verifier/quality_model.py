# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Quality figures of routes, computed only from the dumps of `weft route -o FOLDER` by the simplest method, one path after another.

docs/reference/cli.md has the definitions. Paths follow the forwarding tables; AR groups have no effect.
"""
import collections
import math

# Data rate of a lane in units of 100 Mbit/s.
LANE_RATES = {"SDR": 20, "DDR": 40, "QDR": 80, "FDR10": 100, "FDR": 136, "EDR": 250, "HDR": 500, "NDR": 1000, "XDR": 2000}


class Quality:
    def __init__(self, dumps):
        self.dumps = dumps
        # Hosts by node GUID and port, without aggregation nodes. Paths to a host are paths to its base LID.
        self.hosts = sorted(end for end, lids in dumps.lids.items()
                            if end[1] != 0 and lids and dumps.peer[end][0] in dumps.switches and end[0] not in dumps.aggregation_nodes)
        self.channels = [end for end, peer in dumps.peer.items()
                         if end[0] in dumps.switches and peer[0] in dumps.switches and end[0] != peer[0]]
        self.paths = {(a, b): path for a in self.hosts for b in self.hosts if a != b and (path := self.path(a, b)) is not None}
        self.loads = collections.Counter(channel for path in self.paths.values() for channel in path)

    def rate(self, end):
        width, speed = self.dumps.links[end]
        return int(width.rstrip("x")) * LANE_RATES[speed]

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
        host_most = min(map(self.rate, self.hosts)) / (len(self.paths) / len(self.hosts))
        return min([host_most, *(self.rate(channel) / load for channel, load in self.loads.items())]) / host_most

    def timed(self, loads):
        """The largest load if each path over a channel counts (fastest rate / rate of the channel)."""
        fastest = max(map(self.rate, self.channels), default=1)
        return max((load * fastest / self.rate(channel) for channel, load in loads.items()), default=0)

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
        crossing = collections.Counter(channel for flow in flows for channel in self.paths.get(flow, ()))
        shares = [min([1, *(self.rate(channel) / crossing[channel] / min(map(self.rate, flow)) for channel in self.paths[flow])])
                  if flow in self.paths else 0 for flow in flows]
        return math.fsum(shares) / len(flows)

    def shifts(self):
        """Bandwidths of the shifts by 1, 2, and so on."""
        count = len(self.hosts)
        return [self.bandwidth([(host, self.hosts[(i + distance) % count]) for i, host in enumerate(self.hosts)])
                for distance in range(1, count)]

    def permutation_flows(self):
        """The largest number of flows that a permutation can send over one channel: the largest matching of senders and receivers of the paths over
        the channel."""
        receivers = collections.defaultdict(lambda: collections.defaultdict(list))
        for (a, b), path in self.paths.items():
            for channel in path:
                receivers[channel][a].append(b)
        return max((largest_matching(of_channel) for of_channel in receivers.values()), default=0)


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
            taken, count = set(), 0
            for path in paths:
                if not path & taken:
                    taken |= path
                    count += 1
            disjoint.append(count)
            kept = [count + (not can_be_cut(paths, failures + 1)) for failures, count in enumerate(kept)]
        return {"lids": lids, "link_load_max": max(load.values(), default=0), "disjoint_mean": sum(disjoint) / len(pairs),
                "disjoint_min": min(disjoint), "kept": [count / len(pairs) for count in kept]}


def can_be_cut(paths, failures):
    """Whether the failure of `failures` channels can interrupt all paths. `paths`: sets of channels."""
    return not paths or failures > 0 and any(can_be_cut([path for path in paths if channel not in path], failures - 1) for channel in paths[0])


def compare_bounds(weft_figures, model, loads):
    """The errors of the bounds, as text. A bound must not be above the load of the tables or of evenly split flows, nor below the mean load of
    shortest paths."""
    differences = []
    split, mean = model.split_loads()

    def between(what, least, bound, *reached):
        if not least - 1e-9 <= bound <= min(reached) + 1e-9:
            differences.append(f"{what}: Weft {bound}, at least {least} is proved, {reached} are reached")

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


def compare(report, dumps):
    """The differences between the figures of `weft route --json --patterns` and the figures of this model."""
    weft_figures, model = report["quality"], Quality(dumps)
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
    same("link_load_max", weft_figures["link_load_max"], max(loads, default=0))
    same("link_load_mean", weft_figures["link_load_mean"], mean)
    if not math.isclose(weft_figures["link_load_sd"], math.sqrt(sum((load - mean) ** 2 for load in loads) / len(loads)) if loads else 0,
                        rel_tol=1e-6, abs_tol=1e-5):
        differences.append(f"link_load_sd: Weft {weft_figures['link_load_sd']}")
    same("timed_load_max", weft_figures["timed_load_max"], model.timed(model.loads))
    if weft_figures["link_load_bound"] is not None:
        differences += compare_bounds(weft_figures, model, loads)
    same("alltoall", weft_figures["alltoall"], model.alltoall())
    shifts = model.shifts()
    same("shifts measured", weft_figures["shifts"]["measured"], len(shifts))
    same("mean of the shifts", weft_figures["shifts"]["mean"], math.fsum(shifts) / len(shifts))
    same("worst shift", weft_figures["shifts"]["worst"], min(shifts))
    same("bandwidth by the worst distance", shifts[weft_figures["shifts"]["worst_distance"] - 1], min(shifts))
    same("permutation_flows", weft_figures["permutation_flows"], model.permutation_flows())
    lid_paths = model.lid_paths()
    if lid_paths is None:
        if weft_figures["lid_paths"] is not None:
            differences.append(f"lid_paths: Weft {weft_figures['lid_paths']}, model None")
    else:
        for figure, value in lid_paths.items():
            weft_values = (weft_figures["lid_paths"] or {}).get(figure)
            for one, other in zip(weft_values, value) if figure == "kept" else [(weft_values, value)]:
                same(f"{figure} of all LIDs", one, other)
    return differences
