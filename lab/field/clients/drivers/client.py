# A client in Python at one server: `client.py mcp|fastmcp <target>`. Reads questions and writes answers, each a line of JSON
# (other-language.mjs).
import asyncio
import json
import os
import sys


def client_of(library, target):
    program = target.get("program")
    if library == "fastmcp":
        from fastmcp import Client
        from fastmcp.client.transports import StdioTransport

        return Client(target["url"] if program is None else StdioTransport(program["command"], program["args"], env=program["env"]))
    from mcp import Client, StdioServerParameters

    return Client(target["url"] if program is None else StdioServerParameters(**program))


def plain(value):
    """A result as JSON. FastMCP's has the data in several forms: those that the server sent are kept."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True, exclude_none=True)
    content = [plain(one) for one in value.content]
    return {"content": content, "structuredContent": value.structured_content, "isError": value.is_error}


async def answer(client, question):
    if "name" in question:
        return plain(await client.call_tool(question["name"], question["args"]))
    tools = await client.list_tools()
    return [tool.name for tool in getattr(tools, "tools", tools)]


def say(outcome):
    print(json.dumps(outcome), flush=True)


async def main():
    library, target = sys.argv[1], json.loads(sys.argv[2])
    async with client_of(library, target) as client:
        say({"result": "connected"})
        while line := await asyncio.to_thread(sys.stdin.readline):
            try:
                say({"result": await answer(client, json.loads(line))})
            except Exception as error:
                say({"thrown": str(error)})


try:
    asyncio.run(main())
except BaseException as error:
    say({"thrown": repr(error)})
    os._exit(1)
