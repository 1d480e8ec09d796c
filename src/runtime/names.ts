/** The port to name resolution: from a host's name to the addresses it has now. */
import { lookup } from 'node:dns/promises';

/** All addresses, in the order in which the system prefers them. @throws the system's error where there is none */
export type ResolveName = (name: string) => Promise<readonly string[]>;

export const systemNames: ResolveName = async (name) =>
  (await lookup(name, { all: true })).map(({ address }) => address);
