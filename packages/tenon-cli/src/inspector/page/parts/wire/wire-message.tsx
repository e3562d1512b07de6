/** One message in full: its JSON, its headers, and the same message as another revision writes it. */
import { jsonIn } from "tenon/internal";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Numbered, WireEntry } from "../../../entries.ts";
import { perform } from "../../data/api.ts";
import { isObject, sizeText, visible } from "../../data/json.ts";
import { targets } from "../../data/store.ts";
import { asCurl, asTenonCall, asTypeScript } from "../copies.ts";
import { CopyButton } from "../copy-button.tsx";
import { Differences } from "../differences.tsx";
import { JsonView } from "../json-view.tsx";
import { Tabs } from "../tabs.tsx";

export function WireMessage({ entry }: { entry: Numbered<WireEntry> }): VNode {
  const [whole, setWhole] = useState(entry.text);
  const isWhole = whole.length > entry.text.length || !entry.cut;
  const value = isWhole ? jsonIn(whole) : undefined;
  const { method, type, sent, revision, bytes, ms, headers, seq, client, deviations = [] } = entry;
  return (
    <section class="pane" aria-label="Message">
      <header class="head">
        <h2>
          {sent ? "→" : "←"} {visible(method ?? type)}
        </h2>
        <p class="about">
          {type}, {wayOf(sent, client)}, {revision || "before a revision was agreed"}, {sizeText(bytes)}
          {ms === undefined ? "" : `, after ${ms} ms`}
        </p>
        <Copies entry={entry} value={value} whole={whole} />
      </header>
      {deviations.map((deviation) => (
        <p key={deviation} class="notice">
          ≠ {visible(deviation)}
        </p>
      ))}
      {isWhole ? null : (
        <p class="notice">
          The first {sizeText(entry.text.length)} are shown.{" "}
          <button type="button" class="small" onClick={() => void perform<string>("load", { seq }).then(setWhole)}>
            Load all
          </button>
        </p>
      )}
      <Tabs
        label="Forms of the message"
        tabs={[
          { name: "Message", panel: () => (value === undefined ? <pre class="text">{visible(whole)}</pre> : <JsonView value={value} />) },
          { name: "Text", panel: () => <pre class="text">{visible(whole)}</pre> },
          ...(headers ? [{ name: "Headers", panel: () => <Headers headers={headers} /> }] : []),
          { name: "As another revision", panel: () => <Translation entry={entry} value={value} /> },
        ]}
      />
    </section>
  );
}

/** Who sent it. @param client another client than the page */
function wayOf(sent: boolean, client: string | undefined): string {
  if (client === undefined) return sent ? "sent by the client" : "received from the server";
  return `${sent ? "sent by" : "sent to"} ${visible(client)}`;
}

function Copies({ entry, value, whole }: { entry: WireEntry; value: unknown; whole: string }): VNode | null {
  const target = targets.get(entry.target);
  const params = isObject(value) && isObject(value["params"]) ? value["params"] : {};
  if (target === undefined || !entry.sent)
    return (
      <CopyButton text={() => whole} label="Copy the message">
        copy JSON
      </CopyButton>
    );
  const isCall = entry.method === "tools/call" && entry.name !== undefined;
  return (
    <p class="copies">
      <CopyButton text={() => whole} label="Copy the message">
        copy JSON
      </CopyButton>
      {target.url === undefined ? null : (
        <CopyButton text={() => asCurl(target, whole, entry.headers ?? {}) ?? ""} label="Copy as curl">
          copy curl
        </CopyButton>
      )}
      {isCall ? (
        <>
          <CopyButton text={() => asTenonCall(target, entry.name!, params["arguments"])} label="Copy as tenon call">
            copy tenon
          </CopyButton>
          <CopyButton text={() => asTypeScript(target, entry.name!, params["arguments"])} label="Copy as TypeScript">
            copy ts
          </CopyButton>
        </>
      ) : null}
    </p>
  );
}

function Headers({ headers }: { headers: Readonly<Record<string, string>> }): VNode {
  return (
    <dl class="facts">
      {Object.entries(headers).map(([name, value]) => (
        <div key={name}>
          <dt>{visible(name)}</dt>
          <dd>{visible(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Translation({ entry, value }: { entry: Numbered<WireEntry>; value: unknown }): VNode {
  const [other, setOther] = useState<{ readonly revision: string; readonly value?: unknown; readonly problem?: string }>();
  const revisions = (targets.get(entry.target)?.revisions ?? []).filter((revision) => revision !== entry.revision);
  const ask = (revision: string): void => {
    perform<string>("translate", { seq: entry.seq, revision }).then(
      (text) => setOther({ revision, value: JSON.parse(text) as unknown }),
      (error: unknown) => setOther({ revision, problem: error instanceof Error ? error.message : String(error) }),
    );
  };
  return (
    <>
      <p class="actions">
        {revisions.map((revision) => (
          <button key={revision} type="button" class="small" aria-pressed={other?.revision === revision} onClick={() => ask(revision)}>
            {revision}
          </button>
        ))}
      </p>
      {other === undefined ? <p class="about">What the codec of another revision makes of this message.</p> : null}
      {other?.problem === undefined ? null : <p class="notice bad">✗ {visible(other.problem)}</p>}
      {other?.value === undefined ? null : (
        <>
          <Differences before={value} after={other.value} names={[entry.revision, other.revision]} />
          <JsonView value={other.value} />
        </>
      )}
    </>
  );
}
