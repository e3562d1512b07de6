// The streams of a session that no other process serves: what is kept of them, and for how long.
import { expect, test } from "vitest";
import { VirtualClock } from "../../../../test/support/virtual-clock.ts";
import { MemoryEventLog } from "../../../storage/memory/event-log.ts";
import { Serving } from "../serving.ts";
import { withHttpDefaults } from "../settings.ts";
import { Session } from "./session.ts";

function open(): { session: Session; events: MemoryEventLog } {
  const clock = new VirtualClock();
  const events = new MemoryEventLog(clock);
  const serving = new Serving(withHttpDefaults({ clock }));
  return { session: new Session({ serving, events, id: "s", principal: undefined, address: undefined }), events };
}

test("a session that has ended keeps no event, and takes none", async () => {
  const { session, events } = open();
  void session.streams.sendUnrelated('{"first":1}');
  expect(events.size).toBeGreaterThan(0);
  await session.close();
  expect(events.size).toBe(0);
  void session.streams.sendUnrelated('{"second":1}');
  expect(events.size).toBe(0);
});

test("a session without streams leaves nothing in the log", async () => {
  const { session, events } = open();
  await session.close();
  expect(events.read({ session: "s", stream: "any" }, 0, 1)).toBe("unknown");
});
