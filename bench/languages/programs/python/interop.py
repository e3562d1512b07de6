"""What the server has for the interoperability run alone: errors, progress, a call that waits, questions, a resource and a prompt."""

from typing import Any

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    InputRequiredResult,
    SamplingMessage,
    TextContent,
)
from pydantic import BaseModel

NOTE = "mem://note"
SAMPLE = [SamplingMessage(role="user", content=TextContent(type="text", text="Say hi"))]
QUESTION = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


class Name(BaseModel):
    name: str


def is_stateless(ctx: Context) -> bool:
    return (ctx.protocol_version or "") >= "2026-07-28"


async def ask(ctx: Context) -> Any:
    if not is_stateless(ctx):
        answer = await ctx.elicit("Who?", Name)
        return f"{answer.action}:{answer.data.name if answer.action == 'accept' else ''}"
    if ctx.input_responses:
        answer = ctx.input_responses["name"]
        return f"{answer.action}:{(answer.content or {}).get('name', '')}"
    question = ElicitRequest(params=ElicitRequestFormParams(message="Who?", requested_schema=QUESTION))
    return InputRequiredResult(input_requests={"name": question}, request_state="asked")


async def sample(ctx: Context) -> Any:
    if not is_stateless(ctx):
        answer = await ctx.session.create_message(SAMPLE, max_tokens=10, related_request_id=ctx.request_id)
    elif ctx.input_responses:
        answer = ctx.input_responses["text"]
    else:
        question = CreateMessageRequest(params=CreateMessageRequestParams(messages=SAMPLE, max_tokens=10))
        return InputRequiredResult(input_requests={"text": question}, request_state="asked")
    content = answer.content[0] if isinstance(answer.content, list) else answer.content
    return f"sampled: {content.text}"


def add_interop(server: MCPServer) -> None:
    state = {"waited": "nothing"}

    def tool(run: Any) -> None:
        server.tool(structured_output=False)(run)

    def fail() -> str:
        raise ToolError("it failed")

    async def steps(count: int, ctx: Context) -> str:
        for step in range(1, count + 1):
            await ctx.report_progress(step, count)
        return "done"

    async def wait() -> str:
        state["waited"] = "waiting"
        try:
            await anyio.sleep(20)
        except anyio.get_cancelled_exc_class():
            state["waited"] = "cancelled"
            raise
        state["waited"] = "ended"
        return "not cancelled"

    def waited() -> str:
        return state["waited"]

    async def touch(ctx: Context) -> str:
        if is_stateless(ctx):
            await ctx.notify_resource_updated(NOTE)
        else:
            await ctx.session.send_resource_updated(NOTE)
        return "touched"

    for run in (fail, steps, wait, waited, ask, sample, touch):
        tool(run)

    @server.resource(NOTE, name="note", mime_type="text/plain")
    def note() -> str:
        return "a note"

    @server.prompt()
    def greet(name: str) -> str:
        return f"Hello {name}"
