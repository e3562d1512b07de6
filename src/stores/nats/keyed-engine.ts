/** Keys and values in NATS: each is the last message of a subject. */
import { DamagedEntryError, parseStored } from "../../cluster/damaged-entry.ts";
import { isJsonObject } from "../../jsonrpc/message.ts";
import type { KeyedEngine } from "../keyed-engine.ts";
import type { NatsTable } from "./table.ts";

/** Members that a set has in one entry; a larger set is kept in parts. */
const SMALL_SET = 512;
/** The parts of a large set. Members are spread over them, so each may have a little more than its share. */
const SET_PARTS = 64;
/** Milliseconds for which a set outlives the last of its members. */
const GRACE = 1_000;

/** When each member of a set leaves, in milliseconds of the server's clock. */
type Members = Record<string, number>;

export class NatsKeyedEngine implements KeyedEngine {
  readonly #table: NatsTable;
  readonly #now: () => Promise<number>;

  /** `now`: the server's time. */
  constructor(table: NatsTable, now: () => Promise<number>) {
    this.#table = table;
    this.#now = now;
  }

  async put(key: string, value: string, ms: number | undefined): Promise<void> {
    await this.#table.change(nameOf(key), () => ({ text: value, more: {}, ms }));
  }

  async get(key: string): Promise<string | undefined> {
    return (await this.#table.read(nameOf(key)))?.text;
  }

  async remove(key: string): Promise<void> {
    await this.#table.remove(nameOf(key));
  }

  async claim(key: string, by: string, ms: number): Promise<boolean> {
    const entry = { text: by, more: {}, ms };
    if (await this.#table.create(nameOf(key), entry)) return true;
    let isOwn = false;
    return (
      (await this.#table.change(nameOf(key), (held) => {
        isOwn = held?.text === by;
        return held === undefined ? entry : "keep";
      })) || isOwn
    );
  }

  async renew(key: string, by: string, ms: number): Promise<boolean> {
    return this.#table.change(nameOf(key), (held) => (held?.text === by ? { ...held, ms } : "keep"));
  }

  async release(key: string, by: string): Promise<void> {
    await this.#table.change(nameOf(key), (held) => (held?.text === by ? "remove" : "keep"));
  }

  async swap(key: string, version: string, next: { readonly value: string; readonly ms: number } | undefined): Promise<boolean> {
    const entry = next && { text: next.value, more: {}, ms: next.ms };
    return this.#table.change(nameOf(key), (held) => (hasVersion(held?.text, version) ? (entry ?? "remove") : "keep"));
  }

  async renewVersion(key: string, version: string, ms: number): Promise<boolean> {
    return this.#table.change(nameOf(key), (held) => (held && hasVersion(held.text, version) ? { ...held, ms } : "keep"));
  }

  async join(set: string, member: string, ms: number, max: number): Promise<boolean> {
    const [name, most] = max <= SMALL_SET ? [nameOf(set), max] : [partOf(set, member), mostOfPart(max)];
    const now = await this.#now();
    return this.#table.change(name, (held) => {
      const members = living(held?.text, now);
      if (!(member in members) && Object.keys(members).length >= most) return "keep";
      members[member] = now + ms;
      return { text: JSON.stringify(members), more: {}, ms: Math.max(...Object.values(members)) - now + GRACE };
    });
  }

  async leave(set: string, member: string): Promise<void> {
    const now = await this.#now();
    for (const name of [nameOf(set), partOf(set, member)]) {
      await this.#table.change(name, (held) => {
        const { [member]: left, ...others } = living(held?.text, now);
        return held === undefined || left === undefined ? "keep" : { ...held, text: JSON.stringify(others) };
      });
    }
  }

  async next(counter: string, least: number): Promise<number> {
    let number = least;
    await this.#table.change(nameOf(counter), (held) => {
      const last = Number(held?.text ?? -1);
      number = Math.max(Number.isSafeInteger(last) ? last + 1 : 0, least); // a damaged counter is a lost one
      return { text: String(number), more: {} };
    });
    return number;
  }
}

/** A key is a letter, a colon and base64url. In a subject the letter is a part of its own. */
const nameOf = (key: string): string => key.replace(":", ".");

/** A value that begins with its version; no version: there is nothing. */
const hasVersion = (text: string | undefined, version: string): boolean =>
  version === "" ? text === undefined : !!text?.startsWith(version);

const SET = "A set of the keyed store";

/** The part of a large set that a member is in. Members are hashes. */
function partOf(set: string, member: string): string {
  let sum = 0;
  for (const char of member) sum = (sum * 31 + char.charCodeAt(0)) % 65_521;
  return `${nameOf(set)}.${sum % SET_PARTS}`;
}

/** The share of a part, and what chance may add to it. */
function mostOfPart(max: number): number {
  const share = max / SET_PARTS;
  return Math.ceil(share + 2 * Math.sqrt(share));
}

function living(text: string | undefined, now: number): Members {
  const members = parseStored(SET, text ?? "{}");
  if (!isJsonObject(members)) throw new DamagedEntryError(SET, "is not an object");
  return Object.fromEntries(Object.entries(members as Members).filter(([, until]) => until > now)); // what is no number is not greater
}
