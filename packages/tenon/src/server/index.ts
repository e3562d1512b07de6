/** `tenon/server`: define a server. Runs on every runtime; imports no schema library and no Node built-in. */
export { McpServer } from "./mcp-server.ts";
export type { FeatureOptions } from "./features/feature-options.ts";
export type {
  Feature,
  FeatureChange,
  FeatureFilter,
  FeatureKind,
  FeatureSelector,
  FeatureSource,
  Mountable,
  OptionsByKind,
  OptionsOf,
  ServerRule,
  SourceObject,
} from "./features/feature-source.ts";
export { sourceOf } from "./features/feature-source.ts";
export type { Selection } from "../session/feature-filter.ts";
export type { Caller, Visible } from "../session/caller.ts";
export { QuestionFailedError } from "../session/question-failed-error.ts";
export type { McpServerOptions } from "./options.ts";
export type { DiscoveryOptions } from "./discovery/options.ts";
export type { SpillOptions } from "../spill/options.ts";
export type { ToolSearchOptions } from "../search/search-options.ts";
export type { Mount, MountOptions } from "./mounting/mount.ts";
export type { MountSet, NoMounts, ServedSignatures } from "./mounting/mounted-tools.ts";
export { createFetchHandler, type ClientAddress, type FetchHandler, type FetchHandlerOptions, type HttpOptions } from "./fetch.ts";
export type { CardHeader, CardRepository, ServerCardOptions } from "./http/card/options.ts";
export type { HttpLimits, HttpSessionOptions, HttpStreamOptions, ResponseMode, WelcomeOptions } from "./http/options.ts";
export type { Bus } from "../storage/bus.ts";
export type { ClusterStores, SharedStores } from "../storage/shared-stores.ts";
export type { EventLog, EventPage, StoredEvent, StreamAddition, StreamAppend, StreamName, StreamOpening } from "../storage/event-log.ts";
export type { Joining, KeyedEntry, KeyedStore, KeyedValue, Version } from "../storage/keyed-store.ts";
export { tool, type SignaturesOf, type ToolDefinition, type ToolSet } from "./features/tool.ts";
export type { ToolHandler, ToolInput, ToolOptions, ToolOutput, ToolReturn } from "./features/tools.ts";
export type { NoTools, ToolSignature, ToolsOf } from "../session/tools/typed-tools.ts";
export type {
  ListedResource,
  ListedResources,
  ReadResource,
  ReadTemplate,
  ResourceOptions,
  ResourceTemplateOptions,
} from "./features/resources.ts";
export type { ContentsInput, ResourceReturn } from "./features/resource-contents.ts";
export type { CustomMethodHandler, CustomMethodOptions, CustomMethodReturn } from "./features/methods.ts";
export type { PromptHandler, PromptInput, PromptOptions, PromptReturn } from "./features/prompts.ts";
export type { Completer, Completers, Suggestions } from "./features/completions.ts";
export type { Registered } from "./features/registry.ts";
export type { FailureReport, OnError } from "./serving/failures.ts";
export { withJsonSchema } from "../schema/standard-schema.ts";
export { expandUriTemplate, type TemplateValues } from "../base/uri-template/template-expansion.ts";
export { inputRequired, type InputRequiredOptions } from "./features/input-required.ts";
export { audio, file, image, resourceLink, text, type BlockOptions } from "./features/content.ts";
export {
  ConnectionClosedError,
  ErrorCode,
  LimitExceededError,
  McpError,
  McpUsageError,
  NoBackChannelError,
  ProtocolViolationError,
  RequestTimeoutError,
  type ErrorData,
} from "../jsonrpc/mcp-error.ts";
export {
  MissingClientCapabilityError,
  ResourceNotFoundError,
  StatelessModeNotSupported,
  UnsupportedVersionError,
  UrlElicitationRequiredError,
} from "../protocol/errors.ts";
export { ToolError, type ToolErrorOptions } from "./features/tool-error.ts";
export type { Elicited, ElicitOptions, ElicitUrlOptions, FlatForm } from "../session/asking/questions/asking-context.ts";
export type { RequestStateOptions, SealingKey } from "../session/asking/options.ts";
export type { StateStore } from "../storage/state-store.ts";
export { MemoryStateStore, type MemoryStateStoreOptions } from "../session/asking/rounds/memory-state-store.ts";
export type { Deviation, DeviationKind } from "../wire/deviations.ts";
export type { ConfirmOption, OnceOptions } from "../effects/options.ts";
export type { RequestContext } from "../session/request-context.ts";
export type { AuthInfo } from "../auth/resource-server/auth-info.ts";
export type { EndpointAuth } from "../auth/resource-server/endpoint-auth.ts";
export type { InitializationState } from "../session/connection.ts";
export type { ServerSession } from "../session/server-session.ts";
export type { ContextLog } from "../session/context-log.ts";
export type {
  FittingMiddleware,
  Handler,
  HandlerContext,
  MethodHandler,
  MethodMiddleware,
  Middleware,
  TwoWayMiddleware,
} from "../session/handler.ts";
