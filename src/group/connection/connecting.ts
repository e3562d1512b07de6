/** The options of one server's connection: the group's, the server's own over them, and callbacks that are told who asks. */
import type { ConnectOptions, ServerRequestContext } from "../../client/options.ts";
import type { GroupOptions, GroupRequestContext, ServerOptions } from "../options.ts";

/** @param server the server's name, which may be known only once it is connected */
export function connectOptions(
  group: GroupOptions,
  own: ServerOptions,
  server: () => string,
  report: (error: Error) => void,
): ConnectOptions {
  const { stack: _, nameHook: __, onServerError: ___, onChange: ____, ...options } = { ...group, ...own };
  const { onElicit, onSample, roots, onLog, onMessage, ...rest } = options;
  return {
    ...rest,
    ...tellingWhoAsks({ onElicit, onSample, roots, onLog, onMessage }, server),
    onError: report,
    skipMalformedItems: true,
  };
}

type Callbacks = "onElicit" | "onSample" | "roots" | "onLog" | "onMessage";

/** Callbacks of a group as one connection calls them. */
function tellingWhoAsks(
  { onElicit, onSample, roots, onLog, onMessage }: { readonly [Name in Callbacks]: ServerOptions[Name] },
  server: () => string,
): Pick<ConnectOptions, Callbacks> {
  const from = (context: ServerRequestContext): GroupRequestContext => ({ ...context, server: server() });
  return {
    ...(onElicit && { onElicit: (params, context) => onElicit(params, from(context)) }),
    ...(onSample && { onSample: (params, context) => onSample(params, from(context)) }),
    ...(roots && { roots: typeof roots === "function" ? (context) => roots(from(context)) : roots }),
    ...(onLog && { onLog: (message) => onLog(message, server()) }),
    ...(onMessage && { onMessage: (message) => onMessage(message, server()) }),
  };
}
