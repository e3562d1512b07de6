/** What a user reads before allowing a client: who vouches for its name, where access goes, and what it may do. */
import { describe, expect, it } from "vitest";
import { consentPage, type ConsentRequest } from "./consent-page.ts";

const REQUEST: ConsentRequest = {
  clientId: "registered",
  clientName: "Notes <b>",
  redirectUri: "https://client.example/cb?x=1",
  resources: ["https://mcp.example/a", "https://mcp.example/b"],
  scopes: [["notes:read", "Read your notes"]],
  provider: undefined,
  proof: "the-proof",
};

function page(more: Partial<ConsentRequest> = {}): { html: string; formAction: string | undefined } {
  const { html, headers } = consentPage({ ...REQUEST, ...more });
  const policy = headers[headers.indexOf("Content-Security-Policy") + 1]!;
  return { html, formAction: policy.split("; ").find((part) => part.startsWith("form-action ")) };
}

describe("the name of a client", () => {
  it("is its own, as text, and no one has checked it", () => {
    expect(page().html).toContain("<dd>Notes &lt;b&gt;<small>No one has checked this name.</small></dd>");
    expect(page({ clientName: undefined }).html).toContain("<dd>nothing<small>");
    expect(page({ clientId: "http://client.example/x" }).html).toContain("No one has checked this name.");
  });

  it("is published by the host of its document", () => {
    const { html } = page({ clientId: "https://publisher.example:8443/client.json" });
    expect(html).toContain("Its description is published by <strong>publisher.example:8443</strong>.");
    expect(html).not.toContain("No one has checked");
  });
});

describe("the place that access goes to", () => {
  const REMEMBERED = "Your decision is remembered for this program and this address.";
  const EACH_TIME = "you are asked each time.";
  it.each([
    ["https://client.example:8443/cb", "client.example:8443", REMEMBERED, "https://client.example:8443"],
    ["http://127.0.0.1:7/cb", "this computer (127.0.0.1:7)", EACH_TIME, "http://127.0.0.1:7"],
    ["http://[::1]:7/cb", "this computer ([::1]:7)", EACH_TIME, "http:"],
    ["com.example.app:/cb", "a program on this computer (com.example.app:)", EACH_TIME, "com.example.app:"],
    ["https://a*b.example/cb", "a*b.example", REMEMBERED, "https:"],
  ])("%s is %s", (redirectUri, place, note, source) => {
    const { html, formAction } = page({ redirectUri });
    expect(html).toContain(`<dt>Access goes to</dt><dd>${place}<small>${redirectUri}</small></dd>`);
    expect(html).toContain(note);
    expect(formAction).toBe(`form-action 'self' ${source}`);
  });
});

it("names each server, each scope with its sentence, the proof, and the provider that comes next", () => {
  const { html } = page();
  expect(html).toContain("<dd>https://mcp.example/a</dd><dd>https://mcp.example/b</dd>");
  expect(html).toContain("<li>Read your notes <code>notes:read</code></li>");
  expect(html).toContain('<input type="hidden" name="proof" value="the-proof">');
  expect(html).toContain('value="allow">Allow</button>');
  expect(html).toContain('value="deny">Deny</button>');
  const next = page({ provider: { name: "GitHub", origin: "https://github.com" } });
  expect(next.html).toContain('value="allow">Allow and log in with GitHub</button>');
  expect(next.formAction).toBe("form-action 'self' https://client.example https://github.com");
});
