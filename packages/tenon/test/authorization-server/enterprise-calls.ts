/** One call of a protected server with a given token. */
import { connect } from "tenon";
import { bearerToken } from "tenon/auth";

/** The status of a first request with this token: 200, or what refuses it. */
export async function initializeWith(url: string, token: string): Promise<number> {
  const client = await connect(url, { auth: bearerToken(token) });
  await client.callTool("whoami");
  await client.close();
  return 200;
}
