/** Explains why a server could not be reached: the meanings of system error codes, which it finds in the causes of errors. */
import { ConnectionLostError, McpError } from "tenon/client";

const MEANINGS: readonly (readonly [code: RegExp, meaning: string])[] = [
  [/^ECONNREFUSED$/, "nothing listens there"],
  [/^(ENOTFOUND|EAI_AGAIN)$/, "the host name is unknown"],
  [/^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, "no response came"],
  [/^(EHOSTUNREACH|ENETUNREACH)$/, "no network leads there"],
  [/^(ECONNRESET|UND_ERR_SOCKET|EPIPE)$/, "the connection was cut"],
  [/^ERR_SSL_WRONG_VERSION_NUMBER$/, "it does not speak TLS: is it http, not https?"],
  [/^(ERR_TLS_|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/, "its certificate is not to be trusted"],
];

/** Explains a system error, such as `nothing listens there (ECONNREFUSED)`; undefined without a known code. */
export function systemReason(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const causes: readonly unknown[] = cause instanceof AggregateError ? cause.errors : [cause];
    for (const one of causes) {
      const code = one instanceof Error && "code" in one && typeof one.code === "string" ? one.code : undefined;
      const meaning = code === undefined ? undefined : MEANINGS.find(([pattern]) => pattern.test(code))?.[1];
      if (meaning !== undefined) return `${meaning} (${code})`;
    }
  }
  return undefined;
}

/** The innermost reason of a lost connection, such as `bad port`. */
export function innermostReason(error: unknown): string | undefined {
  if (!(error instanceof ConnectionLostError)) return undefined;
  let reason: string | undefined;
  for (let { cause } = error; cause instanceof Error; cause = cause.cause) reason = cause.message;
  return reason === "fetch failed" ? undefined : reason;
}

export function explainUnreachable(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const reason = McpError.isMcpError(error) ? (error.data as { code?: unknown } | undefined)?.code : undefined;
  if (reason === "ENOENT") return `${message}. No such command: is it installed, and in PATH?`;
  if (reason === "EACCES") return `${message}. It is not executable.`;
  const why = systemReason(error) ?? innermostReason(error);
  return `Cannot connect: ${message.replace(/^Connection closed: /, "")}${why === undefined ? "" : `: ${why}`}`;
}
