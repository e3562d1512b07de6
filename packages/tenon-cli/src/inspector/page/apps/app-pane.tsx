/** The view of a tool's call, under it what the view wants of the user, and what it said. */
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { viewUriOf } from "tenon/ext/apps/host";
import type { Tool } from "tenon";
import type { CallEntry, TargetEntry } from "../../entries.ts";
import { visible } from "../data/json.ts";
import { listOf, targets } from "../data/store.ts";
import { JsonView } from "../parts/json-view.tsx";
import { ShownApp, type Said, type Wish } from "./shown-app.ts";

/** Shows nothing if the tool of the call has no view. */
export function AppPane({ call }: { call: CallEntry }): VNode | null {
  const items = (listOf(call.target, "tools")?.items ?? []) as readonly unknown[] as Tool[]; // as the server sent them
  const tool = call.op === "call" ? items.find(({ name }) => name === call.name) : undefined;
  const target = targets.get(call.target);
  if (tool === undefined || target === undefined || viewUriOf(tool) === undefined) return null;
  return <View call={call} tool={tool} target={target} />;
}

function View({ call, tool, target }: { call: CallEntry; tool: Tool; target: TargetEntry }): VNode {
  const place = useRef<HTMLDivElement>(null);
  const [app] = useState(() => new ShownApp(target));
  useEffect(() => {
    void app.show(place.current!, tool, call); // it is drawn
    return () => void app.close();
  }, []);
  useEffect(() => app.follow(call), [call.state]);
  return (
    <section class="app" aria-label="View">
      <div ref={place} />
      <div role="status">
        {app.wishes.value.map((wish) => (
          <WishBar key={wish.id} wish={wish} app={app} />
        ))}
      </div>
      <SaidList said={app.said.value} />
      <p class="about">
        <code>{visible(viewUriOf(tool))}</code>, a program of the server in a frame of another origin.
      </p>
    </section>
  );
}

function WishBar({ wish, app }: { wish: Wish; app: ShownApp }): VNode {
  const { text, detail, href, tool, decide } = wish;
  return (
    <div class="waiting wish">
      <p>{visible(text)}</p>
      {href === undefined ? null : <code>{visible(href)}</code>}
      {detail === undefined ? null : <JsonView value={detail} />}
      <div class="actions">
        {href === undefined ? (
          <button type="button" class="primary" onClick={() => decide(true)}>
            Allow
          </button>
        ) : (
          <a class="button primary" href={href} target="_blank" rel="noopener noreferrer" onClick={() => decide(true)}>
            Open
          </a>
        )}
        {tool === undefined ? null : (
          <button type="button" onClick={() => app.allow(wish)}>
            Allow while it is shown
          </button>
        )}
        <button type="button" onClick={() => decide(false)}>
          Refuse
        </button>
      </div>
    </div>
  );
}

function SaidList({ said }: { said: readonly Said[] }): VNode | null {
  if (said.length === 0) return null;
  return (
    <ul class="said" aria-label="What the view said">
      {said.map(({ kind, value }, at) => (
        <li key={at} class={kind === "problem" ? "wrong" : ""}>
          <b>{kind}</b> {kind === "problem" ? visible(value) : <JsonView value={value} />}
        </li>
      ))}
    </ul>
  );
}
