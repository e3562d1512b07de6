/** What the server says unasked: changes, logs, stderr; and the tasks that calls have become. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { LOGGING_LEVELS } from "tenon";
import type { NoteEntry, Numbered } from "../../entries.ts";
import { perform } from "../data/api.ts";
import { timeText, visible } from "../data/json.ts";
import { calls, notes, states, version } from "../data/store.ts";
import { Empty } from "../parts/empty.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { JsonView } from "../parts/json-view.tsx";
import { Traces } from "../parts/wire/traces.tsx";

const LEVELS: readonly string[] = LOGGING_LEVELS;
const KINDS = ["change", "log", "stderr", "problem", "reload"] as const;

export function Activity({ target }: { target: number }): VNode {
  void version.notes.value;
  const [hidden, setHidden] = useState<readonly string[]>([]);
  const [seq, setSeq] = useState<number>();
  const ofTarget = notes.filter((note): note is Numbered<NoteEntry> => note.kind !== "gap" && note.target === target);
  const shown = ofTarget.filter(({ kind }) => !hidden.includes(kind));
  const gaps = notes.filter((note) => note.kind === "gap");
  const chosen = shown.findIndex((note) => note.seq === seq);
  return (
    <div class={shown[chosen] === undefined ? "wire" : "wire has-item"}>
      <div class="bar">
        {KINDS.map((kind) => (
          <label class="inline" key={kind}>
            <input
              type="checkbox"
              checked={!hidden.includes(kind)}
              onChange={({ currentTarget }) => setHidden(currentTarget.checked ? hidden.filter((one) => one !== kind) : [...hidden, kind])}
            />{" "}
            {kind} {ofTarget.filter((note) => note.kind === kind).length}
          </label>
        ))}
        <LevelChoice target={target} />
      </div>
      {gaps.map((gap) => (
        <p class="notice" key={gap.at}>
          {gap.kind === "gap" ? gap.missed : 0} entries were dropped while this tab was away.
        </p>
      ))}
      <Tasks target={target} />
      <Traces target={target} />
      <div class="panes has-item">
        <div class="side wide">
          <VirtualList
            count={shown.length}
            row={(index) => <NoteRow note={shown[index]!} />}
            label="Activities"
            chosen={chosen}
            onChoose={(index) => setSeq(shown[index]?.seq)}
            follows={chosen < 0}
            empty={
              <Empty title="Nothing yet">
                What the server says unasked stands here: changes of its lists and of watched resources, logs, stderr. Watch a resource, or
                call a tool that logs.
              </Empty>
            }
          />
        </div>
        {shown[chosen] === undefined ? null : (
          <div class="main">
            <button type="button" class="small back" onClick={() => setSeq(undefined)}>
              ← Activities
            </button>
            <Note note={shown[chosen]} />
          </div>
        )}
      </div>
    </div>
  );
}

function LevelChoice({ target }: { target: number }): VNode {
  void version.servers.value;
  const level = states.get(target)?.level ?? "info";
  return (
    <label class="inline">
      logs from{" "}
      <select
        value={level}
        onChange={({ currentTarget }) => void perform("level", { target, level: currentTarget.value }).catch(() => undefined)}
      >
        {LEVELS.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </label>
  );
}

function NoteRow({ note: { kind, at, level, logger, text, uri } }: { note: Numbered<NoteEntry> }): VNode {
  const isBad = kind === "problem" || (level !== undefined && LEVELS.indexOf(level) > 3);
  return (
    <span class={isBad ? "message bad" : "message"}>
      <span class="time">{timeText(at)}</span>
      <span class="type">{level ?? kind}</span>
      <span class="name">
        {logger === undefined ? "" : `${visible(logger)}: `}
        {uri === undefined ? "" : `${visible(uri)} `}
        {visible(text)}
      </span>
    </span>
  );
}

function Note({ note }: { note: Numbered<NoteEntry> }): VNode {
  const { kind, at, text, data, uri, target } = note;
  return (
    <section class="pane" aria-label="Activity">
      <h2>
        {kind} <span class="type">{timeText(at)}</span>
      </h2>
      <pre class="text">{visible(text)}</pre>
      {uri === undefined ? null : (
        <button type="button" onClick={() => void perform("read", { target, call: crypto.randomUUID(), name: uri, params: {} })}>
          Read it
        </button>
      )}
      {data === undefined ? null : <JsonView value={data} />}
    </section>
  );
}

function Tasks({ target }: { target: number }): VNode | null {
  void version.calls.value;
  const found = [...calls.values()].filter((call) => call.target === target && call.task !== undefined).reverse();
  if (found.length === 0) return null;
  return (
    <section aria-label="Tasks" class="tasks">
      <h3>Tasks</h3>
      <table>
        <tbody>
          {found.slice(0, 20).map(({ call, name, task = {} }) => (
            <tr key={call}>
              <td>
                <code>{visible(task["taskId"])}</code>
              </td>
              <td>{visible(name)}</td>
              <td>{visible(task["status"])}</td>
              <td>{visible(task["statusMessage"] ?? "")}</td>
              <td>
                {task["status"] === "working" || task["status"] === "input_required" ? (
                  <button
                    type="button"
                    class="small"
                    onClick={() => void perform("task", { target, task: task["taskId"], action: "cancel" }).catch(() => undefined)}
                  >
                    Cancel
                  </button>
                ) : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
