/** The rules of a reconciliation, one after the other, for arrays. The model shares nothing with the engine but the types. */
import type { FindingClass, MatchKey } from '../../../src/reconcile/finding.js';
import type { ComparedOperation, LedgerLine } from '../../../src/reconcile/line.js';
import type { MatchRules } from '../../../src/reconcile/rules.js';
import { daysApart, money, needed } from './model-money.js';

export interface L extends LedgerLine {
  readonly names: Names;
  readonly money: string | null;
  pair: O | null;
  done: boolean;
}
export interface O extends ComparedOperation {
  readonly names: Names;
  pair: L | null;
  done: boolean;
}
type Names = Readonly<Record<MatchKey, string | null>>;

export interface Expected {
  readonly class: FindingClass;
  readonly by: MatchKey | null;
  readonly here: readonly number[];
  readonly there: readonly string[];
  readonly tolerances: readonly string[];
  readonly beside: { lines: number[]; operations: string[] } | null;
}

const KEYS: readonly MatchKey[] = ['id', 'reference', 'bank_reference'];
const RANKS = ['confirmed', '?', 'pending', 'failed'];

export function expectedOf(
  given: readonly LedgerLine[],
  service: readonly ComparedOperation[],
  rules: MatchRules,
): { readonly findings: Expected[]; readonly lines: L[]; readonly operations: O[]; readonly failed: O[] } {
  const hasNegatives = given.some(({ isNegative }) => isNegative);
  const served = [...new Set(service.flatMap(({ currency }) => currency ?? []))];
  const all = given.map((one): L => {
    const direction =
      one.direction ?? (hasNegatives ? (one.isNegative ? 'payout' : 'payin') : rules.direction);
    const currency = one.currency ?? rules.currency ?? served[0] ?? null;
    return {
      ...one,
      ...{ direction, currency, names: namesOf(one), money: money(one.amount, currency) },
      ...{ pair: null, done: false },
    };
  });
  const lines = renamed(all, service).filter(
    ({ direction }) => rules.direction === null || direction === rules.direction,
  );
  const operations = service.map((one): O => ({ ...one, names: namesOf(one), pair: null, done: false }));
  lines.sort(inTurn);
  operations.sort(inTurn);
  const findings: Expected[] = [];
  const inside = ({ date }: { date: string | null }): boolean =>
    date === null || ((rules.from ?? date) <= date && date <= (rules.to ?? date));
  const put = (
    about: Omit<Expected, 'here' | 'there' | 'tolerances' | 'beside'> & Partial<Expected>,
    some: readonly L[],
    its: readonly O[],
  ): void => {
    for (const one of [...some, ...its]) one.done = true;
    if (![...some, ...its].some(inside)) return;
    const [here, there] = [some.map(({ line }) => line), its.map(({ id }) => id)];
    findings.push({ tolerances: [], beside: null, ...about, here, there });
  };
  const besides = (line: L, operation: O) => ({ beside: { lines: [line.line], operations: [operation.id] } });

  const isLive = (line: L, by: MatchKey): boolean =>
    operations.some(
      (one) =>
        one.names[by] === line.names[by] && one.status !== 'failed' && (by === 'id' || agree(line, one)),
    );
  const may = (line: L, one: O, by: MatchKey): boolean =>
    line.names[by] !== null &&
    line.names[by] === one.names[by] &&
    (by === 'id' || agree(line, one)) &&
    (one.status !== 'failed' || !isLive(line, by));
  const same = (line: L, one: O): boolean => needed(line, one, rules) !== null;
  const exact = (line: L, one: O): boolean => needed(line, one, rules)?.length === 0;
  const open = <T extends { done: boolean }>(all: readonly T[]): T[] => all.filter(({ done }) => !done);

  const contradictions = (line: L, one: O, by: MatchKey): Pick<Expected, 'beside'> | null => {
    const its = KEYS.filter(
      (key) => key !== by && line.names[key] !== null && line.names[key] !== one.names[key],
    );
    const firsts = its.flatMap(
      (key) =>
        operations
          .filter(({ names }) => names[key] === line.names[key])
          .map(({ id }) => id)
          .sort()[0] ?? [],
    );
    const isOther = its.some(
      (key) =>
        (key === 'id' && /^[0-9a-f-]{36}$/.test(line.names.id ?? '')) ||
        (key === 'reference' && one.names.reference !== null),
    );
    if (firsts.length === 0) return isOther ? { beside: null } : null;
    return { beside: { lines: [], operations: [...new Set(firsts)].sort() } };
  };

  const pair = (line: L, one: O, by: MatchKey): void => {
    [line.pair, one.pair] = [one, line];
    const tolerances = needed(line, one, rules);
    const apart = daysApart(line.date, one.date);
    const name: FindingClass =
      one.status !== 'confirmed' && one.status !== 'pending'
        ? 'status_differs'
        : tolerances === null
          ? 'amount_differs'
          : one.status === 'pending'
            ? 'pending'
            : apart > rules.days
              ? 'date_differs'
              : 'matched';
    const late = apart > 0 && apart <= rules.days ? [rules.days === 1 ? '1 day' : `${rules.days} days`] : [];
    const contradicted = contradictions(line, one, by);
    put(
      {
        class: contradicted === null ? name : 'ambiguous',
        ...{ by, tolerances: [...(tolerances ?? []), ...late], beside: contradicted?.beside ?? null },
      },
      [line],
      [one],
    );
  };

  const pairOff = (some: readonly L[], its: readonly O[], by: MatchKey): void => {
    const all = some.flatMap((line) => its.map((one) => [line, one] as const));
    const rank = ([line, one]: readonly [L, O]): number[] => {
      const apart = daysApart(line.date, one.date, true);
      const isBank =
        line.names.bank_reference !== null && line.names.bank_reference === one.names.bank_reference;
      const dayRank = Math.abs(apart) <= rules.days ? 1 + 2 * Math.abs(apart) + (apart > 0 ? 1 : 0) : 1000;
      return [rankOf(one), isBank ? 0 : dayRank, operations.indexOf(one), lines.indexOf(line)];
    };
    for (const [line, one] of all.sort((a, b) => compare(rank(a), rank(b))))
      if (!line.done && !one.done) pair(line, one, by);
  };

  const clusters = (
    some: readonly L[],
    its: readonly O[],
    belong: (line: L, one: O) => boolean,
  ): [L[], O[]][] => {
    let all = some.map((line): [L[], O[]] => [[line], its.filter((one) => belong(line, one))]);
    for (let before = -1; before !== all.length;) {
      before = all.length;
      all = all.reduce<[L[], O[]][]>((merged, next) => {
        const with_ = merged.find(([, those]) => those.some((one) => next[1].includes(one)));
        if (with_ === undefined) return [...merged, next];
        with_[0].push(...next[0]);
        with_[1].push(...next[1].filter((one) => !with_[1].includes(one)));
        return merged;
      }, []);
    }
    return all
      .filter(([, those]) => those.length > 0)
      .map(([these, those]) => [
        lines.filter((one) => these.includes(one)),
        operations.filter((one) => those.includes(one)),
      ]);
  };

  const valuesOf = (by: MatchKey): string[] => [...new Set(lines.flatMap(({ names }) => names[by] ?? []))];
  const isEqual = (all: readonly (L | O)[]): boolean =>
    new Set(all.map((one) => `${one.direction} ${money(one.amount, one.currency)}`)).size === 1;

  const pairSame = (some: readonly L[], its: readonly O[], by: MatchKey): void => {
    for (const isDirected of [true, false])
      for (const line of some) {
        if (line.done || (line.direction !== null) !== isDirected) continue;
        const meant = open(its).filter((one) => may(line, one, by) && exact(line, one));
        const peers = open(some).filter(
          (one) => one.direction === line.direction && one.money === line.money,
        );
        if (new Set(meant.map(({ direction }) => direction)).size === 1) pairOff(peers, meant, by);
      }
    for (const [these, those] of clusters(
      open(some),
      open(its),
      (line, one) => may(line, one, by) && same(line, one),
    ))
      if (isEqual(these) && isEqual(those)) pairOff(these, those, by);
  };
  const repeatsLine = (line: L, its: readonly O[], by: MatchKey): O | undefined => {
    const taken = its.filter((one) => one.pair !== null && may(line, one, by) && same(line, one));
    return taken.find((one) => money(one.amount, one.currency) === line.money) ?? taken[0];
  };
  const repeatsOperation = (one: O, some: readonly L[], by: MatchKey): L | undefined => {
    const taken = some.filter(
      (line) => one.status !== 'failed' && line.pair !== null && may(line, one, by) && same(line, one),
    );
    return taken.find((line) => money(one.amount, one.currency) === line.money) ?? taken[0];
  };
  const left = (some: readonly L[], its: readonly O[], by: MatchKey): [L[], O[]][] =>
    clusters(
      open(some).filter((line) => repeatsLine(line, its, by) === undefined),
      open(its).filter((one) => repeatsOperation(one, some, by) === undefined),
      (line, one) => may(line, one, by),
    );

  const notes = new Map<L | O, ReturnType<typeof besides>>();
  for (const isLast of [false, true])
    for (const by of KEYS)
      for (const value of valuesOf(by)) {
        const some = lines.filter(({ names }) => names[by] === value);
        const its = operations.filter(({ names }) => names[by] === value);
        pairSame(some, its, by);
        const bundles = left(some, its, by);
        const again = open(some).flatMap((line) => {
          const one = repeatsLine(line, its, by);
          return one === undefined ? [] : [[line, one] as const];
        });
        const againThere = open(its).flatMap((one) => {
          const line = repeatsOperation(one, some, by);
          return line === undefined ? [] : [[line, one] as const];
        });
        for (const [[line, ...more], [one, ...others]] of bundles)
          if (line && one && more.length + others.length === 0) pair(line, one, by);
        if (!isLast) continue;
        for (const [these, those] of bundles)
          if (!these[0]!.done) put({ class: 'ambiguous', by }, these, those);
        for (const [line, one] of again)
          put(
            {
              ...{ class: 'duplicate_here', by, tolerances: needed(line, one, rules)! },
              ...besides(one.pair!, one),
            },
            [line],
            [],
          );
        for (const [line, one] of againThere)
          put(
            {
              ...{ class: 'duplicate_there', by, tolerances: needed(line, one, rules)! },
              ...besides(line, line.pair!),
            },
            [],
            [one],
          );
        for (const line of open(some)) {
          const one = its.find((each) => each.pair !== null && may(line, each, by));
          if (one && !notes.has(line)) notes.set(line, besides(one.pair!, one));
        }
        for (const one of open(its)) {
          const line = some.find((each) => each.pair !== null && may(each, one, by));
          if (line && one.status !== 'failed' && !notes.has(one)) notes.set(one, besides(line, line.pair!));
        }
      }
  const failed = open(operations).filter(({ status }) => status === 'failed');
  for (const line of open(lines)) put({ class: 'only_here', by: null, ...notes.get(line) }, [line], []);
  for (const one of open(operations))
    if (one.status !== 'failed')
      put(
        { class: one.status === 'pending' ? 'pending' : 'only_there', by: null, ...notes.get(one) },
        [],
        [one],
      );
  return { findings, lines, operations, failed: failed.filter(inside) };
}

function renamed(lines: readonly L[], service: readonly ComparedOperation[]): readonly L[] {
  const valuesIn = (some: readonly { readonly names: Names }[], key: MatchKey): Set<string> =>
    new Set(some.flatMap(({ names }) => names[key] ?? []));
  const its = service.map((one) => ({ names: namesOf(one) }));
  const empty = KEYS.filter((key) => valuesIn(lines, key).size === 0);
  for (const from of KEYS)
    for (const to of empty) {
      const values = [...valuesIn(lines, from)];
      const isOwn = values.every((value) => valuesIn(its, from).has(value));
      if (isOwn || !values.every((value) => valuesIn(its, to).has(value))) continue;
      return lines.map((line) => ({
        ...line,
        names: { ...line.names, [to]: line.names[from], [from]: null },
      }));
    }
  return lines;
}

function agree(line: L, one: O): boolean {
  return line.direction === null || line.direction === one.direction;
}

function rankOf(one: object): number {
  if (!('status' in one)) return 0;
  const at = RANKS.indexOf(String(one.status));
  return at === -1 ? 1 : at;
}

function inTurn(one: L | O, other: L | O): number {
  const tuple = (each: L | O): (string | number)[] => [
    rankOf(each),
    each.date ?? '9999',
    JSON.stringify(KEYS.map((key) => each.names[key])),
    kindOf(each),
    'line' in each ? each.line : 0,
  ];
  return compare(tuple(one), tuple(other));
}

function kindOf({ direction, amount, currency }: L | O): string {
  const way = ['payin', 'payout', null].indexOf(direction);
  const plain = amount?.includes('.') ? amount.replace(/0+$/, '').replace(/\.$/, '') : amount;
  return `${way} ${plain ?? '-'} ${currency ?? '-'}`;
}

function compare(one: readonly (string | number)[], other: readonly (string | number)[]): number {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at === -1 ? 0 : one[at]! < other[at]! ? -1 : 1;
}

function namesOf({
  id,
  reference,
  bankReference,
}: Pick<LedgerLine, 'id' | 'reference' | 'bankReference'>): Names {
  const folded = (text: string | null): string | null => {
    const plain = (text ?? '')
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[–−]/g, '-')
      .replace(/\s+/g, ' ')
      .trim();
    return plain === '' ? null : plain;
  };
  return { id: folded(id), reference: folded(reference), bank_reference: folded(bankReference) };
}
