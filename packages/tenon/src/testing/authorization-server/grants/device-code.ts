/** The device code grant: the response to a device before and after its user decides (RFC 8628 section 3.5). */
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { refreshableResponse } from "../tokens/issue-tokens.ts";
import { OAuthError } from "../oauth-error.ts";
import { resourcesWithin } from "../tokens/permissions.ts";
import type { Device, ServerState } from "../state.ts";
import type { TokenRequest } from "./grant.ts";

/** Milliseconds that are added to the interval of a device that polls too often. */
const SLOWER = 5_000;

export async function exchangeDeviceCode(state: ServerState, { client, exchange, key }: TokenRequest): Promise<JsonObject> {
  const { parameters } = exchange;
  const name = parameters.required("device_code");
  const device = state.devices.get(name);
  if (device === undefined || device.grant.clientId !== client.id) {
    throw new OAuthError("invalid_grant", "The device code is unknown, was used, or is another client's");
  }
  if (device.expires <= state.clock()) throw new OAuthError("expired_token", "The device code is too old");
  assertPatience(state, device);
  if (device.decision === "denied") throw new OAuthError("access_denied", "The user refused");
  if (device.decision === undefined) throw new OAuthError("authorization_pending", "The user has not decided yet");
  const { grant } = device;
  const resources = resourcesWithin(state, grant, parameters);
  state.devices.take(name);
  return refreshableResponse(state, { grant, scopes: grant.scopes, resources, key }, client);
}

function assertPatience({ clock }: ServerState, device: Device): void {
  const now = clock();
  const early = device.polled !== undefined && now - device.polled < device.interval;
  device.polled = now;
  if (!early) return;
  device.interval += SLOWER;
  throw new OAuthError("slow_down", `Ask every ${Math.ceil(device.interval / 1_000)} s, not more often`);
}
