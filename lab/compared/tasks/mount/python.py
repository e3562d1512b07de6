import os

import uvicorn
from fastmcp import FastMCP
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route

mcp = FastMCP("hello", version="1.0.0")


@mcp.tool
def hello() -> str:
    return "Hello!"


async def version(_):
    return JSONResponse({"version": "1.0.0"})


mounted = mcp.http_app(path="/mcp")
routes = [Route("/version", version), Mount("/", app=mounted)]
app = Starlette(routes=routes, lifespan=mounted.lifespan)
uvicorn.run(app, port=int(os.environ["PORT"]))
