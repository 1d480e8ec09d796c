import { readFileSync } from 'node:fs';

const PERSONS: Readonly<Record<string, string>> = {
  ana: 'ana',
  ana2: 'ana',
  bob: 'bob',
  carla: 'carla',
  dora: 'dora',
  maker: 'maker',
  maker2: 'maker',
  shared: 'shared',
};

export interface Written {
  readonly lines: ReadonlySet<string>;
  readonly address: string;
  readonly madeMs: number;
  readonly untilMs: number;
  readonly maker: string | null;
  readonly signed: { readonly maker: Set<string>; readonly approver: Set<string> };
}

export interface Moment {
  readonly nowMs: number;
  readonly address: string;
  readonly removed: ReadonlySet<string>;
  readonly approvals: number;
  readonly allow: 'cancel' | 'all';
}

const LIFE_MS = 72 * 3_600_000;
const AHEAD_MS = 5 * 60_000;

export function mayLeave(line: string, hasLeft: boolean, plans: Iterable<Written>, now: Moment): boolean {
  if (now.allow !== 'all') return false;
  return [...plans].some((plan) => plan.lines.has(line) && isApproved(plan, hasLeft, now));
}

function isApproved(plan: Written, hasLeft: boolean, now: Moment): boolean {
  const { maker, signed, address, madeMs, untilMs } = plan;
  if (address !== now.address) return false;
  if (madeMs > now.nowMs + AHEAD_MS || (!hasLeft && now.nowMs >= untilMs)) return false;
  if (!hasLeft && untilMs - madeMs > LIFE_MS) return false;
  if (maker !== null && (!signed.maker.has(maker) || now.removed.has(maker))) return false;
  const people = new Set(
    [...signed.approver].filter((key) => !now.removed.has(key)).flatMap((key) => PERSONS[key] ?? []),
  );
  const makerPerson = maker === null ? undefined : PERSONS[maker];
  if (makerPerson !== undefined) people.delete(makerPerson);
  return people.size >= (maker === null ? now.approvals + 1 : now.approvals);
}

export function writtenIn(path: string, keys: ReadonlyMap<string, string>): Written | null {
  const [first = '', ...rest] = readFileSync(path, 'utf8').split('\n');
  const head = JSON.parse(first) as Record<string, string | null>;
  const maker = head['maker'] ?? null;
  return {
    lines: new Set(rest.filter((line) => line !== '')),
    address: head['address'] ?? '',
    madeMs: Date.parse(head['made_at'] ?? ''),
    untilMs: Date.parse(head['valid_until'] ?? ''),
    maker: maker === null ? null : (keys.get(maker) ?? 'nobody'),
    signed: { maker: new Set(), approver: new Set() },
  };
}
