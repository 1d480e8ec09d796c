/** The port to the reader's time zone: how far local time is from UTC at a moment. */

export interface Zone {
  /** Minutes east of UTC at that moment (milliseconds since the epoch): -240 in Caracas, 330 in Kolkata. */
  offsetMinutes(atMs: number): number;
}

export const UTC: Zone = { offsetMinutes: () => 0 };

/** The zone of this machine, or of `TZ`. `Date` knows it without `Intl`, which would be loaded first. */
export const systemZone: Zone = { offsetMinutes: (atMs) => -new Date(atMs).getTimezoneOffset() };
