import type { Bus } from "../storage/bus.ts";
import { fails, same, until, type StoreCheck } from "./expectations.ts";

/** One requirement of a `Bus`, as a check on two buses of one engine. */
export type BusCheck = StoreCheck<[here: Bus, there: Bus]>;

/**
 * Checks of a `Bus`, for any test runner:
 * `for (const { name, run } of busChecks) test(name, async () => run(await createBus(), await createBus()))`.
 * Each needs two buses of one engine, as two nodes have them, without other publishers.
 */
export const busChecks: readonly BusCheck[] = [
  {
    name: "a message reaches every subscriber of its topic, at its publisher's node and at others",
    async run(here, there) {
      const heard: string[] = [];
      await here.subscribe("topic", (message) => heard.push(`here ${message}`));
      await here.subscribe("topic", (message) => heard.push(`again ${message}`));
      await there.subscribe("topic", (message) => heard.push(`there ${message}`));
      await there.subscribe("topic.2", (message) => heard.push(`other ${message}`));
      await here.publish("topic", "hello");
      await until(async () => heard.length >= 3, "three subscribers hear it");
      await here.publish("topic.2", "end");
      await until(async () => heard.includes("other end"), "the subscriber of another topic hears its own");
      same([...heard].sort(), ["again hello", "here hello", "other end", "there hello"], "what was heard");
    },
  },
  {
    name: "messages of one publisher arrive in order, equal ones too",
    async run(here, there) {
      const heard: string[] = [];
      await there.subscribe("topic", (message) => heard.push(message));
      const sent = Array.from({ length: 200 }, (_, index) => `message ${Math.floor(index / 2)}`);
      for (const message of sent) void here.publish("topic", message);
      await until(async () => heard.length >= sent.length, "all arrive");
      same(heard, sent, "what arrived");
    },
  },
  {
    name: "a subscription ends at once and alone",
    async run(here, there) {
      const heard: string[] = [];
      const listener = (message: string): void => void heard.push(message);
      const stop = await there.subscribe("topic", listener);
      await there.subscribe("topic", listener);
      stop();
      stop();
      await here.publish("topic", "one");
      await until(async () => heard.length >= 1, "the other subscription hears it");
      await here.publish("topic", "two");
      await until(async () => heard.length >= 2, "and hears on");
      same(heard, ["one", "two"], "what was heard");
    },
  },
  {
    name: "a subscriber that throws harms no other",
    async run(here, there) {
      const heard: string[] = [];
      await there.subscribe("topic", () => {
        throw new Error("a subscriber of a check throws");
      });
      await there.subscribe("topic", (message) => heard.push(message));
      await here.publish("topic", "one");
      await here.publish("topic", "two");
      await until(async () => heard.length >= 2, "the other hears both");
    },
  },
  {
    name: "any text up to the limit comes back as it was, and a longer one is refused",
    async run(here, there) {
      const heard: string[] = [];
      await there.subscribe("topic", (message) => heard.push(message));
      const sent = ["", "a 'quoted' \"text\" \\ with\nlines", "😀 \u2028", "ü".repeat(here.maxMessage / 2), "x".repeat(here.maxMessage)];
      for (const message of sent) await here.publish("topic", message);
      await fails(async () => here.publish("topic", "x".repeat(here.maxMessage + 1)), "LimitExceededError");
      await fails(async () => here.publish("topic", "ü".repeat(here.maxMessage / 2 + 1)), "LimitExceededError");
      await until(async () => heard.length >= sent.length, "all arrive");
      same(heard, sent, "what arrived");
    },
  },
  {
    name: "topics with other characters are refused",
    async run(here) {
      for (const topic of ["", "a b", "*", ">", "a:b", "x".repeat(65), "\u0000", "ü"]) {
        await fails(async () => here.publish(topic, "x"), "TypeError");
        await fails(async () => here.subscribe(topic, () => undefined), "TypeError");
      }
    },
  },
];
