# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Records the MADs of a class that a program sends through libibumad, with a preloaded library."""
import collections

from processes import tool


class MadTap:
    def __init__(self, file, mgmt_class):
        self.file = file
        self.environment = {"WEFT_TAP_CLASS": f"0x{mgmt_class:02x}", "WEFT_TAP_FILE": str(file)}

    @staticmethod
    def through(command):
        """The command with the library preloaded before the libraries of ibsim."""
        return ["sh", "-c", f'exec env LD_PRELOAD="{tool("libumad_tap.so")} $LD_PRELOAD" "$@"', "sh", *command]

    def mads(self):
        """The recorded MADs as [(LID, hexadecimal bytes)]."""
        lines = [line.split() for line in self.file.read_text().splitlines()] if self.file.exists() else []
        return [(int(lid), text) for lid, text in lines]


class SmpTap(MadTap):
    """Records directed-route SMPs."""

    def __init__(self, file):
        super().__init__(file, 0x81)

    def counts(self):
        """{(method, attribute): number of SMPs}"""
        mads = [bytes.fromhex(text) for _, text in self.mads()]
        return collections.Counter((mad[3], int.from_bytes(mad[16:18], "big")) for mad in mads)
