/** Who reads what a command lays out on standard output: how wide, in which colours, in which zone. */
import { wantsColour } from '../output/colour.js';
import type { Reader } from '../output/reader.js';
import type { Ports } from '../runtime/ports.js';
import { UTC } from '../runtime/zone.js';
import type { GlobalFlags } from './base.js';

/** @param nowMs what time it is for the service, in ms; null where it did not say */
export async function readerFor(
  { output, env, zone }: Pick<Ports, 'output' | 'env' | 'zone'>,
  flags: GlobalFlags,
  nowMs: number | null,
): Promise<Reader> {
  const { createStyle } = await import('../output/style.js');
  const style = await createStyle(wantsColour(flags['no-color'], env, output.isTTY));
  return { width: output.columns, style, zone: flags.utc ? UTC : zone, nowMs };
}
