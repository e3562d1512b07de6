/** How one connection reads messages that deviate from the protocol: leniently or strictly, and to whom they are reported. */
import { ProtocolViolationError } from "../jsonrpc/mcp-error.ts";
import type { Implementation } from "../protocol/capabilities.ts";
import type { Deviation, DeviationKind, Reading } from "../wire/deviations.ts";
import type { Connection } from "./connection.ts";

/** What the options of a client and of a server say of messages that deviate. */
export interface ReadingTerms {
  /** Whether they are refused. Default false. */
  readonly strict?: boolean | undefined;
  /** Called once for each kind of deviation. Default: nothing is called. */
  readonly onDeviation?: ((deviation: Deviation) => void) | undefined;
  /** Called with every deviation. Default: nothing is called. */
  readonly onEveryDeviation?: ((deviation: Deviation) => void) | undefined;
}

/** What the options of a server or a gateway say of the messages of clients. */
export interface ClientReading {
  readonly strict?: boolean | undefined;
  readonly onDeviation?: ((deviation: Deviation, client: Implementation | undefined) => void) | undefined;
}

/** Makes a connection read its client as the options say. @param report takes what `onDeviation` throws */
export function readClient(connection: Connection, { strict, onDeviation }: ClientReading, report: (error: unknown) => void): void {
  if (!strict && !onDeviation) return; // it reads leniently, without a report
  const tell = onDeviation && ((deviation: Deviation): void => onDeviation(deviation, connection.client.info));
  connection.reading = new ConnectionReading({ strict, onDeviation: tell }, report);
}

/** Most reports that a connection remembers. */
const MAX_REPORTED = 1_000;

export class ConnectionReading implements Reading {
  readonly strict: boolean;
  readonly #terms: ReadingTerms;
  readonly #report: (error: unknown) => void;
  #told: Set<DeviationKind> | undefined;
  /** Entries that were reported as left out: a list may be read many times. */
  #reported: Set<string> | undefined;

  /** @param report takes entries of lists that are left out, and what the callbacks throw */
  constructor(terms: ReadingTerms, report: (error: unknown) => void) {
    this.strict = terms.strict === true;
    this.#terms = terms;
    this.#report = report;
  }

  deviated(deviation: Deviation): void {
    const { onDeviation, onEveryDeviation } = this.#terms;
    if (deviation.kind === "left-out") this.#reportLeftOut(deviation.message);
    if (onEveryDeviation) this.#tell(onEveryDeviation, deviation);
    if (!onDeviation || this.#told?.has(deviation.kind)) return;
    (this.#told ??= new Set()).add(deviation.kind);
    this.#tell(onDeviation, deviation);
  }

  #reportLeftOut(message: string): void {
    const reported = (this.#reported ??= new Set());
    if (reported.has(message)) return;
    if (reported.size < MAX_REPORTED) reported.add(message);
    this.#report(new ProtocolViolationError(message));
  }

  #tell(callback: (deviation: Deviation) => void, deviation: Deviation): void {
    try {
      callback(deviation);
    } catch (error) {
      this.#report(error);
    }
  }
}
