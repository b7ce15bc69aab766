"""FAKE-AGENT: an ACP agent as a process that plays a JSON script and records what it receives.

    python fake_agent.py SCRIPT.json RECORD.jsonl

It stands alone on purpose: it shares no code with what it tests. The record has one line
``{"pid": …}`` per start and one ``{"got": message}`` per line received.

The script is ``{"start": [step…], "initialize": {…}, "METHOD": [[step…], …], "updates": …}``:
``start`` runs before anything is read; ``initialize`` is merged into the default result; for any
other method the first list of steps plays at its first call, the second at the second, the last
one at all further calls. Without steps, requests are answered with a plain default.

Steps (``$SESSION`` stands for the session of the call, in any text):

    {"update": {…}, "session": ID?}     a session/update on that session (default: the call's)
    {"updates": [{…}…]}                 several of them in one write
    {"send": {…}}                       any frame
    {"raw": "text"}                     a line as it is; "partial": true leaves the newline out
    {"flood": N}                        N letters, without a newline
    {"respond": {…}} / {"error": {…}}   answer the call; otherwise it is answered at the end
    {"ask": METHOD, "params": {…}, "as": NAME}   a request of our own
    {"answered": NAME}                  wait for its answer
    {"withdraw": NAME}                  $/cancel_request for it
    {"got": METHOD, "count": N?}        wait until METHOD was received N times (1)
    {"file": PATH}                      wait until a file is there
    {"touch": PATH}                     make a file
    {"stderr": "line"}
    {"close_stdout": true}              close stdout but live on
    {"exit": CODE} / {"signal": NUMBER}
    {"batch": [frame…]}                 frames in one write
"""

from __future__ import annotations

import itertools
import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

Json = dict[str, Any]


class FakeAgent:
    """One run of a script."""

    def __init__(self, script: Json, record: Path) -> None:
        self.script = script
        self.record = record
        self.changed = threading.Condition()
        self.received: list[Json] = []
        self.calls: dict[str, int] = {}
        self.asked: dict[str, int] = {}
        self.ids = itertools.count(1000)
        self.sessions = itertools.count(1)

    def note(self, row: Json) -> None:
        with self.record.open("a") as file:
            file.write(json.dumps(row) + "\n")

    def write(self, text: str) -> None:
        data = text.encode("utf-8", "surrogateescape")  # "\\udcff" in a script is the byte FF
        while data:
            data = data[os.write(1, data) :]

    def send(self, *frames: Json) -> None:
        self.write("".join(json.dumps({"jsonrpc": "2.0", **frame}) + "\n" for frame in frames))

    def run(self) -> None:
        self.note({"pid": os.getpid()})
        self.play(self.script.get("start", []), {"id": None, "params": {}})
        for line in sys.stdin.buffer:
            try:
                message = json.loads(line)
            except ValueError:
                self.note({"junk": line.decode(errors="replace")})
                continue
            self.note({"got": message})
            with self.changed:
                self.received.append(message)
                self.changed.notify_all()
            if "method" in message:
                threading.Thread(target=self.serve, args=(message,), daemon=True).start()

    def serve(self, message: Json) -> None:
        method = message["method"]
        with self.changed:
            number = self.calls[method] = self.calls.get(method, 0) + 1
        plays = self.script.get(method, []) if method != "initialize" else []
        steps = plays[min(number, len(plays)) - 1] if plays else []
        answered = self.play(steps, message)
        if not answered and message.get("id") is not None:
            self.send({"id": message["id"], "result": self.default(method)})

    def default(self, method: str) -> Json:
        if method == "initialize":
            facts = {
                "protocolVersion": 1,
                "agentCapabilities": {"loadSession": True},
                "agentInfo": {"name": "fake-agent", "title": "Fake", "version": "1"},
                "authMethods": [],
            }
            return {**facts, **self.script.get("initialize", {})}
        if method == "session/new":
            return {"sessionId": f"S{next(self.sessions)}"}
        return {"stopReason": "end_turn"} if method == "session/prompt" else {}

    def play(self, steps: list[Json], message: Json) -> bool:
        session = (message.get("params") or {}).get("sessionId") or "S1"
        answered = False
        for step in steps:
            step = json.loads(json.dumps(step).replace("$SESSION", session))
            answered = self.step(step, message, session) or answered
        return answered

    def step(self, step: Json, message: Json, session: str) -> bool:
        match step:
            case {"update": update}:
                self.send(_update(step.get("session", session), update))
            case {"updates": updates}:
                self.send(*(_update(step.get("session", session), one) for one in updates))
            case {"send": frame}:
                self.send(frame)
            case {"batch": frames}:
                self.send(*(_filled(frame, message) for frame in frames))
                return any("result" in frame or "error" in frame for frame in frames)
            case {"raw": text}:
                self.write(text if step.get("partial") else text + "\n")
            case {"flood": count}:
                self.write("x" * count)
            case {"respond": result}:
                self.send({"id": message["id"], "result": result})
                return True
            case {"error": error}:
                self.send({"id": message["id"], "error": error})
                return True
            case {"ask": method, "params": params}:
                self.asked[step["as"]] = id_ = next(self.ids)
                self.send({"id": id_, "method": method, "params": params})
            case {"withdraw": name}:
                params = {"requestId": self.asked[name]}
                self.send({"method": "$/cancel_request", "params": params})
            case _:
                self.wait_or_end(step)
        return False

    def wait_or_end(self, step: Json) -> None:
        match step:
            case {"answered": name}:
                self.wait(lambda: any(_answers(m, self.asked[name]) for m in self.received))
            case {"got": method}:
                count = step.get("count", 1)
                self.wait(lambda: sum(m.get("method") == method for m in self.received) >= count)
            case {"file": path}:
                while not Path(path).exists():
                    time.sleep(0.005)
            case {"touch": path}:
                Path(path).touch()
            case {"stderr": line}:
                print(line, file=sys.stderr, flush=True)
            case {"close_stdout": True}:
                os.close(1)
            case {"exit": code}:
                os._exit(code)
            case {"signal": number}:
                os.kill(os.getpid(), number)
            case _:
                raise ValueError(f"unknown step {step}")

    def wait(self, condition: Any) -> None:
        with self.changed:
            self.changed.wait_for(condition)


def _answers(message: Json, id_: int) -> bool:
    return message.get("id") == id_ and "method" not in message


def _filled(frame: Json, message: Json) -> Json:
    return {"id": message["id"], **frame} if "result" in frame or "error" in frame else frame


def _update(session: str, update: Json) -> Json:
    return {"method": "session/update", "params": {"sessionId": session, "update": update}}


if __name__ == "__main__":
    FakeAgent(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2])).run()
