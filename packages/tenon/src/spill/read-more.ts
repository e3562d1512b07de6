/** Runs the tool `read_more`, and reads the link of a kept result. What a caller may not read is as unknown as what never was. */
import type { JsonObject } from "../jsonrpc/message.ts";
import type { CallToolResult } from "../protocol/tools.ts";
import type { RequestContext } from "../session/request-context.ts";
import type { KeyedStore } from "../storage/keyed-store.ts";
import { readPiece, readWhole, type Piece } from "./kept-texts.ts";
import { idIn, idInAlias, READ_MORE } from "./names.ts";
import { readableBy } from "./owner.ts";

/** @param given the arguments, which may be anything */
export async function readMore(args: JsonObject, context: RequestContext, store: KeyedStore): Promise<CallToolResult> {
  const { uri, from = 0, to } = args;
  if (!isPlace(from, 0) || (to !== undefined && !isPlace(to, 1)))
    return context.fail(`${READ_MORE}: "from" and "to" must be whole numbers, from 0 and from 1 on`);
  if (to !== undefined && to <= from) return context.fail(`${READ_MORE}: "to" must be greater than "from"`);
  const id = idInAlias(uri);
  const piece = id === undefined ? undefined : await readPiece(store, readableBy(context), id, { from, to });
  if (piece === undefined)
    return context.fail(`${READ_MORE}: no result is kept under this uri. It may have expired: call the tool again that returned it`);
  if (from >= piece.length && piece.length > 0)
    return context.fail(`${READ_MORE}: the result has ${piece.length} characters, so there is nothing from ${from} on`);
  return {
    content: [
      { type: "text", text: piece.text },
      { type: "text", text: placeOf(uri as string, piece) },
    ],
  }; // it has an id
}

function isPlace(value: unknown, least: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least; // a number
}

function placeOf(uri: string, { from, to, length, limit }: Piece): string {
  const place = `[Characters ${from} to ${to} of ${length}.`;
  if (to >= length) return `${place} This is the end.]`;
  return `${place} Read on with ${JSON.stringify({ uri, from: to, to: Math.min(length, to + limit) })}.]`;
}

/** The whole text of a link; undefined if the caller has none under it. */
export async function readLink(uri: string, context: RequestContext, store: KeyedStore): Promise<string | undefined> {
  const id = idIn(uri);
  return id === undefined ? undefined : readWhole(store, readableBy(context), id);
}
