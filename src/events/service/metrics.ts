/** How a run that follows the feed stands, as Prometheus reads it (text format 0.0.4). Pure; no label holds anything that came from outside. */
import type { Facts } from './standing.js';
import type { HealthVerdict } from './verdict.js';

type Kind = 'counter' | 'gauge';
type Metric = readonly [name: string, kind: Kind, help: string, value: number | null];

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** What has no value yet is left out. */
export function metricsText(facts: Facts, { health }: HealthVerdict, maxLagMs: number): string {
  const { checkpoint } = facts;
  const metrics: readonly Metric[] = [
    ['svc_healthy', 'gauge', '1 while /healthz answers 200, else 0.', health === 'ok' ? 1 : 0],
    ['svc_events_accepted_total', 'counter', 'Events that were accepted.', facts.accepted],
    [
      'svc_attempts_retried_total',
      'counter',
      'Attempts to hand over an event that was refused before.',
      facts.retried,
    ],
    ['svc_attempts_refused_total', 'counter', 'Attempts that ended without being accepted.', facts.refused],
    [
      'svc_lag_seconds',
      'gauge',
      'How far the newest accepted event may be behind the newest of the feed.',
      seconds(facts.lagMs),
    ],
    [
      'svc_lag_events',
      'gauge',
      'Events that were read but not accepted yet. There may be more.',
      facts.lagEvents,
    ],
    ['svc_max_lag_seconds', 'gauge', 'The lag from which /healthz answers 503.', seconds(maxLagMs)],
    [
      'svc_last_accepted_timestamp_seconds',
      'gauge',
      'When an event was last accepted, on the clock of this machine.',
      seconds(facts.acceptedAtMs),
    ],
    [
      'svc_last_answer_timestamp_seconds',
      'gauge',
      'When the service last answered a page, on the clock of this machine.',
      seconds(facts.answeredAtMs),
    ],
    [
      'svc_checkpoint_age_seconds',
      'gauge',
      'How long something accepted has been missing in the checkpoint. 0 if nothing is.',
      seconds(checkpoint?.ageMs ?? null),
    ],
    [
      'svc_checkpoint_saved_timestamp_seconds',
      'gauge',
      'When the checkpoint was last saved, on the clock of this machine.',
      seconds(checkpoint?.savedAtMs ?? null),
    ],
  ];
  return metrics.map(textOf).join('');
}

function textOf([name, kind, help, value]: Metric): string {
  return value === null ? '' : `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${name} ${String(value)}\n`;
}

function seconds(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms) / 1000;
}
