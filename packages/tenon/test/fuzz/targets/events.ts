/** Event streams, against an independent reader written from the HTML standard, section 9.2. */
import { readEvents, type ReceivedEvent } from "../../../src/client/http/read-events.ts";
import { assertSame, type Target } from "./target.ts";

/** The first character says into what pieces the bytes are cut. */
export const events: Target = {
  name: "events",
  kind: "text",
  async run(text) {
    const step = (text.charCodeAt(0) % 7) + 1;
    const bytes = new TextEncoder().encode(text.slice(1));
    assertSame(`the events in chunks of ${step}`, await received(bytes, step), expected(text.slice(1)));
  },
};

async function received(bytes: Uint8Array, step: number): Promise<readonly ReceivedEvent[]> {
  const found: ReceivedEvent[] = [];
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, (at += step)));
    },
  });
  await readEvents(body, 1_000_000, {
    opened: () => undefined,
    event: ({ event, id, data }) => void found.push({ event: event || undefined, id, data }),
    retry: () => undefined,
    alive: () => undefined,
    keepsAlive: () => undefined,
    unended: () => false,
  });
  return found;
}

/** Unlike a browser, each event has its own id only: the reader above it remembers the last one. */
function expected(text: string): readonly ReceivedEvent[] {
  const found: ReceivedEvent[] = [];
  let [event, id, data]: [string, string | undefined, string | undefined] = ["", undefined, undefined];
  // A lone surrogate is a replacement character on the wire.
  const lines = new TextDecoder().decode(new TextEncoder().encode(text)).split(/\r\n|\r|\n/);
  lines.pop(); // what ends without a line break was cut
  for (const line of lines) {
    if (line === "") {
      if (data !== undefined) found.push({ event: event || undefined, id, data });
      [event, id, data] = ["", undefined, undefined];
      continue;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") data = data === undefined ? value : `${data}\n${value}`;
    if (field === "event") event = value;
    if (field === "id" && !value.includes("\0")) id = value;
  }
  return found;
}
