/** Every message of both directions, on a time line and in a list, and one of them in full. */
import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Numbered, WireEntry } from "../../entries.ts";
import { sizeText, timeText, visible } from "../data/json.ts";
import { indexAfter } from "../data/rounds.ts";
import { version, wire } from "../data/store.ts";
import { TimeLine } from "../parts/wire/time-line.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { filterOf } from "../parts/wire/wire-filter.ts";
import { WireMessage } from "../parts/wire/wire-message.tsx";

/** The matches of a filter so far. A longer list continues where it ended, so that a key costs one pass, and a message costs one look. */
interface Matches {
  readonly filter: string;
  readonly target: number;
  found: Numbered<WireEntry>[];
  last: number;
}

function continueMatches(matches: Matches): readonly Numbered<WireEntry>[] {
  const test = filterOf(matches.filter);
  const oldest = wire[0]?.seq ?? 0;
  if ((matches.found[0]?.seq ?? oldest) < oldest) matches.found = matches.found.filter(({ seq }) => seq >= oldest);
  let start = wire.length;
  while (start > 0 && wire[start - 1]!.seq > matches.last) start--;
  for (const entry of wire.slice(start)) if (entry.target === matches.target && test(entry)) matches.found.push(entry);
  matches.last = wire.at(-1)?.seq ?? matches.last;
  return matches.found;
}

export function Wire({ target }: { target: number }): VNode {
  void version.wire.value;
  const [filter, setFilter] = useState("");
  const [seq, setSeq] = useState<number>();
  const [follows, setFollows] = useState(true);
  const matches = useMemo<Matches>(() => ({ filter, target, found: [], last: 0 }), [filter, target]);
  const found = continueMatches(matches);
  const chosen = seq === undefined ? -1 : indexOfSeq(found, seq);
  const entry = chosen < 0 ? undefined : found[chosen];
  const choose = (index: number): void => {
    setFollows(false);
    setSeq(found[index]?.seq);
  };
  return (
    <div class={entry === undefined ? "wire" : "wire has-item"}>
      <div class="bar">
        <input
          class="filter"
          type="search"
          aria-label="Filter messages"
          placeholder="filter: words, client:page method: name: id: rev: dir:sent status:error >500ms >64k"
          value={filter}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
        <label class="inline">
          <input type="checkbox" checked={follows} onChange={({ currentTarget }) => setFollows(currentTarget.checked)} /> follow{" "}
          <kbd>g</kbd>
        </label>
        <span class="count">
          {found.length} {found.length === 1 ? "message" : "messages"}
        </span>
      </div>
      <TimeLine entries={found} chosen={entry} onChoose={choose} />
      <div class="panes has-item">
        <div class="side wide">
          <VirtualList
            count={found.length}
            row={(index) => <MessageRow entry={found[index]!} />}
            label="Messages"
            chosen={chosen}
            onChoose={choose}
            follows={follows}
            empty={filter === "" ? "No message yet." : "No message fits the filter."}
          />
        </div>
        <div class="main">
          {entry === undefined ? (
            <div class="empty">Choose a message.</div>
          ) : (
            <>
              <button type="button" class="small back" onClick={() => setSeq(undefined)}>
                ← Messages
              </button>
              <WireMessage key={entry.seq} entry={entry} />
            </>
          )}
        </div>
      </div>
    </div>
  );
}

function indexOfSeq(entries: readonly Numbered[], seq: number): number {
  const index = indexAfter(entries, seq - 1);
  return entries[index]?.seq === seq ? index : -1;
}

function MessageRow({ entry }: { entry: Numbered<WireEntry> }): VNode {
  const { sent, type, method, name, id, bytes, ms, status, at, client, deviations } = entry;
  const isBad = type === "error" || type === "malformed";
  return (
    <span class={isBad ? "message bad" : "message"}>
      <span class="time">{timeText(at)}</span>
      <span class={sent ? "way sent" : "way received"} aria-label={sent ? "sent" : "received"}>
        {sent ? "→" : "←"}
      </span>
      <span class="name">
        {isBad ? "✗ " : ""}
        {visible(method ?? type)}
        {name === undefined ? "" : ` ${visible(name)}`}
        {deviations === undefined ? "" : <span title="deviates from the protocol"> ≠</span>}
        {client === undefined ? "" : <span class="client"> {visible(client)}</span>}
      </span>
      <span class="type">{type}</span>
      <span class="number id">{id === undefined || id === null ? "" : visible(id)}</span>
      <span class="number status">{status ?? ""}</span>
      <span class="number size">{sizeText(bytes)}</span>
      <span class="number latency">{ms === undefined ? "" : `${ms} ms`}</span>
    </span>
  );
}
