import asyncio
import os

from fastmcp import Client


async def main():
    async with Client(os.environ["URL"]) as client:
        result = await client.call_tool("next", {"a": 1})
        print(result.data.b)


asyncio.run(main())
