/**
 * `tenon/internal`: what the command (`tenon-cli`) uses of Tenon besides the public subpaths. No promise: any release may change or remove
 * a name.
 *
 * Only `tenon-cli` imports it, and it requires exactly the version of `tenon` that it was released with. Nothing in `tenon` imports this
 * file, and neither the documentation nor the API reference has it.
 */
export { KeyRefusals } from "../api-keys/refusals.ts";
export { printableUrl } from "../auth/authorization-error.ts";
export { assertPkce } from "../auth/grants/authorization-code.ts";
export { segmentOf } from "../auth/grants/redirection.ts";
export { resolveClient } from "../auth/grants/registration.ts";
export { GuardedFetch } from "../auth/guarded-fetch.ts";
export { assumeIssuer, findIssuer, type Issuer } from "../auth/issuer-metadata.ts";
export { isStrings } from "../auth/json-document.ts";
export { type Challenge, readChallenge } from "../auth/login/challenge.ts";
export { Credentials, type TokenSet } from "../auth/login/credentials.ts";
export { checkMetadataUrl, findResourceMetadata, type ResourceMetadata } from "../auth/login/resource-metadata.ts";
export { readPresentedToken } from "../auth/resource-server/presented-token.ts";
export { assertScopes, includesScopes, parseScope } from "../auth/scope.ts";
export { isLoopbackName, UrlPolicy } from "../auth/url-policy.ts";
export { resourceMetadataPaths } from "../auth/well-known.ts";
export { onAbort } from "../base/abort.ts";
export { finishesWithin, sleep, systemClock } from "../base/clock.ts";
export { setDevHost } from "../base/dev-host.ts";
export { fromBase64 } from "../base/bytes.ts";
export { sha256Hex } from "../base/hash.ts";
export { pointerStep, pointerSteps, targetOf } from "../base/json-pointer.ts";
export { jsonIn } from "../jsonrpc/parse-json.ts";
export { canonicalJson, isSameJson } from "../base/json-values.ts";
export { isPromise } from "../base/maybe-promise.ts";
export { prefixOf } from "../base/text/naming.ts";
export { nearest } from "../base/text/nearest.ts";
export { findSchemaFault } from "../schema/schema-structure.ts";
export { estimateTokens, estimateToolTokens } from "../base/text/token-estimate.ts";
export { BoundedMap } from "../base/bounds/bounded-map.ts";
export { OneAtATime } from "../base/one-at-a-time.ts";
export { normalUri } from "../base/uri-template/normal-uri.ts";
export { parseTemplate } from "../base/uri-template/template-syntax.ts";
export type { HttpResponse } from "../client/http/fetch.ts";
export { DEFAULT_PROBE_TIMEOUT } from "../client/negotiate.ts";
export { RestartPace } from "../client/program/restart-pace.ts";
export { acceptorOf, type HttpRules, isServable } from "../dispatch/acceptor.ts";
export { DEFAULT_START_TIMEOUT } from "../dispatch/limits.ts";
export { nameIn } from "../gateway/catalog/joined-lists.ts";
export { CONNECTING_KEY } from "../gateway/meta.ts";
export { settingsOf } from "../gateway/settings.ts";
export { exactText, NumberText, parseExact, stringifyExact } from "../jsonrpc/exact-numbers.ts";
export { toErrorData } from "../jsonrpc/mcp-error.ts";
export { onEveryDeviation } from "../client/options.ts";
export { isJsonObject } from "../jsonrpc/message.ts";
export { parseMessage } from "../jsonrpc/parse.ts";
export { stringifyMessage } from "../jsonrpc/serialise.ts";
export { describeProblem } from "../node/config/config-problem.ts";
export { parseConfigText } from "../node/config/config-text.ts";
export { expand, expandCredential, type Variables } from "../node/config/config-variables.ts";
export type { DemandedFile, EntryDemand, SettingsEffects } from "../node/config/demands.ts";
export { linksOf } from "../node/config/links.ts";
export { serversOf, toCommonEntry } from "../node/config/common-entry.ts";
export type { SettingsReader } from "../node/config/load-options.ts";
export { placedIn, readConfig } from "../node/config/read-config.ts";
export { ServerReader } from "../node/config/server-config.ts";
export { closeListener, serverOptions } from "../node/http/http-server.ts";
export { listen } from "../node/http/listen.ts";
export { configDirectory, loginDirectory, type User } from "../node/login/config-directory.ts";
export { openBrowserWith } from "../node/login/open-browser.ts";
export { lockFile } from "../node/login/file-lock.ts";
export { signalGroup } from "../node/processes/process-group.ts";
export { isCallbackPath, loopback } from "../node/login/oauth-loopback.ts";
export { isCallbackHost } from "../node/login/loopback-listener.ts";
export { assertResource } from "../auth/login/oauth-options.ts";
export { isSameIssuer } from "../auth/issuer-name.ts";
export {
  clean,
  cleanLine,
  coloured,
  escapeInvisible,
  marked,
  type Paint,
  shorten,
  showsColour,
  type Style,
} from "../node/questions/display.ts";
export { promptAtTerminal, type PromptLine, TerminalQuestions } from "../node/questions/terminal-questions.ts";
export { retryWhileBusy } from "../node/windows.ts";
export { CLIENT_INFO_KEY, LOG_LEVEL_KEY, PROTOCOL_VERSION_KEY, SUBSCRIPTION_ID_KEY } from "../protocol/meta-keys.ts";
export { STEPS_KEY, WHOLE_LIST_KEY } from "../protocol/tenon-keys.ts";
export { isStatefulVersion, isSupportedVersion } from "../protocol/versions.ts";
export {
  choicesOf,
  type FieldKind,
  kindOf,
  membersOf,
  requiredOf,
  resolve,
  textChoicesOf,
  tupleOf,
  typesOf,
  valuesOf,
  variantsOf,
} from "../schema/form.ts";
export { defaultJsonSchemaValidator } from "../schema/json-schema-validator.ts";
export { embedHandlers } from "../server/embed-handlers.ts";
export { keyOf, VERSIONS_KEY } from "../server/features/versions.ts";
export { HOST_FORMS, toServerName, type Entry, type HostForm, type HostUrl } from "../server/http/welcome/host-entries.ts";
export { UNAUTHENTICATED } from "../server/http/authorized-client.ts";
export { LOGIN_GUIDES, PROVIDER_GUIDES, type LoginGuide, type ProviderGuide, type TypedOptions } from "../providers/guides.ts";
export { wayOf } from "../providers/hosted-bearer.ts";
export { ReceiveQueue } from "../transport/receive-queue.ts";
export type { Requirements, TransportContext } from "../transport/transport-context.ts";
export { codecFor, isStatelessClaim } from "../wire/revisions.ts";
export { defaultFetch } from "#default-fetch";
export { describeProxy, namesProxy, proxyOf, usesProxies } from "../node/fetch/proxies.ts";
