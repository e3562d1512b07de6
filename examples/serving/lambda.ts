// AWS Lambda behind a function URL, or behind an HTTP API with payload format
// 2.0. The function's handler is `lambda.handler`.
import { createFetchHandler, McpServer } from "tenon/server";
import * as z from "zod";

const server = new McpServer({ name: "sums", version: "1.0.0" });
const input = z.object({ a: z.number(), b: z.number() });
server.tool("add", { description: "Add two numbers", input }, ({ a, b }) =>
  String(a + b),
);

const mcp = createFetchHandler(server, {
  allowedHosts: [process.env["PUBLIC_HOST"] ?? "localhost"],
  // the next request may reach another instance, which shares no memory
  sessions: false,
  responseMode: "json", // Lambda sends a response when it is complete
});

interface HttpEvent {
  rawPath: string;
  headers: Record<string, string>;
  requestContext: { domainName: string; http: { method: string } };
  body?: string;
  isBase64Encoded: boolean;
}

export async function handler(event: HttpEvent): Promise<{
  statusCode: number;
  headers: Record<string, string>;
  body: string;
}> {
  const { headers, requestContext } = event;
  const body =
    event.body === undefined
      ? null
      : Buffer.from(event.body, event.isBase64Encoded ? "base64" : "utf8");
  const url = `https://${requestContext.domainName}${event.rawPath}`;
  const response = await mcp(
    new Request(url, { method: requestContext.http.method, headers, body }),
  );
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
}
