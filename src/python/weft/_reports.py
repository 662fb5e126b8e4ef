# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Reports with the figures of the command line."""
import copy


def _figure(key, about):
    return property(lambda self: self._data[key], doc=about)


class Report:
    """Figures with the keys of the command line's JSON; str() is the text that the command line prints."""

    def __init__(self, data, text):
        self._data = data
        self._text = text

    def to_dict(self):
        """The figures as the command line's --json reports them."""
        return copy.deepcopy(self._data)

    def __str__(self):
        return self._text

    def __eq__(self, other):
        return self._data == other._data if isinstance(other, type(self)) else NotImplemented

    __hash__ = None


class Verdict(Report):
    """The verdict on routes. bool() is True if the routes pass; `weft verify` then has exit status 0."""

    ok = _figure("ok", "Whether the unicast routes are complete, without loops and free of deadlock.")
    passes = _figure("pass", "Whether unicast and multicast routes pass; False if there is nothing to verify.")
    why = _figure("why", "The reasons for which the routes do not pass; empty if they pass.")
    unreachable = _figure("unreachable", "Ordered pairs of a CA port and a LID of another CA port for which packets do not arrive.")
    loops = _figure("loops", "Pairs of a switch and a LID with packets that loop.")
    credit_loops = _figure("credit_loops", "1 if packets between CAs form a credit loop, else 0.")
    credit_loop = _figure("credit_loop", "The credit loop hop by hop: a list of dicts; empty if there is none.")
    dependencies = _figure("dependencies", "Edges of the channel dependency graph.")
    ca_to_ca = _figure("ca_to_ca", "Counts of pairs: a dict of pairs, arrived and cut_off (not connected by cables).")
    ca_to_switch = _figure("ca_to_switch", "Counts of pairs from CAs to port 0 of switches.")
    switch_to_ca = _figure("switch_to_ca", "Counts of pairs from port 0 of switches to CAs.")
    switch_to_switch = _figure("switch_to_switch", "Counts of pairs between switches, which do not affect the verdict.")
    failures = _figure("failures", "The first paths that fail: a list of dicts of source, lid, destination, end and where.")
    lanes = _figure("lanes", "Ports that use VLs which their links do not have: a dict of missing (the number of ports) and failures.")
    multicast = _figure("multicast", "The verdict on multicast: a dict.")
    single_sls = _figure("single_sls", "SLs on which all traffic together passes: a list.")
    replies = _figure("replies", '"counted" or "ignored".')

    def __bool__(self):
        return self._data["pass"]

    def __repr__(self):
        return f"<weft.Verdict: {'PASS' if self else 'FAIL: ' + self.why}>"


class Quality(Report):
    """Figures of routes, over all ordered pairs of hosts."""

    hops_max = _figure("hops_max", "Most switches on a path.")
    hops_mean = _figure("hops_mean", "Mean number of switches on a path.")
    nonminimal = _figure("nonminimal", "Paths longer than the shortest ones in the fabric.")
    kept = _figure("kept", "Expected shares of the paths without a failed cable after one, two and three random failures.")
    link_load_max = _figure("link_load_max", "Paths over the most loaded channel between switches.")
    link_load_mean = _figure("link_load_mean", "Paths over a channel, on average.")
    link_load_sd = _figure("link_load_sd", "Standard deviation of the paths over a channel.")
    link_load_bound = _figure("link_load_bound", "No routes of the same kind have a smaller link_load_max; None if not computed.")
    link_load_bound_basis = _figure("link_load_bound_basis", '"shortest paths" or "any paths", for which the bound is valid, or why it is not computed; None with bound=False.')
    ebb = _figure("ebb", "Effective bisection bandwidth, 0 to 1.")
    ebb_error = _figure("ebb_error", "Half the width of the 99% confidence interval of ebb.")
    ebb_adaptive = _figure("ebb_adaptive", "Effective bisection bandwidth with adaptive routing to the least loaded port; None for static routes.")
    ebb_adaptive_error = _figure("ebb_adaptive_error", "Half the width of the 99% confidence interval of ebb_adaptive; None for static routes.")
    alltoall = _figure("alltoall", "Share of the bandwidth that hosts can use if all send to all, 0 to 1.")
    shifts = _figure("shifts", "Bandwidth of shifts: a dict of measured, mean, error, worst and worst_distance; None without patterns=True.")
    permutation_flows = _figure("permutation_flows", "Flows of the worst permutation on one channel; None without patterns=True.")
    timed_permutation_flows = _figure("timed_permutation_flows", "As permutation_flows, with flows that count fastest rate / rate; None without patterns=True.")
    lid_paths = _figure("lid_paths", "Paths to all LIDs: a dict; None without patterns=True and several LIDs.")

    def __repr__(self):
        return f"<weft.Quality: effective bisection {self.ebb:.3f}, link load {self.link_load_max} at most>"
