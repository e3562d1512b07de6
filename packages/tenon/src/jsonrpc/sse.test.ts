import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeSseEvent, SSE_COMMENT, type SseEvent } from "./sse.ts";

/** Any text, lone surrogates included, ASCII half of the time. */
const anyText = fc.array(fc.oneof(fc.nat({ max: 0x7f }), fc.nat({ max: 0xffff }))).map((units) => String.fromCharCode(...units));

/** The parsing rules of the HTML standard, 9.2.6, as plainly as they can be written. */
function read(stream: string): { events: SseEvent[]; lastId: string | undefined; retry: number | undefined } {
  const events: SseEvent[] = [];
  let [data, type, lastId, retry] = ["", "", undefined as string | undefined, undefined as number | undefined];
  for (const line of stream.split(/\r\n|\r|\n/)) {
    if (line === "") {
      if (data !== "") events.push({ data: data.slice(0, -1), ...(type && { event: type }) });
      data = type = "";
    } else if (!line.startsWith(":")) {
      const [, field, value] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
      if (field === "event") type = value ?? "";
      else if (field === "data") data += `${value ?? ""}\n`;
      else if (field === "id" && !value?.includes("\0")) lastId = value ?? "";
      else if (field === "retry" && /^\d+$/.test(value ?? "")) retry = Number(value);
    }
  }
  return { events, lastId, retry };
}

const line = anyText.filter((text) => !/[\r\n\0]/.test(text));

describe("encodeSseEvent", () => {
  it("writes fields in order and ends with a blank line", () => {
    expect(encodeSseEvent({ data: '{"a":1}', event: "message", id: "7", retry: 500 })).toBe(
      'event: message\nid: 7\nretry: 500\ndata: {"a":1}\n\n',
    );
    expect(encodeSseEvent({ data: "", id: "7" })).toBe("id: 7\ndata: \n\n");
  });

  it("what a reader gets is what was written, whatever the text", () => {
    const data = fc.oneof(
      fc.json(),
      anyText,
      fc.array(fc.constantFrom("\n", "\r", "\r\n", "a", " ", ":", "data:", "event: x")).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(
        data,
        fc.option(line, { nil: undefined }),
        fc.option(line, { nil: undefined }),
        fc.option(fc.nat(), { nil: undefined }),
        (text, event, id, retry) => {
          const written = encodeSseEvent({
            data: text,
            ...(event !== undefined && { event }),
            ...(id !== undefined && { id }),
            ...(retry !== undefined && { retry }),
          });
          const expected = { data: text.replace(/\r\n|\r/g, "\n"), ...(event && { event }) };
          expect(read(written + encodeSseEvent({ data: "next" }))).toEqual({
            events: [expected, { data: "next" }],
            lastId: id,
            retry,
          });
        },
      ),
      { numRuns: 3000 },
    );
  });

  it.each<Partial<SseEvent>>([
    { id: "1\n2" },
    { id: "1\r" },
    { id: "\0" },
    { event: "a\nb" },
    { event: "a\rdata: b" },
    { retry: -1 },
    { retry: 1.5 },
    { retry: NaN },
  ])("refuses %j, which would change the stream", (wrong) => {
    expect(() => encodeSseEvent({ data: "", ...wrong })).toThrow(RangeError);
  });
});

it("the comment of a heartbeat is nothing to a reader", () => {
  expect(read(SSE_COMMENT)).toEqual({ events: [], lastId: undefined, retry: undefined });
});
