/** What the server is: its name, its revision, what it can do, and its instructions. */
import type { VNode } from "preact";
import { perform } from "../data/api.ts";
import { visible } from "../data/json.ts";
import { connections, listOf, targets, version } from "../data/store.ts";
import { isBroken } from "../parts/broken.tsx";
import { JsonView } from "../parts/json-view.tsx";
import { Marks } from "../parts/marks.tsx";
import { Text } from "../parts/content.tsx";

/** Characters of a list of tools that is large. */
const LARGE = 40_000;

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

/** What hosts and models stumble over, as `tenon check` finds it. */
function Hints({ target }: { target: number }): VNode | null {
  const { items = [], marks = [] } = listOf(target, "tools") ?? {};
  const size = JSON.stringify(items).length;
  const hint =
    size > LARGE ? `The list of tools takes about ${Math.round(size / 4).toLocaleString("en")} tokens of a model's context.` : "";
  if (marks.length === 0 && hint === "") return null;
  return (
    <section class="notice">
      <h3>Worth a look</h3>
      <Marks marks={marks} isWhole={true} />
      {hint === "" ? null : <p>{hint}</p>}
    </section>
  );
}
