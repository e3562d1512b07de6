// The programs of `examples/serving` that a platform calls as functions: a route of Next.js, and a handler of AWS Lambda.
import { readFileSync } from "node:fs";
import { connect, type Target } from "tenon/client";
import type { FetchHandler } from "tenon/server";
import { expect, test, vi } from "vitest";

// our own file
const document = JSON.parse(readFileSync(new URL("function-url-event.json", import.meta.url), "utf8")) as HttpEvent;
type HttpEvent = Parameters<typeof import("../../../../examples/serving/lambda.ts").handler>[0];

const REVISIONS = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;

/** What a client gets from the tool "add". */
async function sum(target: Target, revision: (typeof REVISIONS)[number]): Promise<unknown> {
  await using client = await connect(target, { revision });
  return (await client.callTool("add", { a: 1, b: 2 })).text;
}

/** By its path: an application's file is compiled with the settings of the examples, not with those of the tests. */
const ROUTE = new URL("../../../../examples/serving/next/app/mcp/route.ts", import.meta.url).href;

test.each(REVISIONS)("the route of Next.js serves a client of %s", async (revision) => {
  const route = (await import(ROUTE)) as Record<string, FetchHandler>; // a handler for each method, as Next.js wants it
  const call = (url: string | URL, init?: RequestInit): Promise<Response> =>
    route[init?.method ?? "GET"]!(new Request(url, init));
  expect(await sum({ url: "https://sums.example.com/mcp", fetch: call }, revision)).toBe("3");
  await expect(sum({ url: "https://evil.example/mcp", fetch: call }, revision)).rejects.toThrow("this Host is not allowed");
});

/** The handler as a function of a deployed project: its environment is there before it is loaded. */
async function lambda(): Promise<typeof import("../../../../examples/serving/lambda.ts").handler> {
  vi.stubEnv("PUBLIC_HOST", document.requestContext.domainName);
  vi.resetModules();
  return (await import("../../../../examples/serving/lambda.ts")).handler;
}

test("the Lambda handler serves the event of a function URL", async () => {
  const handler = await lambda();
  const { statusCode, headers, body } = await handler(document);
  expect([statusCode, headers["content-type"], JSON.parse(body)]).toMatchObject([
    200,
    "application/json",
    { id: 1, result: { content: [{ type: "text", text: "3" }] } },
  ]);
});

test("the Lambda handler reads a body in Base64, as gateways send it", async () => {
  const handler = await lambda();
  const { body } = await handler({ ...document, body: Buffer.from(document.body!).toString("base64"), isBase64Encoded: true });
  expect(JSON.parse(body)).toMatchObject({ id: 1, result: { content: [{ text: "3" }] } });
});

test.each(REVISIONS)("the Lambda handler serves a client of %s", async (revision) => {
  const handler = await lambda();
  const { domainName } = document.requestContext;
  const call = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const request = new Request(url, init);
    const event: HttpEvent = {
      ...document,
      headers: { ...Object.fromEntries(request.headers), host: request.headers.get("host") ?? new URL(request.url).host },
      requestContext: { ...document.requestContext, http: { ...document.requestContext.http, method: request.method } },
      body: await request.text(),
    };
    if (event.body === "") delete event.body;
    const { statusCode, headers, body } = await handler(event);
    return new Response(body === "" ? null : body, { status: statusCode, headers });
  };
  expect(await sum({ url: `https://${domainName}/mcp`, fetch: call }, revision)).toBe("3");
  await expect(sum({ url: "https://evil.example/mcp", fetch: call }, revision)).rejects.toThrow("this Host is not allowed");
});
