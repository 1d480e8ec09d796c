export const SHARED = 'shared';

type Texts<Names extends string> = Readonly<Record<Names, string>>;

export type Happening =
  /** No promise is about the key: it is for a person who reads a stored story. */
  | { readonly kind: 'sent'; readonly reference: string; readonly key: string }
  | { readonly kind: 'paid'; readonly reference: string; readonly amount: string; readonly operation: string }
  | ({ readonly kind: 'row'; readonly operation: string | null } & Texts<
      'store' | 'book' | 'reference' | 'state'
    >)
  | ({ readonly kind: 'status'; readonly settled: number; readonly began: number } & Texts<'store' | 'book'>)
  /** The store may have forgotten acknowledged changes, so its counts start again here. */
  | { readonly kind: 'forgot'; readonly store: string }
  | { readonly kind: 'befell'; readonly what: string }
  | { readonly kind: 'ended'; readonly book: string; readonly said: string | null };

export type History = readonly Happening[];

export interface Asked {
  readonly reference: string;
  readonly amount: string;
  readonly book: string;
}

export const NAMES = {
  twice: 'references paid twice',
  lost: 'references lost',
  invented: 'payments nobody asked for',
  lied: 'results of payments that nobody made',
  changed: 'acknowledged results lost again',
  back: 'status lines out of order',
  stuck: 'payrolls that never ended',
};

export type Findings = Readonly<Record<keyof typeof NAMES, readonly string[]>>;

const SETTLED: readonly string[] = ['confirmed', 'earlier'];

interface Told {
  readonly results: Map<string, string>;
  readonly counts: Map<string, { readonly settled: number; readonly at: number }[]>;
}

export function judge(history: History, asked: readonly Asked[]): Findings {
  const payments = new Map<string, string[]>();
  const told = new Map<string, Told>();
  const since = new Map<string, number>();
  const ends = new Map<string, string | null>();
  const amounts = new Map(asked.map(({ reference, amount }) => [reference, amount]));
  const [invented, lied, changed, back]: [string[], string[], string[], string[]] = [[], [], [], []];
  const ofStore = (store: string): Told => {
    const there = told.get(store) ?? { results: new Map(), counts: new Map() };
    told.set(store, there);
    return there;
  };
  for (const [at, one] of history.entries()) {
    if (one.kind === 'paid') {
      payments.set(one.reference, [...(payments.get(one.reference) ?? []), one.operation]);
      if (amounts.get(one.reference) !== one.amount) invented.push(`${one.reference} ${one.amount}`);
    } else if (one.kind === 'forgot') {
      told.delete(one.store);
      since.set(one.store, at);
    } else if (one.kind === 'ended') ends.set(one.book, one.said);
    else if (one.kind === 'row') {
      const { results } = ofStore(one.store);
      const name = `${one.book}, ${one.reference}`;
      const said = `${one.state} ${one.operation ?? ''}`;
      const before = results.get(name);
      if (before !== undefined && before !== said) changed.push(`${name}: ${before}, then ${said}`);
      if (!SETTLED.includes(one.state)) continue;
      results.set(name, said);
      if (one.operation === null || payments.get(one.reference)?.includes(one.operation) !== true)
        lied.push(`${name}: ${said}`);
    } else if (one.kind === 'status' && one.began > (since.get(one.store) ?? -1)) {
      const { counts } = ofStore(one.store);
      const before = counts.get(one.book) ?? [];
      // Of two questions asked at the same time, either answer may be the older one.
      const most = before.filter((each) => each.at < one.began).map(({ settled }) => settled);
      if (one.settled < Math.max(0, ...most))
        back.push(`${one.book}: ${String(Math.max(...most))}, then ${String(one.settled)}`);
      counts.set(one.book, [...before, { settled: one.settled, at }]);
    }
  }
  const paid = (reference: string): number => payments.get(reference)?.length ?? 0;
  const isLost = ({ reference, book }: Asked) => ends.get(book) === null && paid(reference) === 0;
  return {
    ...{ invented, lied, changed, back },
    twice: [...payments.keys()].filter((reference) => paid(reference) > 1),
    lost: asked.filter(isLost).map(({ reference }) => reference),
    stuck: [...ends].flatMap(([book, said]) => (said === null ? [] : [`${book}: ${said}`])),
  };
}

const EACH = Object.entries(NAMES) as [keyof Findings, string][];

export const countsOf = (findings: Findings): Record<string, number> =>
  Object.fromEntries(EACH.map(([name, said]) => [said, findings[name].length]));

export const linesOf = (findings: Findings): string[] =>
  EACH.flatMap(([name, said]) => findings[name].map((what) => `${said}: ${what}`));
