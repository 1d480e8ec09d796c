import { Time } from './parts.js';
import { pagePath, queryText, type DeliveryJson, type Lists, type OperationItem } from './answers.js';
import { ownerOf } from './call.js';
import { companies, useControl } from './server.js';
import { NoUrlWarning } from './webhooks.js';
import type { LogRow } from '../log/logged.js';
import { capitalize, durationText } from './format.js';
import { hrefOf } from './route.js';

const LANES = ['state', 'request', 'event', 'delivery'] as const;
type Lane = (typeof LANES)[number];

interface LifeMoment {
  readonly at: string;
  readonly lane: Lane;
  readonly text: string;
  readonly href?: string;
  readonly isBad?: boolean;
}

const LANE_ORDER: readonly Lane[] = ['request', 'state', 'event', 'delivery'];

function momentsOf(
  { operation, events = [] }: OperationItem,
  requests: readonly LogRow[],
  deliveries: readonly DeliveryJson[],
): LifeMoment[] {
  const { status, pending_reason: reason, failure } = operation;
  const endText = failure === null ? status : `${status}: ${failure.code} / ${failure.reason}`;
  const moments: LifeMoment[] = [
    { at: operation.created_at, lane: 'state', text: 'created' },
    {
      at: operation.confirmed_at ?? operation.updated_at,
      lane: 'state',
      isBad: status === 'failed',
      text: reason === null ? endText : `${status}, ${reason}`,
    },
    ...requests.map(({ id, at, method, path, status: code, refused, fault }): LifeMoment => ({
      at,
      lane: 'request',
      href: hrefOf('requests', id),
      isBad: code === null || code >= 400,
      text: `${method} ${path.replace(/^(\/sandbox)?\/v2/, '')} ${String(code ?? 'cut')}${fault === null ? '' : ` (fault: ${fault})`}${refused === null ? '' : `: ${refused}`}`,
    })),
    ...events.map(({ id, type, occurred_at: at }): LifeMoment => {
      const delivery = deliveries.find(({ event_id: event }) => event === id);
      return {
        at,
        lane: 'event',
        text: delivery === undefined ? `${type}, delivered to nobody` : type,
        ...(delivery !== undefined && { href: hrefOf('webhooks', delivery.id) }),
      };
    }),
    ...deliveries.flatMap(({ id, attempts }) =>
      attempts.map(({ at, status: code, error, fault }): LifeMoment => ({
        ...{ at, lane: 'delivery', href: hrefOf('webhooks', id) },
        isBad: code === null || code < 200 || code > 299,
        text: `delivery: ${String(code ?? error ?? '')}${fault === undefined ? '' : ` (fault: ${fault})`}`,
      })),
    ),
  ];
  const time = ({ at }: LifeMoment): number => Math.floor(Date.parse(at) / 1000);
  return moments.sort((a, b) => time(a) - time(b) || LANE_ORDER.indexOf(a.lane) - LANE_ORDER.indexOf(b.lane));
}

interface PlacedMoment extends LifeMoment {
  readonly y: number;
  readonly gap: string | null;
}

const ROW_PX = 36;
const GAP_MIN_MS = 2000;

function placeMoments(moments: readonly LifeMoment[]): readonly PlacedMoment[] {
  let [y, beforeMs] = [ROW_PX / 2, NaN];
  return moments.map((moment, index) => {
    const ms = Date.parse(moment.at);
    const gapMs = ms - beforeMs;
    const isLong = gapMs >= GAP_MIN_MS;
    if (index > 0) y += ROW_PX + (isLong ? 4 + Math.round(Math.log10(gapMs / 1000) * 6) : 0);
    beforeMs = ms;
    return { ...moment, y, gap: isLong ? durationText(gapMs) : null };
  });
}

const LANE_PX = 22;
const WIDTH = LANES.length * LANE_PX;
const REQUESTS_MAX = 40;
const DELIVERIES_MAX = 200;

const MARK_SHAPES: Readonly<Record<Lane, string>> = {
  state: 'M-5-5h10v10h-10z',
  request: 'M-5.5 0a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0-11 0',
  event: 'M0-6.5L6.5 0 0 6.5-6.5 0z',
  delivery: 'M-5-6L6 0-5 6z',
};

export function History({ entry }: { readonly entry: OperationItem }) {
  const requests = useRows('requests', REQUESTS_MAX, entry.id, entry.requests ?? []);
  const deliveries = useRows('deliveries', DELIVERIES_MAX, entry.id, entry.deliveries ?? []);
  const moments = placeMoments(momentsOf(entry, requests, deliveries));
  const owner = ownerOf(companies.value, entry);
  return (
    <section aria-labelledby="life">
      <h3 id="life">History</h3>
      {owner !== undefined && <NoUrlWarning company={owner} />}
      <p class="legend">
        {LANES.map((lane) => (
          <span key={lane}>
            <svg viewBox="-8 -8 16 16" aria-hidden="true">
              <path class={lane} d={MARK_SHAPES[lane]} />
            </svg>
            {capitalize(lane)}
          </span>
        ))}
      </p>
      <div class="life">
        <Picture moments={moments} />
        <ol>
          {moments.map((moment, index) => (
            <li key={index} style={{ top: `${String(moment.y - ROW_PX / 2)}px` }}>
              <span class="hidden">{capitalize(moment.lane)}: </span>
              <span class="what" dir="auto" title={moment.text}>
                {moment.href === undefined ? moment.text : <a href={moment.href}>{moment.text}</a>}
              </span>
              <span class="when">
                {moment.gap !== null && <span class="gap">+{moment.gap}</span>}
                <Time iso={moment.at} />
              </span>
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}

function useRows<Name extends 'requests' | 'deliveries'>(
  name: Name,
  limit: number,
  operation: string,
  ids: readonly unknown[],
): readonly Lists[Name][] {
  const path = ids.length === 0 ? null : pagePath(name, { limit }, queryText({ operation }));
  const page = useControl(path, ...(name === 'deliveries' ? [name] : []));
  return page?.[name].toReversed() ?? [];
}

function Picture({ moments }: { readonly moments: readonly PlacedMoment[] }) {
  const height = (moments.at(-1)?.y ?? 0) + ROW_PX / 2;
  const x = (lane: Lane): number => (LANES.indexOf(lane) + 0.5) * LANE_PX;
  return (
    <svg width={WIDTH} height={height} viewBox={`0 0 ${String(WIDTH)} ${String(height)}`} aria-hidden="true">
      {LANES.map((lane) => {
        const ownMoments = moments.filter((moment) => moment.lane === lane);
        const [first, last] = [ownMoments[0], ownMoments.at(-1)];
        if (first === undefined || last === undefined) return null;
        const end = lane === 'state' ? height - 4 : last.y;
        return <path key={lane} class="lane" d={`M${String(x(lane))} ${String(first.y)}V${String(end)}`} />;
      })}
      {moments.map(({ lane, y, isBad }, index) => (
        <g key={index} transform={`translate(${String(x(lane))} ${String(y)})`}>
          <path class="lead" d={`M9 0H${String(WIDTH - x(lane))}`} />
          <path class={isBad === true ? `${lane} bad` : lane} d={MARK_SHAPES[lane]} />
        </g>
      ))}
    </svg>
  );
}
