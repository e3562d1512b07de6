/** The tools of a server: the form of each, its calls, and what it is called with elsewhere. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { isObject, type Json } from "../data/json.ts";
import { listOf, targets } from "../data/store.ts";
import { Form } from "../form/form.tsx";
import { initial } from "../form/schema.ts";
import { CallButton, callsOf, Results, typedValue, useIssues } from "../parts/call-pane.tsx";
import { asTenonCall, asTypeScript } from "../parts/copies.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { JsonView } from "../parts/json-view.tsx";
import { Marks } from "../parts/marks.tsx";
import { NoItems } from "../parts/no-items.tsx";
import { ItemHead, Panes, Split } from "../parts/panes.tsx";

export function Tools({ target }: { target: number }): VNode {
  const list = listOf(target, "tools");
  const empty = (
    <NoItems target={target} of="tools" list={list}>
      A server adds one with <code>server.tool("add", …)</code>; the page shows it at once.
    </NoItems>
  );
  return (
    <Panes view="tools" label="Tools" items={list?.items ?? []} keyOf={({ name }) => String(name)} empty={empty}>
      {(tool) => <Tool key={String(tool["name"])} target={target} tool={tool} />}
    </Panes>
  );
}

function Tool({ target, tool }: { target: number; tool: Json }): VNode {
  const name = String(tool["name"]);
  const schema = isObject(tool["inputSchema"]) ? tool["inputSchema"] : {};
  const first = initial(schema, schema, true) ?? {};
  const typed = typedValue(`${target} tool ${name}`, () => first);
  const found = useIssues(typed.value, { target, tool: name });
  const [isTried, setTried] = useState(false);
  const isUntouched = !isTried && JSON.stringify(typed.value) === JSON.stringify(first);
  const issues = isUntouched ? [] : found; // nothing is wrong before the user has begun
  const [timeout, setTimeoutText] = useState("");
  const results = callsOf(target, "call", name);
  const entry = targets.get(target);
  const marks = (listOf(target, "tools")?.marks ?? []).filter((mark) => mark.tool === name);
  return (
    <Split label="Call" results={<Results found={results} edit={(params) => (typed.value = params)} />}>
      <ItemHead item={tool} name={name} />
      <Marks marks={marks} isWhole={false} />
      <Form
        schema={schema}
        value={typed.value}
        onChange={(value) => (typed.value = value)}
        issues={issues.filter(({ path }) => path !== "")} // those of the whole are listed above the button
        label="Arguments"
      />
      <CallButton
        target={target}
        op="call"
        name={name}
        params={typed.value}
        label="Call"
        issues={issues}
        onUnseen={found.length > issues.length ? () => setTried(true) : undefined}
        timeout={timeout}
      >
        <label class="inline">
          limit{" "}
          <input
            class="short"
            inputMode="numeric"
            placeholder="60000"
            aria-label="Time limit in milliseconds"
            value={timeout}
            onInput={({ currentTarget }) => setTimeoutText(currentTarget.value)}
          />{" "}
          ms
        </label>
        {entry === undefined ? null : (
          <span class="copies">
            <CopyButton text={() => asTenonCall(entry, name, typed.value)} label="Copy as tenon call">
              copy tenon
            </CopyButton>
            <CopyButton text={() => asTypeScript(entry, name, typed.value)} label="Copy as TypeScript">
              copy ts
            </CopyButton>
          </span>
        )}
      </CallButton>
      <details class="schema">
        <summary>Schema</summary>
        <JsonView value={tool} />
      </details>
    </Split>
  );
}
