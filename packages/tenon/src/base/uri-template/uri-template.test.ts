import { growth, LINEAR } from "../../../test/support/cpu-cost.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expandUriTemplate } from "./template-expansion.ts";
import { TemplateIndex } from "./template-index.ts";
import { UriTemplate } from "./uri-template.ts";

/** The variables of RFC 6570, section 3.2, without the associative array. */
const values = {
  count: ["one", "two", "three"],
  dom: ["example", "com"],
  dub: "me/too",
  hello: "Hello World!",
  half: "50%",
  var: "value",
  who: "fred",
  base: "http://example.com/home/",
  path: "/foo/bar",
  list: ["red", "green", "blue"],
  v: "6",
  x: "1024",
  y: "768",
  empty: "",
  empty_keys: [],
  undef: undefined,
};

describe("expanding (RFC 6570) [K2.2]", () => {
  it.each([
    ["{count}", "one,two,three"],
    ["{count*}", "one,two,three"],
    ["{/count}", "/one,two,three"],
    ["{/count*}", "/one/two/three"],
    ["{;count}", ";count=one,two,three"],
    ["{;count*}", ";count=one;count=two;count=three"],
    ["{?count}", "?count=one,two,three"],
    ["{?count*}", "?count=one&count=two&count=three"],
    ["{&count*}", "&count=one&count=two&count=three"],
    ["{var}", "value"],
    ["{hello}", "Hello%20World%21"],
    ["{half}", "50%25"],
    ["O{empty}X", "OX"],
    ["O{undef}X", "OX"],
    ["{x,y}", "1024,768"],
    ["{x,hello,y}", "1024,Hello%20World%21,768"],
    ["?{x,empty}", "?1024,"],
    ["?{x,undef}", "?1024"],
    ["{var:3}", "val"],
    ["{var:30}", "value"],
    ["{list}", "red,green,blue"],
    ["{+var}", "value"],
    ["{+hello}", "Hello%20World!"],
    ["{+half}", "50%25"],
    ["{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"],
    ["{+base}index", "http://example.com/home/index"],
    ["O{+empty}X", "OX"],
    ["{+path}/here", "/foo/bar/here"],
    ["here?ref={+path}", "here?ref=/foo/bar"],
    ["{+x,hello,y}", "1024,Hello%20World!,768"],
    ["{+path:6}/here", "/foo/b/here"],
    ["{+list*}", "red,green,blue"],
    ["{#var}", "#value"],
    ["{#hello}", "#Hello%20World!"],
    ["foo{#empty}", "foo#"],
    ["foo{#undef}", "foo"],
    ["{#path:6}/here", "#/foo/b/here"],
    ["{#list*}", "#red,green,blue"],
    ["{.who}", ".fred"],
    ["{.half}", ".50%25"],
    ["www{.dom*}", "www.example.com"],
    ["X{.empty}", "X."],
    ["X{.undef}", "X"],
    ["X{.list}", "X.red,green,blue"],
    ["X{.list*}", "X.red.green.blue"],
    ["X{.empty_keys}", "X"],
    ["{/var}", "/value"],
    ["{/var,x}/here", "/value/1024/here"],
    ["{/var,empty}", "/value/"],
    ["{/var,undef}", "/value"],
    ["{/list*}", "/red/green/blue"],
    ["{;x,y}", ";x=1024;y=768"],
    ["{;x,y,empty}", ";x=1024;y=768;empty"],
    ["{;hello:5}", ";hello=Hello"],
    ["{;list*}", ";list=red;list=green;list=blue"],
    ["{?x,y}", "?x=1024&y=768"],
    ["{?x,y,empty}", "?x=1024&y=768&empty="],
    ["{?x,y,undef}", "?x=1024&y=768"],
    ["{?var:3}", "?var=val"],
    ["{?list}", "?list=red,green,blue"],
    ["?fixed=yes{&x}", "?fixed=yes&x=1024"],
    ["{&var:3}", "&var=val"],
    ["{&x,y,empty}", "&x=1024&y=768&empty="],
  ])("%s is %s", (template, expected) => {
    expect(expandUriTemplate(template, values)).toBe(expected);
  });

  it("no value reaches beyond its place (CVE-2026-32871) [R19]", () => {
    expect(expandUriTemplate("https://api.example/users/{id}/posts", { id: "../admin?x=1#y" })).toBe(
      "https://api.example/users/..%2Fadmin%3Fx%3D1%23y/posts",
    );
    expect(expandUriTemplate("x://{a}", JSON.parse('{"__proto__":{"a":"inherited"}}') as object)).toBe("x://");
    expect(expandUriTemplate("x://{a}", { a: "\ud800" })).toBe("x://%EF%BF%BD");
  });
});

describe("matching [R19]", () => {
  it.each([
    ["users://{id}", "users://42", { id: "42" }],
    ["users://{id}", "users://a%2Fb%20c", { id: "a/b c" }],
    ["users://{id}", "users://a%252Fb", { id: "a%2Fb" }], // decoded once
    ["users://{id}/posts/{post}", "users://1/posts/2", { id: "1", post: "2" }],
    ["file:///{+path}", "file:///a/b/c.txt", { path: "a/b/c.txt" }],
    ["file:///{+path}/{name}.{ext}", "file:///a/b/c.tar.gz", { path: "a/b", name: "c.tar", ext: "gz" }],
    ["x://{a}-{b}", "x://1-2-3", { a: "1", b: "2-3" }],
    ["x://{+a}-{b}", "x://1-2-", { a: "1", b: "2-" }],
    ["x://{a,b}", "x://1,2", { a: "1", b: "2" }],
    ["x://{list*}", "x://1,2,3", { list: ["1", "2", "3"] }],
    ["x:/{/segments*}", "x://a/b%2Fc", { segments: ["a", "b/c"] }],
    ["x:/{/segments*}/end", "x://a/b/end", { segments: ["a", "b"] }],
    ["x://host{.parts*}", "x://host.a.b", { parts: ["a", "b"] }],
    ["x://p{;a,b}", "x://p;a=1;b=2", { a: "1", b: "2" }],
    ["x://p{;a*}", "x://p;a=1;a=2", { a: ["1", "2"] }],
    ["x://p{#part}", "x://p#a/b?c", { part: "a/b?c" }],
    ["x://{a:3}", "x://abc", { a: "abc" }],
    ["x://s{?q,n,t*}", "x://s?n=1&t=a&t=b%26", { n: "1", t: ["a", "b&"] }],
    ["x://s{?q}", "x://s", {}],
    ["x://s{?q}", "x://s?q=", { q: "" }],
    ["x://s?v=1{&q}", "x://s?v=1&q=a+b", { q: "a+b" }],
    ["x://s?v=1{&q}", "x://s?v=1", {}],
    ["static://text", "static://text", {}],
    ["x://p{;a,b}", "x://p;b=2;a=1", { a: "1", b: "2" }],
    ["x://p{;a,b}", "x://p;a;b=", { a: "", b: "" }],
    ["x://p{;a*}", "x://p;a=1;a", { a: ["1", ""] }],
    ["x://p{;a*}/{b}", "x://p;a=1;a=2/3", { a: ["1", "2"], b: "3" }],
    ["users://{id}", "users://a#b", { id: "a" }],
    ["file:///{+path}", "file:///a/b.txt#L10", { path: "a/b.txt" }],
    ["x://s{?q}", "x://s?q=1#f", { q: "1" }],
    ["x://s{?q}", "x://s?other=1", {}],
    ["x://s{?q}", "x://s?other=1&q=2&more", { q: "2" }],
    ["x://s{?q}", "x://s?", {}],
    ["{scheme}://x", "http://x", { scheme: "http" }],
  ])("%s takes %s apart", (template, uri, expected) => {
    expect(new UriTemplate(template).match(uri)).toEqual(expected);
  });

  it.each([
    ["users://{id}", "users://a/b"],
    ["users://{id}", "users://"],
    ["users://{id}", "users://a?b"],
    ["users://{id}", "users://%"],
    ["users://{id}", "users://%zz"],
    ["users://{id}", "users://%C3"],
    ["users://{id}", "Users://a"],
    ["users://{id}/posts/{post}", "users:///posts/2"],
    ["x://{a}-{b}", "x://-b"],
    ["x://{a}-{b}", "x://a-"],
    ["x://{a:3}", "x://abcd"],
    ["file:///{+path}/x", "file:////x"],
    ["file:///{+path}/{name}", "file:////x"],
    ["file:///{+path}/{name}", "file:///a/b/"], // no value is empty, from the right either
    ["x://s{?q}", "x://s?q=1&q=2"],
    ["x://s{?q}", "x://t?q=1"],
    ["x://s{?q:2}", "x://s?q=123"],
    ["x://s?v=1{&q}", "x://s?v=2&q=1"],
    ["x://p{;a,b}", "x://p;a=1"],
    ["x://p{;a}", "x://p;a=1;b=2"],
    ["x://p{;a}", "x://p;a=1;a=2"],
    ["x://p{;list*}", "x://p;list=1;other=2"],
    ["x://p{;list*}", "x://p;list=1;other=2;list=3"],
    ["x://p{;list*}", "x://p;other=2"],
    ["x://p{;a,b*}", "x://p;a=1;z=2;b=3"],
    ["static://text", "static://text2"],
    ["users://{id}#top", "users://a#end"],
    ["x:/{/segments*}", "x://a?b"],
    ["x://ab{a}ba", "x://aba"],
    ["x://{list*}", "x://1,%,3"],
    ["x://{list*}", `x://${",".repeat(10_000)}`],
    ["x://s{?q*}", `x://s?${"q=1&".repeat(10_000)}q=1`],
  ])("%s does not match %s", (template, uri) => {
    expect(new UriTemplate(template).match(uri)).toBeUndefined();
  });

  it.each(["{a}{b}", "{+a}/{+b}", "{a}/{a}", "{?q}x", "{?q}{?r}", "{a*,b}", "x{/a*}{+b}", "{a}{+b}"])(
    "%s cannot be matched, and is refused",
    (template) => {
      expect(() => new UriTemplate(template)).toThrow(/cannot be matched/);
    },
  );

  it.each([
    "{",
    "}",
    "{}",
    "{x.}",
    "{.x.}",
    "{..x}",
    "{a..b}",
    "{a.b.}",
    "a{b",
    "a}b",
    "{a b}",
    "{=a}",
    "{a:0}",
    "{a:12345}",
    "{a**}",
    "{,a}",
    "{a,}",
    "{__proto__}",
  ])("%s is no template", (template) => {
    expect(() => new UriTemplate(template)).toThrow(TypeError);
  });
});

/** Values for variables of each kind, such that expansion keeps them apart. */
const segment = fc.string({ minLength: 1, unit: "grapheme" }).filter((text) => !/\p{Surrogate}/u.test(text));
const templates = [
  ["a://{x}", { x: segment }],
  ["a://{x}/{y}-{z}", { x: segment, y: segment.filter((text) => !text.includes("-")), z: segment }],
  ["a://{+p}/{x}", { p: segment.filter((text) => !/%[\da-f]{2}/i.test(text)), x: segment }],
  ["a:/{/s*}/end{?q,r*}", { s: fc.array(segment, { minLength: 1 }), q: segment, r: fc.array(segment, { minLength: 1 }) }],
  ["a://{+p}{?q}", { p: segment.filter((text) => !/%[\da-f]{2}|\?/i.test(text)), q: segment }],
  ["a://{l*}{;m,n*}", { l: fc.array(segment, { minLength: 1 }), m: fc.string(), n: fc.array(fc.string(), { minLength: 1 }) }],
  ["a://x{#f}", { f: segment.filter((text) => !/%[\da-f]{2}/i.test(text)) }],
  ["a://{l*}{;m,n}", { l: fc.array(segment, { minLength: 1 }), m: segment, n: segment }],
] as const;

describe("properties [R9 R19]", () => {
  it.each(templates)("%s: what was expanded is matched with the same values", (template, shape) => {
    const parsed = new UriTemplate(template);
    fc.assert(
      fc.property(fc.record(shape as Record<string, fc.Arbitrary<string | string[]>>), (given) => {
        expect(parsed.match(expandUriTemplate(parsed.template, given))).toEqual(given);
      }),
    );
  });

  it("what matched is expanded to a URI that matches with the same values", () => {
    const uri = fc.string({
      unit: fc.constantFrom("a", "/", "%", "2", "F", "-", ".", "?", "#", "=", "&", "q", ",", ";"),
      maxLength: 24,
    });
    const all = ["x{a}", "x{a}-{b}", "x{+p}/{b}", "x{/s*}{?q,a*}", "x{a}.{b}{#f}", "x{;a,b}"].map(
      (template) => new UriTemplate(template),
    );
    fc.assert(
      fc.property(fc.constantFrom(...all), uri, (template, text) => {
        const values = template.match(`x${text}`);
        // Reserved expansion keeps %XX unchanged, so a decoded "%2F" is the one value that it cannot restore.
        if (
          values === undefined ||
          Object.values(values)
            .flat()
            .some((value) => /%[\dA-F]{2}/i.test(value))
        )
          return;
        expect(template.match(expandUriTemplate(template.template, values))).toEqual(values);
      }),
      { numRuns: 2_000 },
    );
  });

  it("1 MB of URI is read a few times at most by every template (CVE-2026-0621) [R9]", () => {
    const hostile = ["a", "/", ",", ",a", "a,a/", "-", ".", "%41", "&a=1", ";a=1", "?q", "%"].map(
      (unit) => `x://${unit.repeat(Math.ceil(2 ** 20 / unit.length))}`,
    );
    const all = [
      "x://{a}",
      "x://{a*}",
      "x:/{/a*}",
      "x://{a,b,c,d*}",
      "x://{a}-{b}-{c}",
      "x://{+a}/{b}.{c}",
      "x://{.a*}",
      "x://{;a*}",
      "x://s{?q,a*}",
      "x://{+a}?{b}",
    ];
    for (const template of all) {
      const parsed = new UriTemplate(template);
      for (const uri of hostile) {
        for (const end of ["", "!", "/", "-"]) {
          const whole = uri + end;
          const read = charactersRead(() => parsed.match(whole));
          expect(read, `${template} on ${uri.slice(0, 10)}`).toBeLessThan(8 * whole.length);
        }
      }
    }
  });
});

describe("a template of a peer [R9]", () => {
  it.each(["{", "}", "{a", "{a,", "{a*,", "{+a}", "{/a*}", "{?a}", "%41", "{a:1"])(
    "is read at a cost that grows with its length and not with the square of it, however many %s there are",
    (unit) => {
      // A pattern that looks for the end of each brace is quadratic only if there is no end.
      for (const end of ["", "}", "{", "{b}{c}"]) {
        const read = (size: number): void => {
          try {
            void new UriTemplate(`x://${unit.repeat(Math.ceil(size / unit.length))}${end}`);
          } catch (error) {
            expect(error).toBeInstanceOf(TypeError);
          }
        };
        expect(growth(read)).toBeLessThan(LINEAR);
      }
    },
  );

  it.each([
    ["a{b", '"{b" is not an expression'],
    ["a}b", '"}" is not an expression'],
    ["{x}{a b}", '"{a b}" is not an expression'],
    ["{{a}}", '"{" is not an expression'],
  ])("%s is refused with the reason", (template, problem) => {
    expect(() => new UriTemplate(template)).toThrow(`URI template ${JSON.stringify(template)}: ${problem}`);
  });
});

/**
 * An upper bound of the characters that `work` reads: each built-in that reads a string counts the whole text. A regular
 * expression must be one class of characters, because further reading cannot be counted from outside.
 */
function charactersRead(work: () => unknown): number {
  let read = 0;
  const searched = (text: string, from: number, found: number): number => (found < 0 ? text.length : Math.abs(found - from) + 1);
  const restore = [
    counting(
      String.prototype,
      "indexOf",
      (text, [, from], found) => (read += searched(String(text), Number(from ?? 0), Number(found))),
    ),
    counting(
      String.prototype,
      "lastIndexOf",
      (text, [, from], found) => (read += searched(String(text), Number(from), Number(found))),
    ),
    ...(["includes", "split", "startsWith", "endsWith"] as const).map((name) =>
      counting(
        String.prototype,
        name,
        (text, [part]) => (read += name.endsWith("With") ? String(part).length : String(text).length),
      ),
    ),
    counting(String.prototype, "slice", (_text, _args, part) => (read += String(part).length)),
    counting(RegExp.prototype, "test", (pattern, [text]) => {
      if (!/^\[[^\]]*\]$/.test((pattern as RegExp).source)) read = Infinity;
      read += String(text).length;
    }),
    counting(globalThis, "decodeURIComponent", (_this, [text]) => (read += String(text).length)),
    counting(Array, "from", (_this, [text]) => (read += (text as string).length)),
  ];
  try {
    work();
  } finally {
    for (const undo of restore) undo();
  }
  return read;
}

type Called = (self: unknown, args: readonly unknown[], result: unknown) => void;

/** Calls `called` at every call of a built-in, which works as always. Returns a function that ends that. */
function counting(owner: object, name: string, called: Called): () => void {
  const original = Reflect.get(owner, name) as (...args: unknown[]) => unknown;
  let busy = false; // what `called` itself uses does not count
  Reflect.set(owner, name, function (this: unknown, ...args: unknown[]): unknown {
    const result = original.apply(this, args);
    if (busy) return result;
    busy = true;
    called(this, args, result);
    busy = false;
    return result;
  });
  return () => void Reflect.set(owner, name, original);
}

/** Templates, each its own value. */
function indexOf(templates: readonly string[]): TemplateIndex<string> {
  return new TemplateIndex(templates.map((template) => [new UriTemplate(template), template] as const));
}

describe("TemplateIndex", () => {
  it("finds the first match in the order of registration", () => {
    const templates = ["{scheme}://any", "db://{table}", "db://{+path}", "db://users/{id}"];
    const index = indexOf(templates);
    expect(index.match("db://users/1")).toEqual({ value: "db://{+path}", variables: { path: "users/1" } });
    expect(index.match("db://any")?.value).toBe("{scheme}://any");
    expect(indexOf(templates.slice(1)).match("db://any")?.value).toBe("db://{table}");
    expect(index.match("other://x")).toBeUndefined();
  });

  it("prefers a template that names all parameters of the query", () => {
    const index = indexOf(["x://s{?q}", "x://s{?q,page}", "x://{+all}"]);
    expect(index.match("x://s?page=2&q=a")).toEqual({ value: "x://s{?q,page}", variables: { page: "2", q: "a" } });
    expect(index.match("x://s?q=a")?.value).toBe("x://s{?q}");
    expect(indexOf(["x://s{?q}"]).match("x://s?q=a&other=1")).toEqual({ value: "x://s{?q}", variables: { q: "a" } });
  });

  it("keeps the order of registration between prefixes of different lengths", () => {
    expect(indexOf(["a-{+x}", "ab{x}", "a{x}"]).match("abz")?.value).toBe("ab{x}");
  });

  it("agrees with trying each template in turn", () => {
    const template = fc
      .constantFrom("a", "ab", "abc", "b", "")
      .chain((prefix) => fc.constantFrom("{x}", "{x}/c", "-{+x}").map((rest) => prefix + rest));
    fc.assert(
      fc.property(fc.uniqueArray(template), fc.string({ unit: fc.constantFrom("a", "b", "c", "/", "-") }), (all, uri) => {
        const expected = all.find((each) => new UriTemplate(each).match(uri) !== undefined);
        expect(indexOf(all).match(uri)?.value).toBe(expected);
      }),
    );
  });

  it("asks only the templates whose prefix fits [R9]", () => {
    const asked: number[] = [];
    const index = new TemplateIndex(
      Array.from({ length: 1_000 }, (_, i) => {
        const template = new UriTemplate(`scheme${i}://{x}`);
        return [{ prefix: template.prefix, match: (uri: string) => (asked.push(i), template.match(uri)) }, i] as const;
      }),
    );
    expect(index.match("scheme77://a")?.value).toBe(77);
    expect(asked).toEqual([77]);
  });
});
