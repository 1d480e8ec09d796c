/** The printer of a command whose output is JSON everywhere, on a terminal too, unless its own command line asks otherwise. */
import type { Ports } from '../../runtime/ports.js';
import type { GlobalFlags } from '../command.js';
import { printerOfAnything, type Printer } from './printer.js';

/** @throws Failure `usage` for an output that does not suit it, or a filter that does not compile */
export function printerOfJson(ports: Ports, flags: GlobalFlags): Promise<Printer> {
  const isAsked = flags.output !== undefined || flags.jq !== undefined;
  return printerOfAnything(ports, isAsked ? flags : { ...flags, output: 'json' });
}
