// Pages of this machine that use the endpoint from a browser, where the server asks for that.
import { expect, test } from "vitest";
import { McpServer } from "tenon/server";
import { serveHttp } from "tenon/node";
import { mirrored, serve, statelessBody } from "./support.ts";

const ask = (origin: string): { headers: Record<string, string>; body: object } => ({
  headers: { ...mirrored("server/discover", {}), origin },
  body: statelessBody("server/discover"),
});
const server = (): McpServer => new McpServer({ name: "empty", version: "1.0.0" });

test("pages of this machine may use it on any port, and no other page [rule R1]", async () => {
  const http = await serve(server(), { cors: { origins: "loopback" } });
  for (const local of ["http://localhost:5173", "http://127.0.0.1:8080", "https://[::1]"]) {
    const { status, headers } = await http.raw(ask(local));
    expect([status, headers["access-control-allow-origin"]]).toEqual([200, local]);
  }
  for (const other of ["https://app.example", "http://localhost.evil.example", "null"]) {
    const { status, headers } = await http.raw(ask(other));
    expect([status, headers["access-control-allow-origin"]]).toEqual([403, undefined]);
  }
});

test("the response to their preflight has the headers of the protocol, those of arguments included [rule R1]", async () => {
  const http = await serve(server(), { cors: { origins: "loopback" } });
  const asked = "content-type,mcp-method,mcp-param-region,last-event-id";
  const headers = {
    origin: "http://localhost:5173",
    "access-control-request-method": "DELETE",
    "access-control-request-headers": asked,
  };
  const preflight = await http.raw({ method: "OPTIONS", headers });
  expect(preflight.status).toBe(204);
  expect(preflight.headers).toMatchObject({
    "access-control-allow-origin": "http://localhost:5173",
    "access-control-allow-methods": expect.stringContaining("DELETE") as string,
    "access-control-allow-headers": asked.replaceAll(",", ", "),
    "access-control-expose-headers": expect.stringMatching(/Mcp-Session-Id.*WWW-Authenticate/) as string,
  });
});

test("other origins besides have to be listed all [rule R1]", async () => {
  const options = { port: 0, cors: { origins: "loopback" }, allowedOrigins: ["https://app.example"] } as const;
  await expect(serveHttp(server(), options)).rejects.toThrow(TypeError);
});
