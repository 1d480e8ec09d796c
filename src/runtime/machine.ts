/** The port to the machine's own name, by which people know who works at what. */
import { hostname } from 'node:os';

export function machineName(): string {
  return hostname();
}
