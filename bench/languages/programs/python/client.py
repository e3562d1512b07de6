"""The client of the interoperability run: asks a server for what all of them have, and prints what it got as lines of JSON.

client.py <2025|2026> stdio <command> [arguments]
client.py <2025|2026> http <url>
"""

import json
import sys
import warnings
from typing import Any, Awaitable, Callable

import anyio
from mcp import Client, StdioServerParameters
from mcp.types import CreateMessageResult, ElicitResult, ResourceUpdatedNotification, TextContent

NOTE = "mem://note"
ODD_TEXT = 'héllo 世界 "quoted"\\n'


async def run(name: str, check: Callable[[], Awaitable[Any]]) -> None:
    line = {"check": name, "error": "no end after 15 seconds"}
    try:
        with anyio.move_on_after(15):
            line = {"check": name, "value": await check()}
    except Exception as error:
        line = {"check": name, "error": f"{type(error).__name__}: {error}"}
    print(json.dumps(line), flush=True)


async def until(wanted: str, ask: Callable[[], Awaitable[str]]) -> str:
    with anyio.move_on_after(10):
        while (got := await ask()) != wanted:
            await anyio.sleep(0.02)
        return got
    return await ask()


class Checks:
    def __init__(self, client: Client, updates: Any) -> None:
        self.client = client
        self.updates = updates

    async def text(self, name: str, arguments: dict[str, Any] | None = None) -> str:
        return (await self.client.call_tool(name, arguments)).content[0].text

    async def lists(self) -> Any:
        return {
            "tools": sorted(tool.name for tool in (await self.client.list_tools()).tools),
            "resources": [resource.uri for resource in (await self.client.list_resources()).resources],
            "prompts": [prompt.name for prompt in (await self.client.list_prompts()).prompts],
        }

    async def call(self) -> Any:
        result = await self.client.call_tool("add", {"a": 2, "b": 3})
        return {"text": result.content[0].text, "structured": result.structured_content}

    async def resource(self) -> Any:
        return (await self.client.read_resource(NOTE)).contents[0].text

    async def prompt(self) -> Any:
        return (await self.client.get_prompt("greet", {"name": "Bo"})).messages[0].content.text

    async def tool_error(self) -> Any:
        result = await self.client.call_tool("fail")
        return {"isError": result.is_error, "text": result.content[0].text}

    async def refused(self, name: str, arguments: dict[str, Any]) -> str:
        try:
            result = await self.client.call_tool(name, arguments)
        except Exception:
            return "refused"
        return "refused" if result.is_error else "no error"

    async def progress(self) -> Any:
        seen: list[float] = []

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            seen.append(progress)

        await self.client.call_tool("steps", {"count": 5}, progress_callback=on_progress)
        with anyio.move_on_after(10):
            while len(seen) < 5:
                await anyio.sleep(0.02)
        return seen

    async def cancellation(self) -> Any:
        async with anyio.create_task_group() as group:
            group.start_soon(self.client.call_tool, "wait")
            await until("waiting", lambda: self.text("waited"))
            group.cancel_scope.cancel()
        return await until("cancelled", lambda: self.text("waited"))

    async def subscription(self) -> Any:
        if self.client.protocol_version >= "2026-07-28":
            async with self.client.listen(resource_subscriptions=[NOTE]) as events:
                await self.text("touch")
                async for event in events:
                    return [event.uri]
        await self.client.subscribe_resource(NOTE)
        await self.text("touch")
        with anyio.move_on_after(10):
            return [await self.updates.receive()]
        return []


async def main(family: str, transport: str, *target: str) -> None:
    server = target[0] if transport == "http" else StdioServerParameters(command=target[0], args=list(target[1:]))
    send, updates = anyio.create_memory_object_stream(100)

    async def elicit(context: Any, params: Any) -> ElicitResult:
        return ElicitResult(action="accept", content={"name": "Bo"})

    async def sample(context: Any, params: Any) -> CreateMessageResult:
        return CreateMessageResult(role="assistant", model="none", content=TextContent(type="text", text="hi"))

    async def message(incoming: Any) -> None:
        if isinstance(incoming, ResourceUpdatedNotification):
            await send.send(incoming.params.uri)

    mode = "legacy" if family == "2025" else "2026-07-28"
    async with Client(
        server, mode=mode, elicitation_callback=elicit, sampling_callback=sample, message_handler=message
    ) as client:
        checks = Checks(client, updates)

        async def revision() -> str:
            return client.protocol_version

        await run("revision", revision)
        await run("lists", checks.lists)
        await run("call", checks.call)
        await run("text", lambda: checks.text("echo", {"text": ODD_TEXT}))
        await run("resource", checks.resource)
        await run("prompt", checks.prompt)
        await run("tool error", checks.tool_error)
        await run("unknown tool", lambda: checks.refused("nope", {}))
        await run("wrong arguments", lambda: checks.refused("add", {"a": "x", "b": 3}))
        await run("progress", checks.progress)
        await run("cancellation", checks.cancellation)
        await run("elicitation", lambda: checks.text("ask"))
        await run("sampling", lambda: checks.text("sample"))
        await run("subscription", checks.subscription)


warnings.simplefilter("ignore")
anyio.run(main, *sys.argv[1:])
