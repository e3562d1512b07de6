// One stream and its reader: slow ones hold back, dead ones are cut, others are not held up.
import { describe, expect, test } from "vitest";
import { unsent } from "../../../base/unsent.ts";
import { EventStream, type StreamSink } from "./event-stream.ts";

const LIMITS = { maxBuffered: 1_000, maxStalled: 30_000, maxUnsent: 1e9 };
const endOfTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

class Sink implements StreamSink {
  text = "";
  state: "open" | "ended" | "cut" = "open";
  writes = 0;
  accepts = true;
  write(text: string): boolean {
    this.writes++;
    this.text += text;
    return this.accepts;
  }
  end(text: string): void {
    this.text += text;
    this.state = "ended";
  }
  cut(): void {
    this.state = "cut";
  }
}

function open(): { stream: EventStream; sink: Sink; ended: () => number } {
  const stream = new EventStream(LIMITS);
  const sink = new Sink();
  let ends = 0;
  stream.whenEnded(() => ends++);
  stream.attach(sink);
  return { stream, sink, ended: () => ends };
}

test("the first event of a turn leaves at once, the others of that turn in one write", async () => {
  const { stream, sink } = open();
  for (let i = 0; i < 5; i++) void stream.send(String(i));
  expect(sink.writes).toBe(1);
  await endOfTurn();
  expect(sink.writes).toBe(2);
  expect([...sink.text.matchAll(/data: (\d)/g)].map((match) => match[1])).toEqual(["0", "1", "2", "3", "4"]);
});

test("a turn that sends much writes it in parts, so that it does not hold all of it in memory [R8]", () => {
  const { stream, sink } = open();
  const part = "x".repeat(30_000);
  for (let i = 0; i < 7; i++) void stream.send(part);
  expect(sink.writes).toBe(3);
  expect(sink.text.length).toBeGreaterThan(7 * part.length);
});

test("what is said before the edge is there is written when it is", () => {
  const stream = new EventStream(LIMITS);
  void stream.send("early");
  const sink = new Sink();
  stream.attach(sink);
  expect(sink.text).toContain("early");
});

describe("slow and stalled readers [fault H9 R8]", () => {
  test("a stream that is not read is cut as soon as the process holds too much for all clients", async () => {
    const stream = new EventStream({ ...LIMITS, maxUnsent: 500 });
    const sink = new Sink();
    stream.attach(sink);
    sink.accepts = false;
    void stream.send("first");
    await endOfTurn();
    const before = unsent.size;
    void stream.send("small");
    expect(sink.state).toBe("open");
    unsent.size += 500;
    void stream.send("small");
    unsent.size -= 500;
    expect(sink.state).toBe("cut");
    expect(unsent.size).toBe(before);
  });

  test("a sender that awaits waits until the client has read", async () => {
    const { stream, sink } = open();
    sink.accepts = false;
    void stream.send("first");
    await endOfTurn();
    let sent = false;
    const waiting = Promise.resolve(stream.send("second")).then(() => (sent = true));
    await endOfTurn();
    expect([sent, sink.text.includes("second")]).toEqual([false, false]);
    sink.accepts = true;
    stream.drained();
    await waiting;
    expect(sink.text).toContain("second");
  });

  test("a sender goes on waiting if what the client has read makes room for no more than what was held", async () => {
    const { stream, sink } = open();
    sink.accepts = false;
    void stream.send("first");
    const waiting = stream.send("second");
    let isReleased = false;
    void Promise.resolve(waiting).then(() => (isReleased = true));
    stream.drained(); // the second is written, and fills the connection again
    await endOfTurn();
    expect([sink.text.includes("second"), isReleased]).toEqual([true, false]);
    sink.accepts = true;
    stream.drained();
    await waiting;
  });

  test("a stream whose client does not read is cut at the limit, and its senders continue", async () => {
    const { stream, sink, ended } = open();
    sink.accepts = false;
    void stream.send("first");
    await endOfTurn();
    const waiting = stream.send("second");
    for (let i = 0; i < 100; i++) void stream.send("x".repeat(50));
    await waiting;
    expect([sink.state, ended(), stream.ended]).toEqual(["cut", 1, true]);
    expect(stream.send("late")).toBeUndefined();
  });

  test("a stream holds exactly as much as its limit says, and the process as much as its own", async () => {
    const event = "event: message\ndata: x\n\n".length;
    const held = 3;
    for (const limits of [
      { ...LIMITS, maxBuffered: held * event },
      { ...LIMITS, maxUnsent: unsent.size + held * event },
    ]) {
      const stream = new EventStream(limits);
      const sink = new Sink();
      stream.attach(sink);
      sink.accepts = false;
      void stream.send("x");
      await endOfTurn();
      for (let i = 0; i < held; i++) void stream.send("x");
      expect(sink.state).toBe("open");
      void stream.send("x");
      expect(sink.state).toBe("cut");
    }
  });

  test("one that reads nothing for 30 s is cut", async () => {
    const { stream, sink } = open();
    sink.accepts = false;
    void stream.send("first");
    await endOfTurn();
    stream.beat(15_000);
    expect(sink.state).toBe("open");
    stream.beat(15_000);
    expect(sink.state).toBe("cut");
  });

  test("one that reads a little now and then is not", async () => {
    const { stream, sink } = open();
    sink.accepts = false;
    void stream.send("first");
    await endOfTurn();
    for (let i = 0; i < 5; i++) {
      stream.beat(15_000);
      stream.drained();
      void stream.send("more");
      await endOfTurn();
    }
    expect(sink.state).toBe("open");
  });
});

test("a quiet stream gives signs of life, a busy one need not [fault H10 fault H11]", async () => {
  const { stream, sink } = open();
  stream.beat(15_000);
  expect(sink.text).toBe(":\n\n");
  void stream.send("event");
  await endOfTurn();
  stream.beat(15_000);
  expect(sink.text.match(/^:$/gm)).toHaveLength(1);
});

describe("ends [H19]", () => {
  test("the last message and the end are one; nothing is written after", async () => {
    const { stream, sink, ended } = open();
    void stream.send("event");
    stream.end("last");
    void stream.send("late");
    stream.end("again");
    stream.cut();
    await endOfTurn();
    expect(sink.text).toBe("event: message\ndata: event\n\nevent: message\ndata: last\n\n");
    expect([sink.state, ended(), sink.writes]).toEqual(["ended", 1, 1]);
  });

  test("an end waits for a slow reader", async () => {
    const { stream, sink } = open();
    sink.accepts = false;
    void stream.send("event");
    await endOfTurn();
    stream.end("last");
    expect(sink.state).toBe("open");
    stream.drained();
    expect([sink.state, sink.text.includes("last")]).toEqual(["ended", true]);
  });

  test("a client that goes away ends it, once", async () => {
    const { stream, sink, ended } = open();
    void stream.send("first");
    void stream.send("second");
    stream.gone();
    stream.gone();
    await endOfTurn();
    expect([ended(), sink.writes]).toEqual([1, 1]);
  });
});
