from typing import Annotated, Literal

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from pydantic import BaseModel, Field

mcp = FastMCP("shop", instructions="Sell tea.")
stock = {"green": 5, "black": 2}


class Order(BaseModel):
    tea: str
    grams: int
    left: int


@mcp.tool(annotations={"destructiveHint": True})
async def order(
    tea: Literal["green", "black"],
    ctx: Context,
    grams: Annotated[int, Field(ge=1, le=100, description="How much")] = 1,
) -> Order:
    """Order tea"""
    if grams > stock[tea]:
        raise ToolError(f"There are only {stock[tea]} g of {tea} tea")
    await ctx.report_progress(1, 1)
    stock[tea] -= grams
    return Order(tea=tea, grams=grams, left=stock[tea])


@mcp.resource("stock://{tea}", mime_type="text/plain")
def left(tea: str) -> str:
    return f"{stock[tea]} g"


@mcp.prompt
def advise(mood: str) -> str:
    """Which tea fits"""
    return f"Which tea fits if I feel {mood}?"


mcp.run()
