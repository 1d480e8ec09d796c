/** `svc doctor`: what is set, from where, and whether it works. */
import * as Flags from '@oclif/core/flags';
import { command } from '../cli/command.js';

export const DOCTOR = command({
  summary: 'Check settings, connection, clock, key and open work.',
  prints: 'CheckUp',
  examples: [
    'svc doctor',
    'svc doctor --jq \'.checks[] | select(.status != "ok")\'',
    'svc doctor --contract',
  ],
  exits: [10, 11],
  flags: {
    contract: Flags.boolean({
      summary: 'Also compare the answers of the service with the contract; reads only',
    }),
  },
  run: async ({ ports, flags }) => (await import('./doctor/examination.js')).examine(ports, flags),
});
