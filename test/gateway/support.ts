/** What tests of gateways in this process begin with: a gateway and its clients, closed when the test has finished. */
import { onTestFinished } from "vitest";
import { connect, type Client, type ConnectOptions } from "tenon";
import { createGateway, type Gateway, type GatewayOptions } from "tenon/gateway";

/** A gateway whose errors are not reported. */
export function gatewayOf(options: GatewayOptions): Gateway {
  const gateway = createGateway({ onError: () => undefined, ...options });
  onTestFinished(() => gateway.close());
  return gateway;
}

/** A client of a gateway in the same process. */
export async function clientOf(gateway: Gateway, options?: ConnectOptions): Promise<Client> {
  const client = await connect(gateway, options);
  onTestFinished(() => client.close());
  return client;
}
