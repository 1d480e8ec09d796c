/** The port to the machine's own name and its user's, by which people know who works at what. */
import { hostname, userInfo } from 'node:os';

export function machineName(): string {
  return hostname();
}

/** Null where nobody knows: a container may run as a number. */
export function userName(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}
