/** The prompts of a server: their arguments, with suggestions as the user types, and their messages. */
import type { VNode } from "preact";
import { perform } from "../data/api.ts";
import { isObject, type Json } from "../data/json.ts";
import { connections, listOf } from "../data/store.ts";
import { Form } from "../form/form.tsx";
import { CallButton, callsOf, Results, typedValue } from "../parts/call-pane.tsx";
import { NoItems } from "../parts/no-items.tsx";
import { ItemHead, Panes, Split } from "../parts/panes.tsx";

export function Prompts({ target }: { target: number }): VNode {
  const list = listOf(target, "prompts");
  const empty = (
    <NoItems target={target} of="prompts" list={list}>
      A server adds one with <code>server.prompt("review", …)</code>; hosts offer it to their users as a command.
    </NoItems>
  );
  return (
    <Panes view="prompts" label="Prompts" items={list?.items ?? []} keyOf={({ name }) => String(name)} empty={empty}>
      {(prompt) => <Prompt key={String(prompt["name"])} target={target} prompt={prompt} />}
    </Panes>
  );
}

function Prompt({ target, prompt }: { target: number; prompt: Json }): VNode {
  const name = String(prompt["name"]);
  const typed = typedValue(`${target} prompt ${name}`, () => ({}));
  const known = isObject(typed.value) ? typed.value : {};
  const suggest = suggestions(target, { type: "ref/prompt", name }, () => known);
  return (
    <Split label="Get" results={<Results found={callsOf(target, "prompt", name)} edit={(params) => (typed.value = params)} />}>
      <ItemHead item={prompt} name={name} />
      <Form
        schema={schemaOf(prompt)}
        value={typed.value}
        onChange={(value) => (typed.value = value)}
        issues={[]}
        label="Arguments"
        {...(suggest && { suggest })}
      />
      <CallButton target={target} op="prompt" name={name} params={typed.value} label="Get" />
    </Split>
  );
}

/** The arguments of a prompt as a schema: all of them are texts. */
function schemaOf({ arguments: fields }: Json): Json {
  const list = (Array.isArray(fields) ? fields : []).filter(isObject);
  const properties = Object.fromEntries(
    list.map(({ name, title, description }) => [
      String(name),
      { type: "string", ...(title !== undefined && { title }), ...(description !== undefined && { description }) },
    ]),
  );
  return { type: "object", properties, required: list.filter(({ required }) => required === true).map(({ name }) => String(name)) };
}

export function suggestions(
  target: number,
  ref: { readonly type: string; readonly name: string },
  known: () => Json,
): ((name: string, value: string) => Promise<readonly string[]>) | undefined {
  if (connections.get(target)?.capabilities?.["completions"] === undefined) return undefined;
  let newest = 0;
  return async (name, value) => {
    const mine = ++newest;
    const context = Object.fromEntries(Object.entries(known()).filter(([key, one]) => key !== name && typeof one === "string"));
    const { values } = await perform<{ values: readonly string[] }>("complete", { target, ref, argument: { name, value }, context });
    return mine === newest ? values : [];
  };
}
