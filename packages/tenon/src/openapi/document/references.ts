/**
 * The references of a document, and the other documents that they name.
 *
 * Security: nothing here reads a file or a URL. The option `resolve` reads other documents, and nothing is read without it.
 */
import { percentDecoded } from "../../base/bytes.ts";
import { atPointer } from "../../base/json-pointer.ts";
import { unlessAborted } from "../../base/abort.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { OpenApiDocumentError, UnmappableError } from "./errors.ts";
import { linkReferences, placeOf, UNKNOWN_URL, type Links } from "./link-references.ts";
import { assertBounded, parseDocument, type OpenApiDocumentLimits } from "./parse-document.ts";

export interface ReadingOptions {
  readonly resolve?: (url: URL, signal: AbortSignal) => MaybePromise<object | string | undefined>;
  /** Milliseconds until a document is there. */
  readonly timeout: number;
  readonly limits: OpenApiDocumentLimits;
}

export class References {
  /** The document, whose references can be looked up. */
  readonly root: JsonObject;
  readonly #base: string;
  readonly #links: Links = { named: new Map(), anchors: new Map(), wanted: new Set() };
  /** Why a document could not be read, by its URL. */
  readonly #failures = new Map<string, string>();
  #canRead = false;

  /** @param base the URL of the document, if that is known */
  constructor(root: JsonObject, base: URL | undefined) {
    this.#base = base === undefined ? UNKNOWN_URL : placeOf(base.href, base.href)!;
    this.root = linkReferences(root, this.#base, this.#links, true);
  }

  /** Reads the other documents that references name, and those that they name in turn. A failure is kept for the report. */
  async load(reading: ReadingOptions): Promise<void> {
    if (reading.resolve === undefined) return;
    this.#canRead = true;
    const { limits } = reading;
    let read = 0;
    // A set whose members are visited also if they are added on the way.
    for (const place of this.#links.wanted) {
      if (this.#links.named.has(place) || place.startsWith(UNKNOWN_URL)) continue;
      try {
        if (++read > limits.documents)
          throw new OpenApiDocumentError(`there are more than ${limits.documents} (option "limits.documents")`);
        linkReferences(await readOther(new URL(place), reading), place, this.#links, false);
      } catch (error) {
        this.#failures.set(place, error instanceof Error ? error.message : String(error));
      }
    }
  }

  /** The value that a reference points to. @throws UnmappableError with the reason if there is none */
  find(ref: string): unknown {
    const place = placeOf(ref, this.#base);
    const target = place === undefined ? undefined : this.#links.named.get(place);
    if (place === undefined || target === undefined) throw this.#unknown(ref, place);
    const fragment = ref.includes("#") ? ref.slice(ref.indexOf("#") + 1) : "";
    const found =
      fragment === "" || fragment.startsWith("/")
        ? atPointer(target, fragment)
        : this.#links.anchors.get(`${place}#${percentDecoded(fragment) ?? fragment}`);
    if (found === undefined) throw new UnmappableError(`its reference ${shown(ref)} points to nothing`);
    return found;
  }

  #unknown(ref: string, place: string | undefined): UnmappableError {
    const failure = place === undefined ? "its name is not a URL" : this.#failures.get(place);
    if (failure !== undefined) return new UnmappableError(`it refers to ${shown(ref)}, which cannot be read: ${failure}`);
    const option = this.#canRead ? 'whose place is unknown (option "documentUrl")' : 'which is not read (option "resolve")';
    return new UnmappableError(`it refers to another document, ${shown(ref)}, ${option}`);
  }
}

/** @throws Error if the document cannot be read in time, or is not an object */
async function readOther(url: URL, { resolve, timeout: ms, limits }: ReadingOptions): Promise<JsonObject> {
  const signal = AbortSignal.timeout(ms);
  let source: object | string | undefined;
  try {
    source = await unlessAborted(Promise.resolve(resolve!(url, signal)), signal); // the caller has checked that it is given
  } catch (error) {
    throw signal.aborted ? new OpenApiDocumentError(`it was not there within ${ms} ms (option "timeout")`) : error;
  }
  if (source === undefined) throw new OpenApiDocumentError('option "resolve" does not know it');
  const value = typeof source === "string" ? await parseDocument(source, limits) : source;
  if (typeof source !== "string") assertBounded(value, limits);
  if (!isJsonObject(value)) throw new OpenApiDocumentError("it is not an object");
  return value;
}

/** A reference as the document has it. */
function shown(ref: string): string {
  return JSON.stringify(ref.startsWith(UNKNOWN_URL) ? ref.slice(UNKNOWN_URL.length) : ref);
}
