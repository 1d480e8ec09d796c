/** Who reads what a command lays out on standard output: how wide, in which colours, in which zone. */
import { terminalName } from '../line/interaction.js';
import { wantsColour, type Reader, type Style } from '../../output/style.js';
import type { Ports } from '../../runtime/ports.js';
import { UTC } from '../../runtime/clock.js';
import type { GlobalFlags } from '../command.js';

/** The look of standard error. */
export async function styleForErrors(
  { errors, env }: Pick<Ports, 'errors' | 'env'>,
  flags: Pick<GlobalFlags, 'no-color'>,
): Promise<Style> {
  const { createStyle } = await import('../../output/style.js');
  return createStyle(wantsColour(flags['no-color'], env, errors.isTTY), terminalName({ env }));
}

/** The look of standard output. */
export async function styleFor(
  { output, env }: Pick<Ports, 'output' | 'env'>,
  flags: GlobalFlags,
): Promise<Style> {
  const { createStyle } = await import('../../output/style.js');
  return createStyle(wantsColour(flags['no-color'], env, output.isTTY), terminalName({ env }));
}

/** @param nowMs what time it is for the service, in ms; null where it did not say */
export async function readerFor(
  ports: Pick<Ports, 'output' | 'env' | 'zone'>,
  flags: GlobalFlags,
  nowMs: number | null,
): Promise<Reader> {
  const style = await styleFor(ports, flags);
  return { width: ports.output.columns, style, zone: flags.utc ? UTC : ports.zone, nowMs };
}
