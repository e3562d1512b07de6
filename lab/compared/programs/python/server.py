import os

from fastmcp import FastMCP

mcp = FastMCP("sums")


@mcp.tool
def add(a: float, b: float) -> dict[str, float]:
    """Add two numbers"""
    return {"sum": a + b}


mcp.run(transport="http", host="127.0.0.1", port=int(os.environ["PORT"]), show_banner=False)
