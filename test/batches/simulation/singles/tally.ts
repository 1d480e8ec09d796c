import { type Family, type SinglesOutcome, playSingles } from './history.js';
import { programOf } from './programs.js';

export const NEVER = {
  twice: 'histories with somebody paid twice',
  lost: 'histories with something lost',
  lied: 'histories with a word that was never true',
  'shown another operation': 'histories with an operation that nobody asked for',
  'paid though nobody meant it': 'histories with a payment that nobody meant',
} as const;

const STUCK = 'histories that somebody else has to end';

export interface Sum {
  readonly counts: Record<string, number>;
  readonly faults: string[];
  readonly stuck: string[];
}

export async function sumOf(
  family: Family,
  { first, count }: { readonly first: number; readonly count: number },
  onFault: (text: string) => void = () => undefined,
): Promise<Sum> {
  const sum: Sum = { counts: {}, faults: [], stuck: [] };
  const program = await programOf(family);
  for (let seed = first; seed < first + count; seed += 1) {
    const outcome = await playSingles(family, seed, program);
    add(sum.counts, outcome);
    const { tally, world } = outcome;
    const told = [`SEED=${String(seed)} ${family}: ${JSON.stringify([...tally])}`, ...world.log].join('\n');
    if (tally.has('stuck')) sum.stuck.push(told);
    if (!Object.keys(NEVER).some((name) => tally.has(name))) continue;
    sum.faults.push(told);
    onFault(told);
  }
  return sum;
}

function add(counts: Record<string, number>, { tally, world, intents }: SinglesOutcome): void {
  const more = (name: string, count: number): void => void (counts[name] = (counts[name] ?? 0) + count);
  more('histories', 1);
  more('payments meant', intents);
  more('command lines', world.commands);
  more('operations', world.service.ledger.length);
  more('kills', world.refusals['killed'] ?? 0);
  for (const [name, counted] of Object.entries(NEVER)) more(counted, Number(tally.has(name)));
  for (const [name, count] of tally)
    if (!(name in NEVER)) more(name === 'stuck' ? STUCK : `met: ${name}`, count);
}
