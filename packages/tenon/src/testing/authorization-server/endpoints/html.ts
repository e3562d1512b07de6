/** Pages of the test authorization server. */
import { htmlPage } from "../../../base/text/html-page.ts";
import type { EndpointResponse } from "../exchange.ts";

interface PageContent {
  readonly title: string;
  /** HTML, escaped by the caller. */
  readonly body: string;
  /** Where its form may redirect besides this server: sources of a content security policy. */
  readonly formTargets?: readonly string[];
  /** Names and values in turn. */
  readonly headers?: readonly string[];
}

export function pageResponse({ title, body, formTargets, headers = [] }: PageContent): EndpointResponse {
  const page = htmlPage(title, body, formTargets);
  return { status: 200, html: page.html, headers: [...page.headers, ...headers] };
}
