"""Calls of one reply that run at the same time."""

import asyncio
from dataclasses import dataclass, field

import pytest
from langgraph.runtime import Runtime

from agents.config import AgentConfig, AgentMode, RunRequest
from agents.context import RunContext
from agents.models.demo import DemoClient
from agents.models.inference import ModelSpec, ToolCallRequest
from agents.nodes.execute_tools import execute_tools
from agents.records import Record
from agents.state import AgentState, new_state
from tools.definition import (
    ArgumentsObject,
    RegisteredTool,
    ToolDefinition,
    ToolExecutionContext,
    ToolSource,
)
from tools.execution import ToolGate


@dataclass
class Notebook:
    """A recorder that only remembers."""

    records: list[Record] = field(default_factory=list)

    def emit(self, record: Record) -> None:
        self.records.append(record)

    async def commit(self) -> None:
        return None


@dataclass
class Workshop:
    """A tool whose calls wait for ever, and tidy up for as many turns of the loop as their name says."""

    started: asyncio.Semaphore
    tidied: list[int] = field(default_factory=list)

    async def work(self, arguments: ArgumentsObject, _context: ToolExecutionContext) -> str:
        self.started.release()
        try:
            await asyncio.Event().wait()
        finally:
            for _turn in range(arguments["turns"]):
                await asyncio.sleep(0)
            self.tidied.append(arguments["turns"])
        return ""


def surroundings(workshop: Workshop) -> Runtime[RunContext]:
    definition = ToolDefinition(
        name="work",
        description="Works.",
        parameters={"type": "object"},
        source=ToolSource.BUILTIN,
        is_parallel_safe=True,
    )
    spec = ModelSpec(kind="demo", name="demo", label="demo")
    return Runtime(
        context=RunContext(
            config=AgentConfig(
                app_name="Helper",
                config_hash="",
                mode=AgentMode.FUNCTION_CALL,
                model=spec,
                tools=(definition,),
            ),
            request=RunRequest(
                task_id="t",
                query="Work.",
                now="",
                tool_context=ToolExecutionContext(task_id="t", caller_id="c"),
            ),
            client=DemoClient(spec),
            gate=ToolGate([RegisteredTool(definition=definition, handler=workshop.work)]),
            recorder=Notebook(),
        )
    )


def asked(*turns: int) -> AgentState:
    requests = [
        ToolCallRequest(id=f"c{n}", name="work", raw_arguments="", arguments={"turns": n})
        for n in turns
    ]
    return {**new_state(), "pending_tool_calls": requests}


async def test_a_cancelled_run_leaves_no_call_behind() -> None:
    workshop = Workshop(asyncio.Semaphore(0))
    running = asyncio.create_task(execute_tools(asked(1, 20, 5), surroundings(workshop)))
    async with asyncio.timeout(5):
        for _call in range(3):
            await workshop.started.acquire()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert sorted(workshop.tidied) == [1, 5, 20]
