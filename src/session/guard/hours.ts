import { DAYS, type Day, type DayTime } from '../../runtime/time-zone.js';

export interface Hours {
  readonly timezone: string;
  readonly days: readonly Day[];
  readonly from: string;
  readonly to: string;
}

export function isInHours({ days, from, to }: Hours, { day, time }: DayTime): boolean {
  return days.includes(day) && time >= from && time < to;
}

export function hoursText({ timezone, days, from, to }: Hours): string {
  return `${DAYS.filter((day) => days.includes(day)).join(', ')} ${from} to ${to} ${timezone}`;
}
