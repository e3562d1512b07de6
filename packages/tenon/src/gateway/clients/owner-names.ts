/** How the owner of a call without a principal and without a session is written: by its address, which is no name of one caller. */

const BY_ADDRESS = "address ";

/** The owner of a call of which only the address is known. */
export function ownerAt(address: string | undefined): string {
  return `${BY_ADDRESS}${address ?? "unknown"}`;
}

/** Whether an owner is one caller. Behind one address, such as a proxy, there may be many. */
export function isOneCaller(owner: string): boolean {
  return !owner.startsWith(BY_ADDRESS);
}
