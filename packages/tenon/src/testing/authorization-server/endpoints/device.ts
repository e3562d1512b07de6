/**
 * Authorization for devices without a browser (RFC 8628): the device gets two codes: one to poll with, and one that its user enters on a
 * page of this server.
 */
import { escapeHtml } from "../../../base/text/html-page.ts";
import { consentPage, takeConsent } from "./consent.ts";
import { authenticateClient } from "../clients/client-authentication.ts";
import { findClient } from "../clients/client-documents.ts";
import { assertForm, json, type EndpointResponse, type Exchange } from "../exchange.ts";
import { DEVICE_CODE } from "../grants/grant.ts";
import { pageResponse } from "./html.ts";
import { OAuthError } from "../oauth-error.ts";
import { allowedResources, allowedScopes } from "../tokens/permissions.ts";
import { newSecret, type Device, type ServerState } from "../state.ts";

/** Letters that are not confused and form no words (RFC 8628 section 6.1). */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
/** Milliseconds for which an expired code is still recognized. */
const EXPIRED_IS_KNOWN = 600_000;

export async function handleDeviceAuthorization(state: ServerState, exchange: Exchange): Promise<EndpointResponse> {
  assertForm(exchange);
  const client = await authenticateClient(state, exchange);
  if (!client.grantTypes.includes(DEVICE_CODE))
    throw new OAuthError("unauthorized_client", `The client has not registered the grant "${DEVICE_CODE}"`);
  const { subject, deviceCodeLifetime: lifetime, devicePollInterval: interval } = state.settings;
  const scopes = allowedScopes(state, exchange.parameters);
  const resources = allowedResources(state, exchange.parameters);
  const grant = { clientId: client.id, subject, scopes, resources, revoked: false };
  const device: Device = { grant, expires: state.clock() + lifetime, interval, polled: undefined, decision: undefined };
  const deviceCode = newSecret();
  const userCode = newUserCode();
  state.devices.set(deviceCode, device, lifetime + EXPIRED_IS_KNOWN);
  state.userCodes.set(userCode.replace("-", ""), device, lifetime);
  return json(200, {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: state.urls.device,
    verification_uri_complete: `${state.urls.device}?user_code=${userCode}`,
    expires_in: Math.floor(lifetime / 1_000),
    interval: Math.max(1, Math.ceil(interval / 1_000)),
  });
}

/** The page for the code, the consent page, and its form. */
export async function handleDevicePage(state: ServerState, exchange: Exchange): Promise<EndpointResponse> {
  if (exchange.method === "POST") {
    const code = takeConsent(state, exchange, "device");
    return decideDevice(state, code, exchange.parameters.get("decision") === "approve");
  }
  const code = exchange.parameters.get("user_code");
  if (code === undefined) return codePage(state);
  const { consent } = state.settings;
  if (consent !== "page") return decideDevice(state, code, consent === "approve");
  const { grant } = deviceOf(state, code);
  const client = await findClient(state, grant.clientId!); // every device has a client
  return consentPage(state, { endpoint: "device", client: client!, grant, rows: [["Code", code]], resume: code });
}

/** Records the user's decision. @throws OAuthError if no device waits with that code */
export function decideDevice(state: ServerState, userCode: string, approved: boolean): EndpointResponse {
  const device = deviceOf(state, userCode);
  device.decision ??= approved ? "approved" : "denied";
  const title = device.decision === "approved" ? "The device may go on" : "The device was refused";
  return pageResponse({ title, body: "<p>You may close this page.</p>" });
}

function deviceOf(state: ServerState, userCode: string): Device {
  const device = state.userCodes.get(userCode.toUpperCase().replace(/[^A-Z]/g, ""));
  if (device === undefined) throw new OAuthError("invalid_request", "No device waits with that code");
  return device;
}

function codePage({ urls }: ServerState): EndpointResponse {
  const action = escapeHtml(new URL(urls.device).pathname);
  const body = `<form action="${action}"><label>Code of the device <input name="user_code" autofocus></label> <button>Go on</button></form>`;
  return pageResponse({ title: "Connect a device", body });
}

function newUserCode(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(64));
  // Skips bytes that would make some letters more likely. Of 64 bytes, eight always remain in practice.
  const letters = [...bytes]
    .filter((byte) => byte < 240)
    .slice(0, 8)
    .map((byte) => LETTERS[byte % LETTERS.length]);
  return `${letters.slice(0, 4).join("")}-${letters.slice(4).join("")}`;
}
