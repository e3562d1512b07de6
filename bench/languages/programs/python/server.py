"""A server of the official Python SDK: the peer of the benchmark and of the lab's interoperability run.

server.py bench|interop stdio
server.py bench|interop http <port> json|sse <2025|2026>
"""

import sys

import anyio
import uvicorn
import uvloop
from interop import add_interop
from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel
from typing_extensions import Annotated


class Sum(BaseModel):
    sum: float


server = MCPServer("python", version="1.0.0", log_level="ERROR")


@server.tool(description="Add two numbers")
def add(a: float, b: float) -> Annotated[CallToolResult, Sum]:
    total = a + b
    return CallToolResult(
        content=[TextContent(type="text", text=f"{total:.0f}")], structured_content={"sum": total}
    )


@server.tool(description="Return the text that was sent", structured_output=False)
def echo(text: str) -> str:
    return text


def main(tools: str, transport: str, port: str = "0", response: str = "json", family: str = "2026") -> None:
    if tools == "interop":
        add_interop(server)
    uvloop.install()
    if transport == "stdio":
        anyio.run(server.run_stdio_async, backend_options={"use_uvloop": True})
        return
    # 2026-07-28 is served without a session by any application; the others only if they are asked to.
    app = server.streamable_http_app(
        json_response=response == "json", stateless_http=family == "2026", max_sessions=None, session_idle_timeout=None
    )
    # A connection that was idle for five seconds is closed by default.
    options = {"loop": "uvloop", "http": "httptools", "log_level": "error", "access_log": False, "timeout_keep_alive": 60}
    uvicorn.run(app, host="127.0.0.1", port=int(port), **options)


if __name__ == "__main__":
    main(*sys.argv[1:])
