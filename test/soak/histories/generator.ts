import { Seeded } from '../../support/seeded.js';

export const ACTS = [
  'everyone killed',
  'paused past the lease',
  'connections cut',
  'answers cut',
  'line swallows',
  'database crashed',
  'database restarted',
  'replica falls behind',
  'failed over',
  'snapshot put back',
  'dumped',
  'restored from a dump',
  'single of a row',
  'single beside',
  'payroll beside',
  'file under another name',
  'clock apart',
  'keys forgotten',
  'service spoils',
] as const;
export type Act = (typeof ACTS)[number];

const QUIET: readonly Act[] = [
  ...(['database crashed', 'replica falls behind', 'failed over', 'snapshot put back', 'dumped'] as const),
  ...([
    'restored from a dump',
    'single of a row',
    'single beside',
    'payroll beside',
    'keys forgotten',
  ] as const),
];

export type Step =
  | { readonly kind: 'kill'; readonly waitMs: number; readonly fraction: number }
  | { readonly kind: 'act'; readonly act: Act; readonly fraction: number };

export interface Chapter {
  readonly before: readonly Step[];
  readonly during: readonly Step[];
  readonly after: readonly Step[];
}

export interface StoryPlan {
  readonly seed: number;
  readonly payrolls: number;
  readonly kills: number;
  readonly acts: number;
  readonly among?: readonly Act[];
}

const WAIT_MS = { least: 20, most: 500 };

export function storyOf({ seed, payrolls, kills, acts, among = ACTS }: StoryPlan): Chapter[] {
  const random = new Seeded(seed);
  const pairs = new Pairs(random);
  const quiet = QUIET.filter((act) => among.includes(act));
  const one = (from: readonly Act[]): Step[] =>
    from.length === 0 ? [] : [{ kind: 'act', act: pairs.next(from), fraction: random.fraction() }];
  return Array.from({ length: payrolls }, (_, at) => {
    const before = random.chance(0.5) ? one(quiet) : [];
    const mine = Math.floor((kills * (at + 1)) / payrolls) - Math.floor((kills * at) / payrolls);
    const isAct = shuffled([...Array<boolean>(mine).fill(false), ...Array<boolean>(acts).fill(true)], random);
    const during = isAct.flatMap((is): Step[] =>
      is
        ? one(among)
        : [
            {
              kind: 'kill',
              waitMs: WAIT_MS.least + random.below(WAIT_MS.most - WAIT_MS.least),
              fraction: random.fraction(),
            },
          ],
    );
    return { before, during, after: random.chance(0.5) ? one(quiet) : [] };
  });
}

export function actsOf(story: readonly Chapter[]): Act[] {
  return story
    .flatMap(({ before, during, after }) => [...before, ...during, ...after])
    .flatMap((step) => (step.kind === 'act' ? [step.act] : []));
}

export function pairsIn(acts: readonly Act[]): number {
  return new Set(acts.slice(1).map((act, at) => `${acts[at]!}, ${act}`)).size;
}

class Pairs {
  readonly #counts = new Map<string, number>();
  #last: Act | null = null;

  constructor(private readonly random: Seeded) {}

  next(among: readonly Act[]): Act {
    const countOf = (act: Act): number => this.#counts.get(`${String(this.#last)}, ${act}`) ?? 0;
    const least = Math.min(...among.map(countOf));
    const act = this.random.pick(among.filter((one) => countOf(one) === least));
    this.#counts.set(`${String(this.#last)}, ${act}`, least + 1);
    this.#last = act;
    return act;
  }
}

function shuffled<T>(items: readonly T[], random: Seeded): T[] {
  return items
    .map((item) => ({ item, at: random.fraction() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
