// AWS Lambda behind a function URL. AWS passes on only what is for that URL, so that the names are not checked again here.
import { createFetchHandler } from "tenon/server";
import { server } from "./server.ts";

const mcp = createFetchHandler(server, {
  allowedHosts: "any",
  clientAddress: "x-forwarded-for", // AWS appends the address of its client; the last one counts
  sessions: false, // the next request may reach another instance, which shares no memory
  responseMode: "json", // Lambda sends a response when it is complete
  welcome: true, // the address opened in a browser says how to add the server
});

interface HttpEvent {
  readonly rawPath: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly requestContext: { readonly domainName: string; readonly http: { readonly method: string } };
  readonly body?: string;
  readonly isBase64Encoded: boolean;
}

interface HttpResult {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export async function handler(event: HttpEvent): Promise<HttpResult> {
  const { headers, requestContext } = event;
  const body = event.body === undefined ? null : Buffer.from(event.body, event.isBase64Encoded ? "base64" : "utf8");
  const url = `https://${requestContext.domainName}${event.rawPath}`;
  const response = await mcp(new Request(url, { method: requestContext.http.method, headers: { ...headers }, body }));
  return { statusCode: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
}
