/**
 * A `fetch` that writes what passes through it into a wire log: the message of each request, and the messages of each response, which
 * is JSON or an event stream. Nothing is changed, and the client reads at its own speed.
 *
 * Security: credentials are left out of the headers that the page gets.
 */
import { EventSourceParserStream } from "eventsource-parser/stream";
import type { Fetch } from "tenon/client";
import { type HttpResponse, parseMessage } from "tenon/internal";
import { isSecretName, LEFT_OUT } from "./secrets.ts";
import type { WireLog } from "./wire-log.ts";

const SHOWN_RESPONSE_HEADERS = [
  "content-type",
  "mcp-session-id",
  "mcp-protocol-version",
  "www-authenticate",
  "cache-control",
  "retry-after",
];

export function tappedFetch(inner: Fetch, log: WireLog): Fetch {
  return async (url, init) => {
    const { body, headers } = init;
    if (body !== undefined && headers["content-type"]?.includes("json") === true)
      log.add(parseMessage(body), { sent: true, text: body, headers: shownRequestHeaders(headers) });
    const response = await inner(url, init);
    return tapResponse(response, log);
  };
}

function shownRequestHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, isSecretName(name) ? LEFT_OUT : value]));
}

function tapResponse(response: HttpResponse, log: WireLog): HttpResponse {
  const type = response.headers.get("content-type") ?? "";
  if (response.body === null || !/json|event-stream/.test(type)) return response;
  const facts = { sent: false, status: response.status, headers: shownHeaders(response) };
  const [forClient, forLog] = response.body.tee();
  const reading = type.includes("event-stream")
    ? readEvents(forLog, (text) => log.add(parseMessage(text), { ...facts, text }))
    : readAll(forLog, (text) => log.add(parseMessage(text), { ...facts, text }));
  reading.catch(() => undefined); // the client gets the same failure
  return {
    status: response.status,
    ok: response.ok,
    type: response.type,
    headers: response.headers,
    body: forClient,
    text: () => new Response(forClient).text(),
  };
}

function shownHeaders({ headers }: HttpResponse): Record<string, string> {
  return Object.fromEntries(SHOWN_RESPONSE_HEADERS.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)!]] : [])));
}

async function readEvents(body: ReadableStream<Uint8Array>, take: (text: string) => void): Promise<void> {
  const events = body
    .pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
    .pipeThrough(new EventSourceParserStream());
  for await (const { data } of events as unknown as AsyncIterable<{ data: string }>) if (data !== "") take(data); // streams of Node are iterable
}

async function readAll(body: ReadableStream<Uint8Array>, take: (text: string) => void): Promise<void> {
  const text = await new Response(body).text();
  if (text !== "") take(text);
}
