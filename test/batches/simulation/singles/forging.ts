import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { NO_FACTS } from '../../../../src/contract/operation-facts.js';
import { openMirrors } from '../../../../src/storage/mirror/sqlite-mirrors.js';
import type { Seeded } from '../../../support/seeded.js';
import type { Machine } from '../machine.js';
import type { SimulatedWorld } from '../world.js';
import type { Intent } from './intent.js';

let forged = 0;

export async function forge(
  world: SimulatedWorld,
  machine: Machine,
  { reference, direction, amount, company, number }: Intent,
  random: Seeded,
): Promise<void> {
  const file = join(machine.state, 'feed.db');
  if (reference === null || !existsSync(file)) return;
  const status = random.pick(['confirmed', 'failed'] as const);
  const mine = world.service.ledger.filter((one) => one.intent === number);
  forged += 1;
  const own = mine.at(-1);
  const id =
    own !== undefined && random.chance(0.4)
      ? own.id
      : `99999999-0000-4000-8000-${String(forged).padStart(12, '0')}`;
  machine.changes += 1;
  const nowMs = Math.round(world.now);
  const mirrors = openMirrors(file, { uuid: () => id });
  try {
    const place = { environment: 'live', origin: 'https://api.example.test', keyPrint: '' } as const;
    for (const known of await mirrors.candidates(place, 8)) {
      const mirror = mirrors.of(known);
      const reading = await mirror.reading();
      const operation = {
        ...{ ...NO_FACTS, id, status, direction, reference, country: 'VE', currency: 'VES' },
        ...{ amount: amount.toFixed(2), createdAtMs: nowMs },
        method: direction === 'payin' ? 'direct_debit' : 'mobile_payment',
        ...{ occurredAtMs: nowMs, eventId: `forged-${id}-${String(forged)}` },
      } as const;
      await mirror.commit([operation], reading);
    }
  } finally {
    await mirrors.close();
  }
  world.say(`forged ${company} ${reference} ${status} ${id.slice(-4)}`);
}
