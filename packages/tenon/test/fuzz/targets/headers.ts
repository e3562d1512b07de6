/** Header values: those that mirror a message, `WWW-Authenticate`, `Accept`, `Content-Type`. */
import { AuthorizationError } from "../../../src/auth/authorization-error.ts";
import { readChallenge } from "../../../src/auth/login/challenge.ts";
import { encodeHeaderValue } from "../../../src/client/http/headers.ts";
import { decodeHeader } from "../../../src/server/http/endpoint/mirrored-headers.ts";
import { isJson, parseAccept } from "../../../src/server/http/http-message.ts";
import { assert, assertSame, attemptOnly, type Target } from "./target.ts";

const VISIBLE = /^[\x20-\x7E]*$/;

/** What is encoded is a legal header and decodes to what it was; anything may be decoded. */
export const headers: Target = {
  name: "headers",
  kind: "text",
  run(text) {
    const whole = new TextDecoder().decode(new TextEncoder().encode(text)); // a lone surrogate has no UTF-8
    const encoded = encodeHeaderValue(whole);
    assert(VISIBLE.test(encoded) && encoded.trim() === encoded, "the header has characters that no header has");
    assertSame("the text after a round trip", decodeHeader(encoded), whole);
    const decoded = decodeHeader(text);
    assert(decoded === undefined || VISIBLE.test(text), "a header with other characters was decoded");
    const accepts = parseAccept(text);
    assert(typeof accepts.json === "boolean" && typeof accepts.events === "boolean", "Accept");
    assert(!isJson(text) || text.toLowerCase().includes("application/json"), "Content-Type");
  },
};

const SERVER = new URL("https://mcp.example/mcp");

/** Is read, or refused with an error that names the hop. */
export const challenge: Target = {
  name: "challenge",
  kind: "text",
  run(text) {
    const headersOf = { get: (name: string) => (name === "www-authenticate" ? text : null) };
    const outcome = attemptOnly(
      () => readChallenge({ status: 401, headers: headersOf } as never, SERVER),
      (error) => error instanceof AuthorizationError,
    );
    if ("error" in outcome) return;
    const { error, scope, resourceMetadata } = outcome.value;
    for (const value of [error, resourceMetadata])
      assert(value === undefined || typeof value === "string", "a value that is no text");
    assert(scope === undefined || scope.every((one) => /^[\x21\x23-\x5B\x5D-\x7E]+$/.test(one)), "a scope that is none");
  },
};
