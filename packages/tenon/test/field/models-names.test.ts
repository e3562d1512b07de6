/** Names of template variables. */
import { expect, it } from "vitest";
import { expandUriTemplate } from "tenon/server";

it.each(["x://{x.}", "x://{a..b}", "x://{.a.}", "x://{?a.,b}"])(
  "%s is refused, because a dot stands between other characters",
  (template) => {
    expect(() => expandUriTemplate(template, {})).toThrow(TypeError);
  },
);

it.each([
  ["x://{a.b}", "x://1"],
  ["x://{.a.b.c}", "x://.2"],
])("%s has a name with dots", (template, uri) => {
  expect(expandUriTemplate(template, { "a.b": "1", "a.b.c": "2" })).toBe(uri);
});
