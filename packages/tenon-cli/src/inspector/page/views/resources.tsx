/** The resources and templates of a server: read, watched, and filled in. */
import type { VNode } from "preact";
import { perform } from "../data/api.ts";
import { isObject, visible, type Json } from "../data/json.ts";
import { listOf, states, version } from "../data/store.ts";
import { Form } from "../form/form.tsx";
import { CallButton, callsOf, Results, typedValue } from "../parts/call-pane.tsx";
import { NoItems } from "../parts/no-items.tsx";
import { ItemHead, Panes } from "../parts/panes.tsx";
import { suggestions } from "./prompts.tsx";

export function Resources({ target }: { target: number }): VNode {
  const [resources, templates] = [listOf(target, "resources"), listOf(target, "templates")];
  const items = [...(resources?.items ?? []), ...(templates?.items ?? [])];
  const list = templates?.failure === undefined ? resources : templates;
  const empty = (
    <NoItems target={target} of="resources" list={list}>
      A server adds one with <code>server.resource("config", "app://config", …)</code>, and a family of them with a template.
    </NoItems>
  );
  return (
    <Panes view="resources" label="Resources" items={items} keyOf={keyOf} empty={empty}>
      {(item) =>
        item["uriTemplate"] === undefined ? (
          <Resource key={keyOf(item)} target={target} item={item} />
        ) : (
          <Template key={keyOf(item)} target={target} item={item} />
        )
      }
    </Panes>
  );
}

function keyOf({ uri, uriTemplate }: Json): string {
  return String(uri ?? uriTemplate);
}

function Resource({ target, item }: { target: number; item: Json }): VNode {
  const uri = String(item["uri"]);
  return (
    <div class="split">
      <section aria-label="Read" class="pane">
        <ItemHead item={item} name={uri} />
        <CallButton target={target} op="read" name={uri} params={{}} label="Read">
          <WatchBox target={target} uri={uri} />
        </CallButton>
      </section>
      <section aria-label="Results" class="pane">
        <Results found={callsOf(target, "read", uri)} />
      </section>
    </div>
  );
}

function WatchBox({ target, uri }: { target: number; uri: string }): VNode {
  void version.servers.value;
  const isWatched = states.get(target)?.watched.includes(uri) === true;
  return (
    <label class="inline">
      <input
        type="checkbox"
        checked={isWatched}
        onChange={() => void perform(isWatched ? "unsubscribe" : "subscribe", { target, uri }).catch(() => undefined)}
      />{" "}
      watch for changes
    </label>
  );
}

function Template({ target, item }: { target: number; item: Json }): VNode {
  const template = String(item["uriTemplate"]);
  const typed = typedValue(`${target} template ${template}`, () => ({}));
  const values = isObject(typed.value) ? typed.value : {};
  const names = variablesOf(template);
  const schema = { type: "object", properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])), required: names };
  const uri = expand(template, values);
  const suggest = suggestions(target, { type: "ref/resource", name: template }, () => values);
  return (
    <div class="split">
      <section aria-label="Read" class="pane">
        <ItemHead item={item} name={template} />
        <Form
          schema={schema}
          value={typed.value}
          onChange={(value) => (typed.value = value)}
          issues={[]}
          label="Variables"
          {...(suggest && { suggest })}
        />
        <p>
          <code>{visible(uri)}</code>
        </p>
        <CallButton target={target} op="read" name={uri} params={{}} label="Read">
          <WatchBox target={target} uri={uri} />
        </CallButton>
      </section>
      <section aria-label="Results" class="pane">
        <Results found={callsOf(target, "read", uri)} />
      </section>
    </div>
  );
}

const EXPRESSION = /\{([+#./;?&]?)([^{}]*)\}/g;

function variablesOf(template: string): string[] {
  const lists = [...template.matchAll(EXPRESSION)].map(([, , list = ""]) =>
    list.split(",").map((name) => name.replace(/(?:\*|:\d+)$/, "")),
  );
  return [...new Set(lists.flat())].filter((name) => name !== "");
}

const SEPARATORS: Readonly<Record<string, readonly [first: string, between: string]>> = {
  "": ["", ","],
  "+": ["", ","],
  "#": ["#", ","],
  ".": [".", "."],
  "/": ["/", "/"],
  ";": [";", ";"],
  "?": ["?", "&"],
  "&": ["&", "&"],
};

/** The URI of a template with these values (RFC 6570, values that are texts). */
function expand(template: string, values: Json): string {
  return template.replace(EXPRESSION, (_, operator: string, list: string) => {
    const [first, between] = SEPARATORS[operator] ?? ["", ","];
    const parts = list.split(",").flatMap((variable) => {
      const [name = "", length] = variable.replace(/\*$/, "").split(":");
      const value = values[name];
      if (typeof value !== "string") return [];
      const cut = length === undefined ? value : value.slice(0, Number(length));
      const encoded = operator === "+" || operator === "#" ? encodeURI(cut) : encodeURIComponent(cut);
      return [
        operator === "?" || operator === "&"
          ? `${name}=${encoded}`
          : operator === ";"
            ? `${name}${encoded === "" ? "" : "="}${encoded}`
            : encoded,
      ];
    });
    return parts.length === 0 ? "" : first + parts.join(between);
  });
}
