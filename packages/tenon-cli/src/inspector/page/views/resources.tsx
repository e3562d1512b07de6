/** The resources and templates of a server: read, watched, and filled in. */
import type { VNode } from "preact";
import { expandUriTemplate } from "tenon";
import { parseTemplate } from "tenon/internal";
import { perform } from "../data/api.ts";
import { isObject, visible, type Json } from "../data/json.ts";
import { listOf, states, version } from "../data/store.ts";
import { Form } from "../form/form.tsx";
import { CallButton, callsOf, Results, typedValue } from "../parts/call-pane.tsx";
import { NoItems } from "../parts/no-items.tsx";
import { ItemHead, Panes, Split } from "../parts/panes.tsx";
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
    <Split label="Read" results={<Results found={callsOf(target, "read", uri)} />}>
      <ItemHead item={item} name={uri} />
      <ReadButton target={target} uri={uri} />
    </Split>
  );
}

function ReadButton({ target, uri }: { target: number; uri: string }): VNode {
  void version.servers.value;
  const isWatched = states.get(target)?.watched.includes(uri) === true;
  return (
    <CallButton target={target} op="read" name={uri} params={{}} label="Read">
      <label class="inline">
        <input
          type="checkbox"
          checked={isWatched}
          onChange={() => void perform(isWatched ? "unsubscribe" : "subscribe", { target, uri }).catch(() => undefined)}
        />{" "}
        watch for changes
      </label>
    </CallButton>
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
    <Split label="Read" results={<Results found={callsOf(target, "read", uri)} />}>
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
      <ReadButton target={target} uri={uri} />
    </Split>
  );
}

/** The names of its variables; none of a template that is not valid. */
function variablesOf(template: string): string[] {
  try {
    const { expressions } = parseTemplate(template);
    return [...new Set(expressions.flatMap(({ variables }) => variables.map(({ name }) => name)))];
  } catch {
    return [];
  }
}

/** The URI of a template with the values that are there; the template itself if it is not valid. */
function expand(template: string, values: Json): string {
  const texts = Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  try {
    return expandUriTemplate(template, Object.fromEntries(texts));
  } catch {
    return template;
  }
}
