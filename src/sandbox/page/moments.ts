/** The life of an operation as moments on one line of time. Pure. */
import type { Logged } from '../log/logged.js';
import { duration } from './format.js';
import { hrefOf } from './route.js';
import type { DeliveryJson, Listed } from './types.js';

export const LANES = ['state', 'request', 'event', 'delivery'] as const;
export type Lane = (typeof LANES)[number];

export interface LifeMoment {
  readonly at: string;
  readonly lane: Lane;
  readonly text: string;
  readonly href?: string;
  readonly isBad?: boolean;
}

/** What happened in the same second happened in this order. */
const ORDER: readonly Lane[] = ['request', 'state', 'event', 'delivery'];

export function momentsOf(
  { operation, events = [] }: Listed,
  requests: readonly Logged[],
  deliveries: readonly DeliveryJson[],
): LifeMoment[] {
  const {
    status,
    pending_reason: reason,
    failure,
    confirmed_at: confirmedAt,
    updated_at: updatedAt,
  } = operation;
  const ended = status === 'confirmed' ? (confirmedAt ?? updatedAt) : updatedAt;
  const state: LifeMoment[] = [
    { at: operation.created_at, lane: 'state', text: 'created' },
    status === 'pending'
      ? { at: updatedAt, lane: 'state', text: `pending, ${reason ?? ''}` }
      : {
          ...{ at: ended, lane: 'state', isBad: status === 'failed' },
          text: failure === null ? status : `${status}: ${failure.code} / ${failure.reason}`,
        },
  ];
  const all: LifeMoment[] = [
    ...state,
    ...requests.map(({ id, at, method, path, status: answered, refused }): LifeMoment => ({
      ...{ at, lane: 'request', href: hrefOf('requests', id), isBad: answered === null || answered >= 400 },
      text: `${method} ${path.replace(/^(\/sandbox)?\/v2/, '')} ${String(answered ?? 'cut')}${refused === null ? '' : `: ${refused}`}`,
    })),
    ...events.map(({ type, occurred_at: at }): LifeMoment => ({ at, lane: 'event', text: type })),
    ...deliveries.flatMap(({ id, attempts }) =>
      attempts.map(({ at, status: answered, error }): LifeMoment => ({
        ...{ at, lane: 'delivery', href: hrefOf('webhooks', id) },
        ...{ isBad: answered === null || answered < 200 || answered > 299 },
        text: `delivery ${String(answered ?? error ?? '')}`,
      })),
    ),
  ];
  const time = ({ at }: LifeMoment): number => Math.floor(Date.parse(at) / 1000);
  return all.sort((a, b) => time(a) - time(b) || ORDER.indexOf(a.lane) - ORDER.indexOf(b.lane));
}

export interface PlacedMoment extends LifeMoment {
  /** Of its middle, from the top. */
  readonly y: number;
  /** How long after the one before, where that is worth a word. */
  readonly gap: string | null;
}

export const ROW = 36;
const GAP_FROM_MS = 2000;

/** A longer time is a longer way, by its logarithm: seconds and days stand in one picture. */
export function placed(moments: readonly LifeMoment[]): readonly PlacedMoment[] {
  let [y, beforeMs] = [ROW / 2, NaN];
  return moments.map((moment, index) => {
    const ms = Date.parse(moment.at);
    const gapMs = ms - beforeMs;
    const isLong = gapMs >= GAP_FROM_MS;
    if (index > 0) y += ROW + (isLong ? 4 + Math.round(Math.log10(gapMs / 1000) * 6) : 0);
    beforeMs = ms;
    return { ...moment, y, gap: isLong ? duration(gapMs) : null };
  });
}
