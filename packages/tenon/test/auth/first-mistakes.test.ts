/** What programs without types get wrong when they log in: the error names the option, at once, and not the first request. */
import { expect, test } from "vitest";
import { bearerToken, clientCredentials, oauth } from "tenon/auth";
import { fileStore } from "tenon/node";

const untyped = (value: unknown): never => value as never;

test.each([undefined, null, 5])("a token that is %s is refused at once", (token) => {
  expect(() => bearerToken(untyped(token))).toThrow("bearerToken() needs a token, or a function that returns one");
});

test("a token with its scheme is refused", () => {
  expect(() => bearerToken("Bearer abc")).toThrow('visible ASCII without spaces, and without "Bearer" before it');
});

test.each([
  [{ client: "abc" }, 'Option "client" must be { id }, and { id, secret } if it has a secret'],
  [{ client: {} }, 'Option "client" must be { id }'],
  [{ store: new Map() }, 'Option "store" must be an AuthStore, such as fileStore() of "tenon/node"'],
  [{ callbackUrl: "/callback" }, 'Option "callbackUrl" must be the whole URL where the user comes back'],
])("oauth(%j) is refused at once", (options, message) => {
  expect(() => oauth(untyped(options))).toThrow(message);
});

test("credentials of a program without a client are refused at once", () => {
  const issuer = "https://login.example";
  expect(() => clientCredentials({ issuer, client: untyped("abc") })).toThrow(
    'Option "client" must be { id, secret } or { id, key }',
  );
});

test.each([
  [5, "of type number"],
  [null, "null"],
  ["", '""'],
  ["a\0b", '"a\\u0000b"'],
])("a store of files in %j is refused at once", (directory, shown) => {
  const message = `fileStore(): option "directory" must be the path of a folder, not ${shown}`;
  expect(() => fileStore({ directory: untyped(directory) })).toThrow(new TypeError(message));
});
