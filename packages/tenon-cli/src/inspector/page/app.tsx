/** The page as a whole: the bar above, the views, the questions that wait, search and help. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { perform } from "./data/api.ts";
import { visible } from "./data/json.ts";
import { go, route, VIEWS, type View } from "./data/route.ts";
import { connections, listOf, live, openQuestions, shut, targets, version, wire } from "./data/store.ts";
import { Broken } from "./parts/broken.tsx";
import { Dialog } from "./parts/dialog.tsx";
import { Icon } from "./parts/icon.tsx";
import { KEYS, listenToKeys } from "./parts/keys.ts";
import { Search } from "./parts/search.tsx";
import { Access } from "./views/access.tsx";
import { Activity } from "./views/activity.tsx";
import { Asked } from "./views/asked.tsx";
import { Overview } from "./views/overview.tsx";
import { Prompts } from "./views/prompts.tsx";
import { Recording } from "./views/recording.tsx";
import { Resources } from "./views/resources.tsx";
import { Tools } from "./views/tools.tsx";
import { Wire } from "./views/wire.tsx";
import { keepTheme, theme, THEMES } from "./data/scheme.ts";

const PAGES: Readonly<Record<View, (props: { target: number }) => VNode>> = {
  overview: Overview,
  tools: Tools,
  resources: Resources,
  prompts: Prompts,
  wire: Wire,
  asked: Asked,
  activity: Activity,
  access: Access,
  recording: Recording,
};

export function App(): VNode {
  const [overlay, setOverlay] = useState<"search" | "help">();
  useEffect(() => listenToKeys({ search: () => setOverlay("search"), help: () => setOverlay("help") }), []);
  const { view, target } = route.value;
  if (shut.value !== "") return <Closed why={shut.value} />;
  const Page = PAGES[view];
  return (
    <>
      <header class="top">
        <Server target={target} />
        <span class="grow" />
        <button type="button" class="search" onClick={() => setOverlay("search")}>
          Search <kbd>/</kbd>
        </button>
        <ThemeButton />
        <button type="button" aria-label="Keys" onClick={() => setOverlay("help")}>
          ?
        </button>
      </header>
      <Views view={view} target={target} />
      <Waiting view={view} />
      <main id="main" tabIndex={-1}>
        <Broken target={target} />
        <Page key={`${view} ${target}`} target={target} />
      </main>
      {overlay === "search" ? <Search target={target} onClose={() => setOverlay(undefined)} /> : null}
      {overlay === "help" ? <Help onClose={() => setOverlay(undefined)} /> : null}
    </>
  );
}

function Closed({ why }: { why: string }): VNode {
  return (
    <main class="closed">
      <h1>Tenon inspector</h1>
      <p>{why}</p>
      <p class="about">Each address that the command prints works once. Press Enter in its terminal for a new one.</p>
    </main>
  );
}

const DOTS = { connecting: "◌", open: "●", closed: "○", failed: "✗" } as const;

/** The server that is shown, its state, and the revision it speaks. */
function Server({ target }: { target: number }): VNode {
  void version.servers.value;
  const [entry, connection] = [targets.get(target), connections.get(target)];
  const { state = "connecting", server = {}, revision } = connection ?? {};
  const name = visible(server["title"] ?? server["name"] ?? entry?.name ?? "…");
  return (
    <div class="server">
      <span class={`dot ${live.value ? state : "closed"}`} role="img" aria-label={live.value ? state : "the process does not respond"}>
        {DOTS[live.value ? state : "closed"]}
      </span>
      <h1 title={name}>{name.replace(/^https?:\/\//, "")}</h1>
      {targets.size < 2 ? null : (
        <select aria-label="Server" value={String(target)} onChange={({ currentTarget }) => go({ target: Number(currentTarget.value) })}>
          {[...targets.values()].map((one) => (
            <option key={one.target} value={String(one.target)}>
              {visible(one.name)}
            </option>
          ))}
        </select>
      )}
      <span class="type">{visible(server["version"] ?? "")}</span>
      <select
        aria-label="Revision to speak"
        value={revision ?? ""}
        onChange={({ currentTarget }) => void perform("speak", { target, revision: currentTarget.value })}
      >
        {revision === undefined ? <option value="">revision</option> : null}
        {(entry?.revisions ?? []).map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </div>
  );
}

function Views({ view, target }: { view: View; target: number }): VNode {
  return (
    <nav aria-label="Views" class="views">
      {VIEWS.map((name) => (
        <a key={name} href={`#/${target}/${name}`} aria-current={name === view ? "page" : undefined}>
          <Icon of={name} />
          {name[0]!.toUpperCase() + name.slice(1)} <Count view={name} target={target} />
        </a>
      ))}
    </nav>
  );
}

function Count({ view, target }: { view: View; target: number }): VNode | null {
  if (view === "asked") {
    const open = openQuestions().length;
    return open === 0 ? null : <span class="badge">{open}</span>;
  }
  if (view === "wire") {
    void version.wire.value;
    return <span class="type">{wire.length}</span>;
  }
  if (view !== "tools" && view !== "prompts" && view !== "resources") return null;
  const list = listOf(target, view);
  if (list === undefined) return null; // it was not read, so there may be some
  const more = view === "resources" ? (listOf(target, "templates")?.items.length ?? 0) : 0;
  return <span class="type">{list.items.length + more}</span>;
}

/** A question that waits is told over every view. It never takes the focus. */
function Waiting({ view }: { view: View }): VNode {
  const [first] = openQuestions();
  return (
    <div role="status" class="waiting-place">
      {first === undefined || view === "asked" ? null : (
        <p class="waiting">
          The server asks: {visible(first.params["message"] ?? "an answer of a model").slice(0, 200)}{" "}
          <button type="button" class="primary" onClick={() => go({ view: "asked", target: first.target })}>
            Answer
          </button>
        </p>
      )}
    </div>
  );
}

/** Dark or light: as the system says, until the user chooses. */
function ThemeButton(): VNode {
  const now = theme.value;
  useEffect(keepTheme, [now]);
  const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length]!;
  return (
    <button type="button" aria-label={`Theme: ${now}. Change to ${next}`} title={`Theme: ${now}`} onClick={() => (theme.value = next)}>
      {now === "dark" ? "☾" : now === "light" ? "☀" : "◐"}
    </button>
  );
}

function Help({ onClose }: { onClose: () => void }): VNode {
  return (
    <Dialog label="Keys" onClose={onClose}>
      <h2>Keys</h2>
      <dl class="facts">
        {KEYS.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={({ currentTarget }) => currentTarget.closest("dialog")?.close()}>
        Close
      </button>
    </Dialog>
  );
}
