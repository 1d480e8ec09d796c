/** The clock of a command about webhooks: this machine's, or the one that `--at` puts in its place. */
import * as Flags from '@oclif/core/flags';
import { Failure } from '../../runtime/failure.js';
import type { Ports } from '../../runtime/ports.js';
import { readUnixSeconds } from '../../webhook/delivery.js';

/** `--at`, with what it means to the command. */
export function atFlag(summary: string) {
  return Flags.string({ summary, helpValue: 'UNIX' });
}

/** Unix seconds now, or at the given time. @throws Failure `usage` */
export function secondsAt(ports: Ports, at: string | undefined): number {
  if (at === undefined) return Math.floor(ports.clock.now() / 1000);
  const seconds = readUnixSeconds(at);
  if (seconds === null) throw new Failure('usage', '--at must be a time in Unix seconds. Nothing was sent.');
  return seconds;
}
