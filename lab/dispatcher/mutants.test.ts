/** The simulation bites: each of these bugs, put into the real source, is caught within a thousand runs. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadBundle, type Mutant } from "../../packages/tenon/test/support/bundle.ts";
import { simulate } from "../../packages/tenon/test/dispatcher/simulate.ts";
import { run } from "../../packages/tenon/test/dispatcher/steps.ts";
import type { WorldKind } from "../../packages/tenon/test/dispatcher/world.ts";

type Subject = typeof import("../../packages/tenon/test/dispatcher/subject.ts");

const SUBJECT = new URL("../../packages/tenon/test/dispatcher/subject.ts", import.meta.url);
const OUTBOUND = "dispatch/outbound-requests.ts";
const INBOUND = "dispatch/inbound-requests.ts";
const PENDING = "dispatch/pending.ts";
const IN_FLIGHT = "dispatch/in-flight.ts";

const BOTH: readonly WorldKind[] = ["direct", "wire"];
const DIRECT: readonly WorldKind[] = ["direct"];
const WIRE: readonly WorldKind[] = ["wire"];

const MUTANTS: readonly (Mutant & { readonly kinds: readonly WorldKind[] })[] = [
  {
    name: "a settled call stays in the table [D1]",
    file: OUTBOUND,
    find: "this.#pending.delete(key);",
    replace: "",
    kinds: BOTH,
  },
  {
    name: "correlation by Number(id) [D4]",
    file: OUTBOUND,
    find: "return this.#pending.get(coerceRequestId(id));",
    replace: "return this.#pending.get(Number.isNaN(Number(id)) ? id : Number(id));",
    kinds: WIRE,
  },
  {
    name: "ids are minted again and again [D3]",
    file: OUTBOUND,
    find: "return this.#nextId++;",
    replace: "return this.#nextId;",
    kinds: WIRE,
  },
  {
    name: "a second handler for a duplicate id [D5]",
    file: INBOUND,
    find: "if (all.has(id)) return {",
    replace: "if (all.has(id) && this.#draining) return {",
    kinds: WIRE,
  },
  {
    name: "an answer after a cancel [D6 CF-02]",
    file: IN_FLIGHT,
    find: "this.cancelled ? undefined : this.#toResponse(outcome)",
    replace: "this.#toResponse(outcome)",
    kinds: WIRE,
  },
  {
    name: "a request is kept after its handler has begun [D13]",
    file: INBOUND,
    find: "    this.#starting = inFlight;\n    inFlight.run(onRequest);\n    this.#keepStarting();",
    replace: "    inFlight.run(onRequest);\n    if (!inFlight.done) this.#starting = inFlight;\n    this.#keepStarting();",
    kinds: DIRECT,
  },
  {
    name: "an answered request keeps its slot [T8]",
    file: INBOUND,
    find: "waiting.delete(waiting.get(id) === inFlight ? id : inFlight);",
    replace: ";",
    kinds: DIRECT,
  },
  {
    name: "a cancelled handler gives up its slot at once [T8]",
    file: INBOUND,
    find: "    this.#waiting!.set(inFlight, inFlight);\n",
    replace: "",
    kinds: WIRE,
  },
  {
    name: "handlers are not told of the end [BS-50]",
    file: INBOUND,
    find: "for (const inFlight of [...this.#all().values()]) inFlight.cancel(reason);",
    replace: "",
    kinds: BOTH,
  },
  {
    name: "timers of handlers outlive the connection [XT-20]",
    file: INBOUND,
    find: "    this.#waiting = undefined;\n    this.#deadlines?.stop();\n",
    replace: "",
    kinds: WIRE,
  },
  {
    name: "what cannot be serialised is never answered [F12]",
    file: IN_FLIGHT,
    find: 'return { jsonrpc: "2.0", id, error: { code: ErrorCode.InternalError, message: "Internal error" } };',
    replace: "throw error;",
    kinds: DIRECT,
  },
  {
    name: "the peer is not told of a cancel [D6]",
    file: PENDING,
    find: "if (this.#sent) this.#tellPeer(reason);",
    replace: "",
    kinds: WIRE,
  },
  {
    name: "a call settles by its deadline and stays [D3]",
    file: PENDING,
    find: "    this.#owner.forget(this);\n",
    replace: "",
    kinds: DIRECT,
  },
  {
    name: "progress extends a call for ever [D8]",
    file: PENDING,
    find: "Math.min(this.#owner.channel.clock.now() + this.#timeout, this.#hardDeadline)",
    replace: "Infinity",
    kinds: DIRECT,
  },
  {
    name: "progress goes on after the call has settled [D8]",
    file: PENDING,
    find: "    this.#progress?.stop();\n",
    replace: "",
    kinds: WIRE,
  },
  {
    name: "progress that goes back is delivered [requirement G6]",
    file: "dispatch/progress.ts",
    find: "if (!(step.progress > this.#last)) return false;",
    replace: "",
    kinds: DIRECT,
  },
  {
    name: "a handler that does not end keeps its slot [D9]",
    file: IN_FLIGHT,
    find: "this.deadline = Infinity;\n      this.#endWithin(handlerGrace);",
    replace: "",
    kinds: WIRE,
  },
  {
    name: "close does not reach the other end [D13]",
    file: "dispatch/direct-dispatcher.ts",
    find: "this.peer.#closeWith(new ConnectionClosedError());",
    replace: "",
    kinds: DIRECT,
  },
  {
    name: "calls wait on after the peer's end [BS-23]",
    file: "dispatch/exchange.ts",
    find: "    this.peerClosed(error);\n",
    replace: "",
    kinds: DIRECT,
  },
  {
    name: "a progress callback that throws breaks the connection [D12]",
    file: "dispatch/progress.ts",
    find: "    } catch (error) {\n      this.#channel.report(error);",
    replace: "    } catch (error) {\n      throw error;",
    kinds: WIRE,
  },
];

describe.each(MUTANTS)("$name", (mutant) => {
  it.each(mutant.kinds)("is caught: %s", async (kind) => {
    const subject = await loadBundle<Subject>(SUBJECT, mutant);
    const { failed, numRuns } = await fc.check(
      fc.asyncProperty(run, async (steps) => {
        expect(await simulate(subject, kind, steps)).toEqual([]);
      }),
      { numRuns: 1000, endOnFailure: true, seed: 7 },
    );

    expect(failed, `survived ${numRuns} runs`).toBe(true);
  });
});
