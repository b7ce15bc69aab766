"""A randomised soak on the real CLI: prompts, cancels, children, kills, in every form of client.

``make soak`` runs it; ``SOAK_RUNS`` (default 500), ``SOAK_SECONDS`` (default 540) and ``SOAK_SEED``
change it. It ends with no unanswered prompt, no process left and flat memory, and prints what it
saw.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

from canopy_agent.demo.rules import Pause, Rule, Text, ToolUse, When, flow
from e2e.world import BACKGROUND, FORM, NATIVE, OURS, RFD, World, world
from raw_client import RpcError

RUNS = int(os.environ.get("SOAK_RUNS", "500"))
SECONDS = float(os.environ.get("SOAK_SECONDS", "540"))
SEED = int(os.environ.get("SOAK_SEED", "20260101"))
SESSIONS = 4
ANSWER_BOUND = 60.0
FORMS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("flat", {}),
    ("air", NATIVE),
    ("air background", {**BACKGROUND, **FORM}),
    ("ours", OURS),
    ("rfd", RFD),
)

READ = ToolUse("Read", {"file_path": "{cwd}/README.md"})
WRITE = ToolUse("Write", {"file_path": "{cwd}/soak.txt", "content": "x\n"})


def agent(role: str, *, background: bool) -> ToolUse:
    return ToolUse(
        "Agent",
        {
            "description": role,
            "prompt": f"Role: {role}.\n\nWork.",
            "subagent_type": "general-purpose",
            "run_in_background": background,
        },
    )


RULES = (
    Rule(When(notified=""), "Heard."),
    *flow(When(agent="quick"), [READ], "Quick is done."),
    *flow(
        When(agent="slow"), [Pause(0.05), Text("Slow reads."), READ], [Pause(0.1), Text("Done.")]
    ),
    *flow(When(agent="asker"), [Pause(0.02), WRITE], "Asked."),
    *flow(When(agent="outer"), [agent("quick", background=False)], "Outer is done."),
    *flow(When(says="read"), [READ], "Read it."),
    *flow(When(says="write"), [WRITE], "Wrote it."),
    Rule(When(says="long"), [Text(tuple(f"word{n} " for n in range(40)), delay=0.01)], delay=0.01),
    *flow(When(says="front"), [agent("slow", background=False)], "Front is done."),
    *flow(
        When(says="behind"),
        [agent("slow", background=True), agent("asker", background=True)],
        "They run behind.",
    ),
    *flow(When(says="nested"), [agent("outer", background=False)], "Nested is done."),
    Rule(When(), "Plain."),
)
WORDS = ("hello", "read", "write", "long", "front", "behind", "nested")


def memory(pid: int) -> int:
    """Resident memory of a process in kB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise AssertionError("no VmRSS")


class Soak:
    """One agent process under random load. ``seen`` counts what happened."""

    def __init__(self, w: World, dice: random.Random) -> None:
        self.w = w
        self.dice = dice
        self.sessions: list[str] = []
        self.seen: Counter[str] = Counter()
        self.spawned: Counter[str] = Counter()
        self.ended: Counter[str] = Counter()
        w.agent.on("session/request_permission", self._decide)
        w.agent.on("elicitation/create", {"action": "decline"})

    def _decide(self, params: dict[str, Any]) -> dict[str, Any]:
        self.seen["permissions"] += 1
        option = self.dice.choice([o["optionId"] for o in params["options"]])
        return {"outcome": {"outcome": "selected", "optionId": option}}

    async def begin(self, capabilities: dict[str, Any]) -> None:
        await self.w.agent.initialize(capabilities)
        for _ in range(SESSIONS):
            self.sessions.append(await self.w.agent.new_session(self.w.cwd))

    async def run(self) -> None:
        """One run: one to three prompts on a session, with whatever comes between."""
        session = self.dice.choice(self.sessions)
        prompts = [
            self.w.agent.begin_prompt(session, self.dice.choice(WORDS))
            for _ in range(self.dice.choice((1, 1, 1, 2, 3)))
        ]
        roll = self.dice.random()
        if roll < 0.35:
            await asyncio.sleep(self.dice.choice((0, 0, 0.01, 0.05, 0.2, 0.5)))
            for _ in range(self.dice.choice((1, 1, 2))):
                self.w.agent.cancel(session)
            self.seen["cancels"] += 1
        elif roll < 0.42:
            await asyncio.sleep(self.dice.random() * 0.3)
            self._kill()
        elif roll < 0.47:
            self._cancel_children()
        for prompt in prompts:
            try:
                async with asyncio.timeout(ANSWER_BOUND):
                    result = await prompt
            except RpcError:
                self.seen["errors"] += 1
            else:
                self.seen[result["stopReason"]] += 1
        if roll > 0.97:
            await self.w.agent.request("session/close", sessionId=session)
            self.sessions[self.sessions.index(session)] = await self.w.agent.new_session(self.w.cwd)
            self.seen["closes"] += 1

    def _kill(self) -> None:
        clis = self.w.agent.started()
        if clis:
            os.kill(self.dice.choice(clis), self.dice.choice((signal.SIGKILL, signal.SIGTERM)))
            self.seen["kills"] += 1

    def _cancel_children(self) -> None:
        for update in self.w.agent.updates()[-50:]:
            child = update.get("subagentSessionId") or update.get("sessionId")
            if isinstance(child, str):
                self.w.agent.cancel(child)
                self.seen["child cancels"] += 1

    def note_children(self) -> None:
        """Keep what the frames tell of children in the AIR form, then let the frames go."""
        self.spawned.update(
            u["subagentSessionId"] for u in self.w.agent.updates("subagent_spawned")
        )
        ends = self.w.agent.updates("subagent_state_update")
        self.ended.update(u["subagentSessionId"] for u in ends)
        self.w.agent.received.clear()

    def check_children(self) -> None:
        """No child was announced twice or ended twice, and none ended that was not announced."""
        self.note_children()
        assert set(self.spawned.values()) <= {1}
        assert set(self.ended.values()) <= {1}
        assert set(self.ended) <= set(self.spawned)
        self.seen["children"] += len(self.spawned)


async def soak(name: str, capabilities: dict[str, Any], runs: int, until: float) -> Counter[str]:
    dice = random.Random(f"{SEED} {name}")
    async with world(RULES, pace=1.0) as w:
        load = Soak(w, dice)
        await load.begin(capabilities)
        warm = 0
        for number in range(runs):
            if time.monotonic() > until:
                break
            await load.run()
            load.seen["runs"] += 1
            if number == runs // 4:
                warm = memory(w.agent.process.pid)
            load.note_children()
        grown = memory(w.agent.process.pid) - warm if warm else 0
        load.check_children()
        print(f"\n{name}: {dict(load.seen)}")
        print(f"memory of the agent: {warm} kB after a quarter, then {grown:+} kB")
        assert grown < 30_000
        assert w.model.faults == []
        return load.seen


async def test_soak() -> None:
    began = time.monotonic()
    total: Counter[str] = Counter()
    for number, (name, capabilities) in enumerate(FORMS):
        until = began + SECONDS * (number + 1) / len(FORMS)
        total += await soak(name, capabilities, RUNS // len(FORMS), until)
    print(f"all: {dict(total)} in {time.monotonic() - began:.0f} s")
    assert total["runs"] >= min(RUNS, 50)
