/** Gives each type of a generated file a name of its own. */
import { createHash } from "node:crypto";

/** Characters of a name before what makes it unique. */
const MAX_NAME = 60;

export class TypeNames {
  readonly #used = new Set<string>();

  /** Names that stand in the file already. */
  constructor(reserved: Iterable<string>) {
    for (const name of reserved) this.#used.add(name);
  }

  /** A name in Pascal case. A text whose name is taken gets a suffix that follows from the text alone, so that the order does not matter to others. */
  make(text: string, ending = ""): string {
    const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
    const base = words
      .map((word) => word[0]!.toUpperCase() + word.slice(1))
      .join("")
      .slice(0, MAX_NAME);
    const name = (/^[A-Z]/.test(base) ? base : `T${base}`) + ending;
    const digest = createHash("sha256").update(text).digest("hex").toUpperCase();
    let unique = name;
    for (let length = 6; this.#used.has(unique); length++) unique = `${name}_${digest.slice(0, length)}`.replace("_", "X");
    this.#used.add(unique);
    return unique;
  }
}
