import { command } from '../../command/command.js';

export const DOCTOR = command({
  summary: 'Check settings, connection, clock, key and open work.',
  prints: 'CheckUp',
  examples: ['svc doctor', 'svc doctor --jq \'.checks[] | select(.status != "ok")\''],
  exits: [10, 11],
  run: async (run) => (await import('./examine.js')).examine(run),
});
