/** What the store keeps of the GET of a session: which GET has the messages, whether it lasts, and where its client is. */
import type { KeyedStore, Version } from "../../../storage/keyed-store.ts";

/** Where a client is: the number of the last message and of the last change that it has. */
export interface Cursor {
  readonly message: number;
  readonly change: number;
}

const CURSOR = /^(\d{1,15})-(\d{1,15})$/;

export function textOf({ message, change }: Cursor): string {
  return `${message}-${change}`;
}

/** Returns undefined if `textOf` has not made the text. */
export function cursorOf(text: string): Cursor | undefined {
  const match = CURSOR.exec(text);
  return match === null ? undefined : { message: Number(match[1]), change: Number(match[2]) };
}

/** The GET that has the messages, or had them last. */
export interface KeptGet {
  readonly isOpen: boolean;
  readonly cursor: Cursor | undefined;
  /** Empty if a version before has written it. */
  readonly id: string;
}

/** An entry as it was read; both undefined if there is none. */
interface FoundGet {
  readonly kept: KeptGet | undefined;
  readonly version: Version | undefined;
}

export class GetEntry {
  readonly #keyed: KeyedStore;
  readonly #key: string;

  constructor(keyed: KeyedStore, session: string) {
    this.#keyed = keyed;
    this.#key = `cursor ${session}`;
  }

  /** @throws StoreUnavailableError, as all of these */
  async read(): Promise<FoundGet> {
    const entry = await this.#keyed.read(this.#key);
    if (entry === undefined) return { kept: undefined, version: undefined };
    const [state, cursor = "", id = ""] = entry.value.split(" ");
    return { kept: { isOpen: state === "open", cursor: cursorOf(cursor), id }, version: entry.version };
  }

  /** Replaces what was read. False if another node was faster, and then nothing has changed. @param ms milliseconds to keep it */
  async replace(version: Version | undefined, { isOpen, cursor, id }: KeptGet & { readonly cursor: Cursor }, ms: number): Promise<boolean> {
    const value = `${isOpen ? "open" : "left"} ${textOf(cursor)} ${id}`;
    return (await this.#keyed.swap(this.#key, version, { value, ms })) !== undefined;
  }

  async renew(ms: number): Promise<void> {
    const { version } = await this.read();
    if (version !== undefined) await this.#keyed.renew(this.#key, version, ms);
  }

  /** Removes it, because the session has ended. */
  async remove(): Promise<void> {
    for (let { version } = await this.read(); version !== undefined; { version } = await this.read())
      if ((await this.#keyed.swap(this.#key, version, undefined)) !== undefined) return;
  }
}
