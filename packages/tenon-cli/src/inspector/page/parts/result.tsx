/** What became of a call: its state, its result in several forms, and what to do if it failed. */
import type { ComponentChildren, VNode } from "preact";
import type { CallEntry, Issue } from "../../entries.ts";
import { AppPane } from "../apps/app-pane.tsx";
import { perform } from "../data/api.ts";
import { equal } from "../../differences.ts";
import { isObject, visible } from "../data/json.ts";
import { Content, ResourceContent } from "./content.tsx";
import { Differences } from "./differences.tsx";
import { JsonView } from "./json-view.tsx";
import { OnTwoRevisions, Rounds } from "./wire/rounds.tsx";
import { rowsOf, Table } from "./table.tsx";
import { Tabs, type Tab } from "./tabs.tsx";

export function Result({ call, before }: { call: CallEntry; before: CallEntry | undefined }): VNode {
  const { state, result, failure, ms, revision } = call;
  const isToolError = result?.["isError"] === true;
  return (
    <section class="result" aria-label="Result">
      <p class="state" role="status">
        <State state={isToolError ? "failed" : state} /> {ms === undefined ? null : <span>{ms} ms</span>}{" "}
        <span class="type">{revision}</span>
        {state === "running" ? (
          <button type="button" class="small" onClick={() => void perform("cancel", { call: call.call })}>
            Cancel <kbd>.</kbd>
          </button>
        ) : null}
      </p>
      {state === "running" ? <Progress call={call} /> : null}
      <Rounds call={call} />
      {call.task === undefined ? null : (
        <p class="about">
          Task {visible(call.task["taskId"])}: {visible(call.task["status"])} {visible(call.task["statusMessage"] ?? "")}
        </p>
      )}
      {failure === undefined ? null : <FailureView failure={failure} />}
      {call.issues === undefined ? null : <OutputCheck issues={call.issues} />}
      <AppPane call={call} />
      {result === undefined ? null : <Tabs label="Forms of the result" tabs={tabsOf(call, result, before)} />}
    </section>
  );
}

function State({ state }: { state: CallEntry["state"] }): VNode {
  const words = { running: "… running", done: "✓ done", failed: "✗ failed", cancelled: "– cancelled" } as const;
  return <b class={state === "failed" ? "bad" : state === "done" ? "good" : ""}>{words[state]}</b>;
}

function Progress({ call: { progress } }: { call: CallEntry }): VNode {
  const { progress: value, total, message } = progress ?? {};
  return (
    <p class="progress">
      <progress aria-label="Progress" {...(value !== undefined && total !== undefined && { value, max: total })} />{" "}
      {value === undefined ? "" : `${value}${total === undefined ? "" : `/${total}`}`} {visible(message ?? "")}
    </p>
  );
}

function tabsOf(call: CallEntry, result: NonNullable<CallEntry["result"]>, before: CallEntry | undefined): readonly Tab[] {
  const { content, contents, messages, structuredContent } = result;
  const rows = rowsOf(structuredContent);
  const blocks = Array.isArray(content) ? content : undefined;
  return [
    ...(blocks
      ? [
          {
            name: "Text",
            panel: () =>
              blocks.length === 0 ? <p class="about">No content.</p> : blocks.map((block, at) => <Content key={at} block={block} />),
          },
        ]
      : []),
    ...(Array.isArray(contents)
      ? [{ name: "Contents", panel: () => contents.map((one, at) => (isObject(one) ? <ResourceContent key={at} content={one} /> : null)) }]
      : []),
    ...(Array.isArray(messages) ? [{ name: "Messages", panel: () => messages.map((one, at) => <Message key={at} message={one} />) }] : []),
    ...(structuredContent === undefined ? [] : [{ name: "Structured", panel: () => <JsonView value={structuredContent} /> }]),
    ...(rows ? [{ name: "Table", panel: () => <Table rows={rows} /> }] : []),
    { name: "Raw", panel: () => <JsonView value={result} /> },
    ...(before !== undefined && before.revision !== call.revision && equal(before.params, call.params)
      ? [{ name: `${before.revision} and ${call.revision}`, panel: () => <OnTwoRevisions before={before} now={call} /> }]
      : []),
    ...(before?.result
      ? [{ name: "Compare", panel: () => <Differences before={before.result} after={result} names={["the call before", "this call"]} /> }]
      : []),
  ];
}

function Message({ message }: { message: unknown }): VNode {
  if (!isObject(message)) return <JsonView value={message} />;
  return (
    <figure class="card">
      <figcaption>{visible(message["role"])}</figcaption>
      <Content block={message["content"]} />
    </figure>
  );
}

function OutputCheck({ issues }: { issues: readonly Issue[] }): VNode {
  if (issues.length === 0) return <p class="good">✓ It matches the output schema.</p>;
  return (
    <div class="notice bad">
      ✗ It does not match the output schema:
      <ul>
        {issues.map(({ path, message }) => (
          <li key={path + message}>
            <code>{visible(path || "the whole")}</code> {visible(message)}
          </li>
        ))}
      </ul>
    </div>
  );
}

const REMEDIES: Readonly<Record<string, ComponentChildren>> = {
  "-32700": "The server could not read the message as JSON. See the message on the wire.",
  "-32600": "The server refused the message. See it on the wire; another revision may be accepted.",
  "-32601": "The server does not have this method. See what it declares in the overview.",
  "-32602": "The server refused the arguments. Compare them with the schema, or look at the JSON.",
  "-32603": "The server failed inside. Its logs or its stderr may say why: see Activity.",
  "-32001": "The server did not respond in time. Give the call a longer time limit, or see the wire.",
  "-32000": "The connection has ended. See stderr in Activity, and connect again.",
  "-32002": "The server does not know this resource. Read the list again.",
};

export function FailureView({ failure: { code, message, data } }: { failure: NonNullable<CallEntry["failure"]> }): VNode {
  const remedy = code === undefined ? undefined : REMEDIES[String(code)];
  return (
    <div class="notice bad" role="alert">
      <p>
        {code === undefined ? null : <code>{String(code)}</code>} {visible(message)}
      </p>
      {data === undefined ? null : <JsonView value={data} />}
      {remedy === undefined ? null : <p class="about">{remedy}</p>}
    </div>
  );
}
