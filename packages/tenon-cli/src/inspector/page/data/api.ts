/**
 * The page's side of the connection to its process: the ticket, the stream of entries, and operations.
 *
 * Security: the key is kept in this tab only, and sent in a header, which no other page can do.
 */
import type { Numbered, OperationName } from "../../entries.ts";

const KEY = "tenon-inspector-key";
/** Milliseconds before a lost stream is opened again. */
const RETRY = 1_000;

/** The process refused: its words are for the user. */
export class Refused extends Error {
  override name = "Refused";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Exchanges the ticket in the address for the key, and removes it from the address and the history. @throws Refused */
export async function enter(): Promise<void> {
  const ticket = /^#t=([\w-]+)$/.exec(location.hash)?.[1];
  if (ticket === undefined) return;
  history.replaceState(null, "", location.pathname);
  const { key } = await post("/api/open", { ticket }, "");
  sessionStorage.setItem(KEY, String(key));
}

export function hasKey(): boolean {
  return sessionStorage.getItem(KEY) !== null;
}

/** Asks the process to do something. Resolves with its value. @throws Refused */
export async function perform<T = unknown>(op: OperationName, params: object = {}): Promise<T> {
  const { value } = await post("/api/do", { op, ...params }, sessionStorage.getItem(KEY) ?? "");
  return value as T; // each operation has its own value, which our process makes
}

async function post(path: string, body: object, key: string): Promise<{ [name: string]: unknown }> {
  const headers = { "content-type": "application/json", ...(key !== "" && { authorization: `Bearer ${key}` }) };
  const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  const answer = (await response.json()) as { [name: string]: unknown };
  if (!response.ok) throw new Refused(response.status, String(answer["problem"]));
  return answer;
}

export interface StreamEvents {
  readonly onEntries: (entries: readonly Numbered[]) => void;
  readonly onState: (isLive: boolean) => void;
}

/** Reads entries for as long as the page lives. A lost stream continues after the last entry. @throws Refused if the key is not valid */
export async function follow({ onEntries, onState }: StreamEvents): Promise<never> {
  let last = 0;
  for (;;) {
    try {
      await readStream(last, (entries) => {
        onState(true);
        last = entries.at(-1)?.seq ?? last;
        onEntries(entries);
      });
    } catch (error) {
      if (error instanceof Refused) throw error;
    }
    onState(false);
    await new Promise((resolve) => setTimeout(resolve, RETRY));
  }
}

async function readStream(after: number, take: (entries: readonly Numbered[]) => void): Promise<void> {
  const headers = { authorization: `Bearer ${sessionStorage.getItem(KEY) ?? ""}` };
  const response = await fetch(`/api/stream?after=${after}`, { headers });
  if (!response.ok || response.body === null) throw new Refused(response.status, "The process refused this tab: open the page again");
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    take(lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Numbered)); // our process writes them
  }
}
