import asyncio

from fastmcp import Client, Context, FastMCP

mcp = FastMCP("airline", version="1.0.0")


@mcp.tool
async def book(ctx: Context) -> str:
    answer = await ctx.elicit("Pay 72?", bool)
    return "booked" if answer.action == "accept" else "not booked"


async def accept(message, response_type, params, context):
    return {"value": True}


async def main():
    client = Client(mcp, elicitation_handler=accept, mode="legacy")
    async with client:
        print((await client.call_tool("book")).data)


asyncio.run(main())
