import type { Zone } from '../runtime/clock.js';

const TIME_FORM = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(\.\d+)?(?:Z|([+-])(\d{2}):(\d{2}))$/;
const TIME_NAME = /(?:^|[._])at$|(?:^|\.)(?:now|new_since|valid_until)$/;
/** Metadata is shown unchanged (contract section 2.1). */
const METADATA_PATH = /(?:^|\.)metadata\./;

const MINUTE_MS = 60_000;

export function renderTime(text: string, zone: Zone): string {
  const [, clockTime = '', fraction = '', sign, hours, minutes] = TIME_FORM.exec(text) ?? [];
  const clockMs = Date.parse(`${clockTime}Z`);
  // Date.parse turns a day that does not exist, such as 30 February, into a later one.
  if (Number.isNaN(clockMs) || clockText(clockMs) !== clockTime) return text;
  const writtenOffset = Number(`${sign ?? '+'}1`) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
  const atMs = clockMs - writtenOffset * MINUTE_MS;
  const offset = zone.offsetMinutes(atMs);
  const localTime = clockText(atMs + offset * MINUTE_MS);
  return localTime.length === clockTime.length
    ? localTime.replace('T', ' ') + fraction + offsetText(offset)
    : text;
}

export function renderMember(path: string, text: string, zone: Zone): string {
  return isTimePath(path) ? renderTime(text, zone) : text;
}

export function isTimePath(path: string): boolean {
  return TIME_NAME.test(path) && !METADATA_PATH.test(path);
}

function clockText(ms: number): string {
  return new Date(ms).toISOString().replace(/\..*$/, '');
}

function offsetText(offsetMinutes: number): string {
  if (offsetMinutes === 0) return 'Z';
  const absoluteMinutes = Math.abs(offsetMinutes);
  const [hours, minutes] = [Math.floor(absoluteMinutes / 60), absoluteMinutes % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${offsetMinutes < 0 ? '-' : '+'}${hours ?? ''}${minutes ?? ''}`;
}
