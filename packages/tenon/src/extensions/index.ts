/** `tenon/ext`: write extensions of the protocol. Tenon's own extensions are in `tenon/ext/…`. */
export { defineExtension } from "./define-extension.ts";
export type { ClientHalf, ExtensionDefinition, ServerHalf } from "./extension-definition.ts";
export type {
  InboundContext,
  ClientHost,
  Extension,
  ListenExtension,
  OutboundContext,
  RunTool,
  ServerHost,
  ToolExtension,
} from "../session/extension.ts";
export type { MethodRow } from "../protocol/methods.ts";
export type { Codec } from "../wire/codec.ts";
export type { Reading } from "../wire/deviations.ts";
