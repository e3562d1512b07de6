/**
 * The messages between the front, which holds the connections, and a generation, which runs one version of the author's file.
 *
 * They travel over the IPC channel of a child process. JSON-RPC messages travel as text: neither end trusts or changes the other's objects.
 */
import type { RequestId } from "tenon";
import type { Definition } from "./definition.ts";

/** What is known of the sender of a message: what `ctx.transport` shows to handlers. */
export interface Sender {
  readonly kind: string;
  readonly address?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface KeptValue {
  readonly name: string;
  readonly version: number;
  /** By `v8.serialize`. */
  readonly bytes: Uint8Array;
}

export interface LoadOrder {
  readonly path: string;
  /** `process.argv` of the file from its own name on. */
  readonly args: readonly string[];
  /** JavaScript of files in TypeScript, by URL. Empty if Node reads TypeScript itself. */
  readonly sources: ReadonlyMap<string, string>;
  readonly kept: readonly KeptValue[];
  readonly stateKey: Uint8Array;
  /** What `serveHttp` returns as its URL. */
  readonly url: string;
}

export interface Loaded {
  readonly definition: Definition;
  /** See `Acceptor.headerNames`. */
  readonly headerNames: ReadonlyMap<string, string> | undefined;
  /** What the author should know, such as values that could not be kept. */
  readonly warnings: readonly string[];
}

/** From the front to a generation. */
export type Order =
  /** Packages to import while there is nothing to load. */
  | { readonly kind: "warm"; readonly packages: readonly string[] }
  | { readonly kind: "load"; readonly order: LoadOrder }
  | { readonly kind: "open"; readonly connection: number; readonly sender: Sender }
  | { readonly kind: "message"; readonly connection: number; readonly text: string; readonly sender?: Sender | undefined }
  | { readonly kind: "close"; readonly connection: number }
  | { readonly kind: "announce"; readonly lists: readonly ListName[]; readonly resources: readonly string[] }
  | { readonly kind: "keep" }
  | { readonly kind: "end" };

export type ListName = "tools" | "prompts" | "resources";

/** From a generation to the front. */
export type Report =
  | { readonly kind: "loaded"; readonly loaded: Loaded }
  | { readonly kind: "failed"; readonly message: string }
  /** Files of the author, and packages that they import, as paths and URLs. */
  | { readonly kind: "files"; readonly files: readonly string[]; readonly packages: readonly string[] }
  | { readonly kind: "message"; readonly connection: number; readonly text: string; readonly related?: RequestId | undefined }
  | { readonly kind: "closed"; readonly connection: number }
  | { readonly kind: "kept"; readonly values: readonly KeptValue[]; readonly warnings: readonly string[] };
