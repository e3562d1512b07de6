/** Which requests an authorization server takes, below the path of its issuer. */
import { expect, it } from "vitest";
import { routeOf } from "./routes.ts";

const AT_ROOT = [new URL("https://as.example"), ""] as const;
const BELOW = [new URL("https://as.example/tenant"), "/tenant"] as const;

it.each([
  ["/callback", "callback"],
  ["/authorize", "authorize"],
  ["/register", "register"],
  ["/token", "library"],
  ["/jwks", "library"],
  ["/revoke", "library"],
  ["/session/end/confirm", "library"],
])("%s is a route, with and without a path of the issuer, and no other below it", (path, name) => {
  expect(routeOf(path, ...AT_ROOT)).toEqual({ name, path, query: "", uid: "" });
  expect(routeOf(`/tenant${path}?a=1?b`, ...BELOW)).toEqual({ name, path, query: "?a=1?b", uid: "" });
  for (const other of [`${path}/`, `/other${path}`, path.toUpperCase(), `${path}x`])
    expect(routeOf(other, ...AT_ROOT)).toBeUndefined();
  expect(routeOf(path, ...BELOW)).toBeUndefined();
});

it("a page of consent and the way back from it have an id of 10 to 64 characters", () => {
  const uid = "abc_DEF-123";
  expect(routeOf(`/consent/${uid}`, ...AT_ROOT)).toEqual({ name: "consent", path: `/consent/${uid}`, query: "", uid });
  expect(routeOf(`/tenant/authorize/${uid}`, ...BELOW)).toEqual({ name: "library", path: `/authorize/${uid}`, query: "", uid });
  for (const wrong of ["short", "a".repeat(65), "abc/def/ghi/jkl", "abcdefghi%2F"])
    expect(routeOf(`/consent/${wrong}`, ...AT_ROOT)).toBeUndefined();
});

it("the metadata are at each URL that clients try, and names of members are no routes", () => {
  expect(routeOf("/.well-known/oauth-authorization-server", ...AT_ROOT)?.name).toBe("library");
  expect(routeOf("/.well-known/oauth-authorization-server/tenant", ...BELOW)?.path).toBe(
    "/.well-known/oauth-authorization-server",
  );
  for (const name of ["/__proto__", "/constructor", "/toString", "/"]) expect(routeOf(name, ...AT_ROOT)).toBeUndefined();
});
