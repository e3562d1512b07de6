/** What the server is: its name, its revision, what it can do, and its instructions. */
import type { VNode } from "preact";
import { perform } from "../data/api.ts";
import { isObject, visible } from "../data/json.ts";
import { connections, listOf, targets, version } from "../data/store.ts";
import { isBroken } from "../parts/broken.tsx";
import { JsonView } from "../parts/json-view.tsx";
import { Text } from "../parts/content.tsx";

export function Overview({ target }: { target: number }): VNode {
  void version.servers.value;
  const [entry, connection] = [targets.get(target), connections.get(target)];
  const { server = {}, state, revision, instructions } = connection ?? {};
  return (
    <div class="page">
      <h2>{visible(server["title"] ?? server["name"] ?? entry?.name ?? "")}</h2>
      <dl class="facts">
        <Fact name="address" value={entry?.address} />
        <Fact name="state" value={state} />
        <Fact name="revision" value={revision} />
        <Fact name="version" value={server["version"]} />
        <Fact name="website" value={server["websiteUrl"]} />
        <Fact name="description" value={server["description"]} />
        {(["tools", "resources", "templates", "prompts"] as const).map((of) => (
          <Fact key={of} name={of} value={listOf(target, of)?.items.length} />
        ))}
      </dl>
      {isBroken(target) ? null : <Actions target={target} revision={revision} />}
      <Hints target={target} />
      {instructions === undefined ? null : (
        <section>
          <h3>Instructions</h3>
          <Text text={instructions} />
        </section>
      )}
      {connection?.capabilities === undefined ? null : (
        <section>
          <h3>Capabilities</h3>
          <JsonView value={connection.capabilities} />
        </section>
      )}
    </div>
  );
}

function Actions({ target, revision }: { target: number; revision: string | undefined }): VNode {
  return (
    <div class="actions">
      <button type="button" onClick={() => void perform("speak", { target, revision })}>
        Connect again
      </button>
      <button type="button" onClick={() => void perform("relist", { target }).catch(() => undefined)}>
        Read the lists again
      </button>
      <button type="button" onClick={() => void perform("ping", { target, call: crypto.randomUUID() }).catch(() => undefined)}>
        Ping
      </button>
    </div>
  );
}

function Fact({ name, value }: { name: string; value: unknown }): VNode | null {
  if (value === undefined) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{visible(value)}</dd>
    </div>
  );
}

/** What hosts and models may stumble over. */
function Hints({ target }: { target: number }): VNode | null {
  const tools = listOf(target, "tools")?.items ?? [];
  const silent = tools.filter(({ description }) => typeof description !== "string" || description === "").map(({ name }) => String(name));
  const odd = tools.filter(({ name }) => !/^[\w-]{1,64}$/.test(String(name))).map(({ name }) => String(name));
  const open = tools.filter(({ inputSchema }) => isObject(inputSchema) && inputSchema["type"] !== "object").map(({ name }) => String(name));
  const size = JSON.stringify(tools).length;
  const hints = [
    ...(silent.length > 0 ? [`Without a description, which models need: ${silent.slice(0, 10).join(", ")}`] : []),
    ...(odd.length > 0 ? [`Names that some hosts refuse (letters, digits, _ and - only, 64 at most): ${odd.slice(0, 10).join(", ")}`] : []),
    ...(open.length > 0 ? [`Input schemas that are not objects: ${open.slice(0, 10).join(", ")}`] : []),
    ...(size > 40_000 ? [`The list of tools takes about ${Math.round(size / 4).toLocaleString("en")} tokens of a model's context.`] : []),
  ];
  if (hints.length === 0) return null;
  return (
    <section class="notice">
      <h3>Worth a look</h3>
      <ul>
        {hints.map((hint) => (
          <li key={hint}>{visible(hint)}</li>
        ))}
      </ul>
    </section>
  );
}
