/** An index over the tools that some callers see: their names, descriptions and arguments. Made with the first search, in parts, so that no other call waits. */
import MiniSearch from "minisearch";
import { nextTurn } from "../base/turns.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { splitWords, SYNONYMS, toTerm } from "./words.ts";

export interface SearchedTool {
  /** Its name, as callers see it. */
  readonly name: string;
  /** It as callers see it in a list. */
  readonly item: JsonObject;
  /** The server that has it, if there are several. Its name counts as a part of the tool's. */
  readonly server?: { readonly name: string };
  /** Its name at that server. */
  readonly id?: string;
}

interface ToolDocument {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly args: string;
}

export interface ToolQuery {
  /** What the caller wants to do, in several words or texts. */
  readonly queries: readonly string[];
  /** Most tools of the result. */
  readonly max: number;
  readonly synonyms: ReadonlyMap<string, readonly string[]>;
}

/** A word in a name counts twice as much as in a description. */
const WEIGHTS = { name: 2, description: 1, args: 0.3 };
/** A synonym counts less than the word itself. */
const SYNONYM_WEIGHT = 0.5;
/** Tools that are added before other calls get a turn. */
const CHUNK = 50;
/** Characters of a text that are read. A server must not make the index large. */
const MAX_TEXT = 4_000;
const MAX_DEPTH = 3;

/** Tools of one part of the index. Each part is searched in a turn of the event loop of its own. */
const PART = 2_000;

export class ToolIndex<Tool extends SearchedTool> {
  readonly #tools: readonly Tool[];
  readonly #parts: MiniSearch<ToolDocument>[] = [];

  private constructor(tools: readonly Tool[]) {
    this.#tools = tools;
  }

  static async of<Tool extends SearchedTool>(tools: readonly Tool[]): Promise<ToolIndex<Tool>> {
    const made = new ToolIndex(tools);
    for (let at = 0; at < tools.length; at += PART) {
      const part = newPart();
      made.#parts.push(part);
      const end = Math.min(at + PART, tools.length);
      for (let from = at; from < end; from += CHUNK) {
        for (let id = from; id < Math.min(from + CHUNK, end); id++) part.add(documentOf(tools[id]!, id)); // within the list
        await nextTurn();
      }
    }
    return made;
  }

  /** The tools that fit best, the best first. @param isVisible whether the caller may know of a tool */
  async search({ queries, max, synonyms }: ToolQuery, isVisible: (tool: Tool) => boolean): Promise<Tool[]> {
    const best: { readonly tool: Tool; readonly score: number }[] = [];
    for (const [at, part] of this.#parts.entries()) {
      if (at > 0) await nextTurn();
      const found = [...scoresIn(part, queries, synonyms)].toSorted(([, one], [, other]) => other - one);
      let taken = 0;
      for (const [id, score] of found) {
        const tool = this.#tools[id]!; // of this index
        if (!isVisible(tool)) continue;
        best.push({ tool, score });
        if (++taken >= max) break;
      }
    }
    return best
      .toSorted((one, other) => other.score - one.score)
      .slice(0, max)
      .map(({ tool }) => tool);
  }
}

function newPart(): MiniSearch<ToolDocument> {
  return new MiniSearch<ToolDocument>({
    fields: ["name", "description", "args"],
    tokenize: splitWords,
    processTerm: (word) => toTerm(word) ?? null,
    searchOptions: { boost: WEIGHTS },
  });
}

/** How well the tools of one part fit, by their place. */
function scoresIn(part: MiniSearch<ToolDocument>, queries: readonly string[], synonyms: ToolQuery["synonyms"]): Map<number, number> {
  const found = new Map<number, number>();
  const add = (text: string, weight: number): void => {
    for (const { id, score } of part.search(text)) found.set(id as number, (found.get(id as number) ?? 0) + score * weight); // a document's
  };
  for (const query of queries) {
    add(query, 1);
    const same = splitWords(query).flatMap((word) => synonyms.get(word) ?? SYNONYMS.get(word) ?? []);
    if (same.length > 0) add(same.join(" "), SYNONYM_WEIGHT);
  }
  return found;
}

function documentOf({ name, server, id: own = name, item }: SearchedTool, id: number): ToolDocument {
  const { title, description, inputSchema } = item;
  const args: string[] = [];
  collectArguments(inputSchema, args, 0);
  const names = [server?.name, own, textOf(title)].join(" ");
  return { id, name: names, description: textOf(description), args: args.join(" ").slice(0, MAX_TEXT) };
}

/** The names and descriptions of the arguments, also those inside objects. */
function collectArguments(schema: unknown, texts: string[], depth: number): void {
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return;
  const { properties, items } = schema;
  if (isJsonObject(properties))
    for (const [name, property] of Object.entries(properties)) {
      texts.push(name, textOf((property as JsonObject | null)?.["description"]));
      collectArguments(property, texts, depth + 1);
    }
  collectArguments(items, texts, depth + 1);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.slice(0, MAX_TEXT) : "";
}
