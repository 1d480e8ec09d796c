/** Who has approved what, as somebody knows it who saw every signature being made: no code of the product decides here. */
import { readFileSync } from 'node:fs';

/** The person behind each key; one that is nobody's, or whose time is over, is not here. */
const PERSONS: Readonly<Record<string, string>> = {
  ana: 'ana',
  ana2: 'ana',
  bob: 'bob',
  carla: 'carla',
  dora: 'dora',
  maker: 'maker',
  maker2: 'maker',
  // One key under two names is one person.
  shared: 'shared',
};

/** A plan as it once stood in a file. */
export interface Written {
  readonly lines: ReadonlySet<string>;
  readonly address: string;
  readonly madeMs: number;
  readonly untilMs: number;
  /** The key that it names; null for none. */
  readonly maker: string | null;
  /** The keys that signed these very bytes, by what they signed as. */
  readonly signed: { readonly maker: Set<string>; readonly approver: Set<string> };
}

/** What holds at a moment. */
export interface Moment {
  readonly nowMs: number;
  readonly address: string;
  readonly removed: ReadonlySet<string>;
  readonly approvals: number;
  readonly allow: 'cancel' | 'all';
}

const LIFE_MS = 72 * 3_600_000;
const AHEAD_MS = 5 * 60_000;

/** True where these bytes may leave now for the first time, or again. */
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

/** What stands in a file as a plan; null where that is none. */
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
