/** URI templates and the policy for URLs that a peer names. */
import { UrlPolicy } from "../../../src/auth/url-policy.ts";
import { expandUriTemplate } from "../../../src/base/uri-template/template-expansion.ts";
import { UriTemplate } from "../../../src/base/uri-template/uri-template.ts";
import { assert, assertSame, attemptOnly, type Target } from "./target.ts";

const isTypeError = (error: unknown): boolean => error instanceof TypeError;

/**
 * The first line is the template, the second a URI. What was found in a URI of the template expands to a URI with the same in it.
 */
export const templates: Target = {
  name: "templates",
  kind: "text",
  run(text) {
    const [template = "", uri = ""] = wellFormed(text).split("\n");
    const made = attemptOnly(() => new UriTemplate(template), isTypeError);
    if ("error" in made) return;
    const found = made.value.match(uri);
    if (found === undefined || template.includes(":")) return; // a prefix (`{name:3}`) loses the rest of its value
    const again = made.value.match(expandUriTemplate(template, found));
    assertSame("what was found after a round trip", again, found);
  },
};

/** A lone surrogate is a replacement character in every URI. */
function wellFormed(text: string): string {
  return new TextDecoder().decode(new TextEncoder().encode(text));
}

/** An IPv4 address from the last two groups of a mapped IPv6 address. */
function dotted(...groups: readonly string[]): string {
  return groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]).join(".");
}

const policy = new UrlPolicy();
const PRIVATE = /^(127|10|0|169\.254|192\.168|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./;

/** What is allowed is https without a user name, on a usual port, and no address of a private network in any spelling. */
export const urls: Target = {
  name: "urls",
  kind: "text",
  run(text) {
    if (policy.refuses(text) !== undefined) return;
    const { protocol, username, password, port, hostname, hash } = new URL(text);
    assertSame("protocol, user and fragment", [protocol, username, password, hash], ["https:", "", "", ""]);
    assert(port === "" || port === "8443", `port ${port}`);
    const mapped = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/.exec(hostname);
    const address = mapped === null ? hostname : dotted(mapped[1]!, mapped[2]!);
    assert(!(/^\d+(?:\.\d+){3}\.?$/.test(address) && PRIVATE.test(address)), hostname);
    assert(mapped !== null || !/^\[(::|f[cde]|64:ff9b:|2002:)/.test(hostname), hostname);
    assert(!/(^|\.)localhost\.?$/.test(hostname) && /[.:]/.test(hostname.replace(/\.$/, "")), hostname);
  },
};
