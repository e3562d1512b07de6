import os
from dataclasses import dataclass

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError

mcp = FastMCP("airline", version="1.0.0")


@dataclass
class Seat:
    seat: str


@mcp.tool
async def book(ctx: Context) -> dict:
    """Book a seat"""
    answer = await ctx.elicit("Which seat?", Seat)
    if answer.action != "accept":
        raise ToolError("Nothing was booked.")
    hold = {"seat": answer.data.seat, "price": 72}
    paid = await ctx.elicit(f"Pay {hold['price']}?", bool)
    if paid.action != "accept" or not paid.data:
        raise ToolError("No.")
    return {**hold, "paid": True}


mcp.run("http", port=int(os.environ["PORT"]))
