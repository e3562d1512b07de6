/** What the server is: its name, its revision, what it can do, and its instructions. */
import type { VNode } from "preact";
import { perform } from "../data/api.ts";
import { visible } from "../data/json.ts";
import { connections, listOf, targets, version } from "../data/store.ts";
import { isBroken } from "../parts/broken.tsx";
import { Icon } from "../parts/icon.tsx";
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
    <div class={isBroken(target) ? "page" : "page overview"}>
      {isBroken(target) ? null : (
        <header>
          <h2>{visible(server["title"] ?? server["name"] ?? entry?.name ?? "")}</h2>
          {server["description"] === undefined ? null : <p>{visible(server["description"])}</p>}
          <Actions target={target} revision={revision} />
        </header>
      )}
      <Tiles target={target} />
      <Hints target={target} />
      {instructions === undefined ? null : (
        <section class="card whole">
          <h3>Instructions</h3>
          <Text text={instructions} />
        </section>
      )}
      <section class="card">
        <h3>Connection</h3>
        <dl class="facts">
          <Fact name="address" value={entry?.address} />
          <Fact name="state" value={state} />
          <Fact name="revision" value={revision} />
          <Fact name="version" value={server["version"]} />
          <Fact name="website" value={server["websiteUrl"]} />
        </dl>
      </section>
      {connection?.capabilities === undefined ? null : (
        <section class="card">
          <h3>Capabilities</h3>
          <JsonView value={connection.capabilities} />
        </section>
      )}
    </div>
  );
}

/** How many of each there are, and the way there. Only a list that was read has a number. */
function Tiles({ target }: { target: number }): VNode | null {
  const counted = (["tools", "resources", "prompts"] as const).flatMap((of) => {
    const list = listOf(target, of);
    return list === undefined ? [] : [{ of, count: list.items.length }];
  });
  if (counted.length === 0) return null;
  const templates = listOf(target, "templates")?.items.length ?? 0;
  return (
    <div class="tiles">
      {counted.map(({ of, count }) => (
        <a key={of} href={`#/${target}/${of}`}>
          <Icon of={of} />
          <b>{count}</b>
          <span>
            {of}
            {of === "resources" && templates > 0 ? `, ${templates} ${templates === 1 ? "template" : "templates"}` : ""}
          </span>
        </a>
      ))}
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
