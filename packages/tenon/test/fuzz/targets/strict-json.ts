/** An independent reader of JSON that knows what a duplicate key is: a model for the parser, slow and plain. */

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// oxlint-disable-next-line no-control-regex -- JSON strings have none of them
const STRING = /"(?:[^"\\\u0000-\u001F]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"/y;
const SPACE = /[ \t\n\r]*/y;
const WORDS: readonly (readonly [string, unknown])[] = [
  ["true", true],
  ["false", false],
  ["null", null],
];

export interface Facts {
  readonly depth: number;
  readonly hasDuplicate: boolean;
  readonly longestNumber: number;
}

/** What a text holds; undefined if it is not JSON. */
export function factsOf(text: string): Facts | undefined {
  const reader = new Reader(text);
  try {
    reader.value(0);
    reader.skip(SPACE);
    return reader.at === text.length ? reader : undefined;
  } catch {
    return undefined;
  }
}

class Reader implements Facts {
  at = 0;
  depth = 0;
  hasDuplicate = false;
  longestNumber = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): void {
    this.skip(SPACE);
    const first = this.#text[this.at];
    if (first === "{" || first === "[") this.#container(depth + 1, first === "{");
    else if (first === '"') this.#need(STRING);
    else if (!WORDS.some(([word]) => this.#literal(word)))
      this.longestNumber = Math.max(this.longestNumber, this.#need(NUMBER).length);
    this.skip(SPACE);
  }

  #container(depth: number, isObject: boolean): void {
    this.depth = Math.max(this.depth, depth);
    const keys = new Set<unknown>();
    const close = isObject ? "}" : "]";
    this.at++;
    this.skip(SPACE);
    if (this.#literal(close)) return;
    for (;;) {
      if (isObject) this.#key(keys);
      this.value(depth);
      if (this.#literal(close)) return;
      if (!this.#literal(",")) throw new Error("No comma");
    }
  }

  #key(keys: Set<unknown>): void {
    this.skip(SPACE);
    const key: unknown = JSON.parse(this.#need(STRING));
    if (keys.has(key)) this.hasDuplicate = true;
    keys.add(key);
    this.skip(SPACE);
    if (!this.#literal(":")) throw new Error("No colon");
  }

  #literal(word: string): boolean {
    const found = this.#text.startsWith(word, this.at);
    if (found) this.at += word.length;
    return found;
  }

  #need(pattern: RegExp): string {
    const found = this.skip(pattern);
    if (found === undefined) throw new Error("Not JSON");
    return found;
  }

  skip(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.at = pattern.lastIndex;
    return found;
  }
}
