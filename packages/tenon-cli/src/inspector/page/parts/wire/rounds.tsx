/** The rounds of a call that asks, as they happen; and what two revisions put on the wire for the same call. */
import type { VNode } from "preact";
import type { CallEntry } from "../../../entries.ts";
import { isObject } from "../../data/json.ts";
import { contentOf, wireOf, type CallWire, type Exchange } from "../../data/rounds.ts";
import { stepsOf, type ShownSteps } from "../../data/steps.ts";
import { Differences } from "../differences.tsx";
import { Waterfall, type Span } from "./waterfall.tsx";

/** Nothing for a call that asks nothing and has no steps. */
export function Rounds({ call }: { call: CallEntry }): VNode | null {
  const found = wireOf(call);
  const { rounds, questions } = found;
  if (rounds.length < 2 && questions.length === 0 && rounds.every(isPlain)) return null;
  return <Waterfall label="Rounds of the call" spans={spansOf(found)} />;
}

function isPlain(round: Exchange): boolean {
  return namesAsked(round).length === 0 && (stepsOf(round)?.steps.length ?? 0) === 0;
}

function spansOf({ rounds, questions }: CallWire): Span[] {
  const spans: Span[] = [];
  for (const [at, round] of rounds.entries()) {
    const { request, response } = round;
    const next = rounds[at + 1]?.request;
    const names = namesAsked(round);
    spans.push({
      label: `round ${at + 1}`,
      from: request.at,
      to: response?.at,
      about: aboutRound(round, at, names),
      kind: round.response?.type === "error" ? "failed" : "server",
    });
    spans.push(...stepSpans(round));
    if (response !== undefined && names.length > 0)
      spans.push({ label: "you answer", from: response.at, to: next?.at, about: names.join(", "), kind: "user" });
  }
  for (const { request, response } of questions)
    spans.push({ label: "you answer", from: request.at, to: response?.at, about: request.method ?? "", kind: "user" });
  return spans;
}

/** The steps of a round: what each did, and when. */
export function stepSpans(round: Exchange): Span[] {
  const steps = stepsOf(round)?.steps ?? [];
  return steps.map(({ name, state, from, to }) => ({
    label: `step ${name}`,
    from,
    to,
    about: state === "replayed" ? "replayed: its value of an earlier round was used, and its work did not run" : state,
    kind: state === "failed" ? "failed" : "step",
  }));
}

function aboutRound(round: Exchange, at: number, names: readonly string[]): string {
  const { request, response } = round;
  const params = contentOf(request)?.["params"];
  const state = isObject(params) ? params["requestState"] : undefined;
  const stateText = typeof state === "string" ? `, with a state of ${state.length} characters` : "";
  const again = at === 0 ? "" : `${howItRan(stepsOf(round))}${stateText}. `;
  if (response === undefined) return `${again}runs`;
  return `${again}${names.length > 0 ? `asks ${names.join(", ")}` : response.type}`;
}

/** How the handler of a later round came to run. Servers that do not tell replay what they have done. */
function howItRan(told: ShownSteps | undefined): string {
  if (told?.handler === "continued") return "the handler went on from its question";
  if (told !== undefined) return "the handler ran again from its beginning";
  return "the server continues the call";
}

/** The questions that end a round (stateless revisions). */
function namesAsked({ response }: Exchange): readonly string[] {
  const result = response === undefined ? undefined : contentOf(response)?.["result"];
  if (!isObject(result) || result["resultType"] !== "input_required") return [];
  return isObject(result["inputRequests"]) ? Object.keys(result["inputRequests"]) : [];
}

/** The same call on two revisions: what the codec of each wrote, and what came back. */
export function OnTwoRevisions({ before, now }: { before: CallEntry; now: CallEntry }): VNode {
  const [old, made] = [before, now].map((call) => wireOf(call).rounds[0]);
  const names = [before.revision, now.revision] as const;
  const pairs = [
    ["What the client sent", old?.request, made?.request],
    ["What the server sent", old?.response, made?.response],
  ] as const;
  return (
    <>
      {pairs.map(([title, one, other]) => (
        <section key={title}>
          <h3>{title}</h3>
          {one === undefined || other === undefined ? (
            <p class="about">The messages are not stateText any more.</p>
          ) : (
            <Differences before={contentOf(one)} after={contentOf(other)} names={names} />
          )}
        </section>
      ))}
      <h3>The result that a client gets</h3>
      <Differences before={before.result ?? before.failure} after={now.result ?? now.failure} names={names} />
    </>
  );
}
