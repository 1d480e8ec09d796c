/** A worker at a batch that several send, which a test has in its hand. */
import type { Stop } from '../../../src/bulk/run/brake.js';
import type { Control, Worker } from '../../../src/bulk/store/worker.js';

/** A worker whose lease is good until the test says otherwise. */
export class Lent implements Worker {
  readonly late = 0;
  ratePerSecond: number | null = null;
  timeMs: number | null = null;
  isGood = true;
  silentRows = 0;
  readonly stops: Stop[] = [];
  readonly pauses: number[] = [];
  onControl: (control: Control) => void = () => undefined;
  mayLeave = (): Promise<void> => Promise.resolve();
  listen = (onControl: (control: Control) => void): void => void (this.onControl = onControl);
  pause = (ms: number): Promise<void> => Promise.resolve(void this.pauses.push(ms));
  slot = (): Promise<number> => Promise.resolve(-Infinity);
  silent = (rows: number): void => void (this.silentRows = rows);
  stop = (stop: Stop): Promise<void> => Promise.resolve(void this.stops.push(stop));
  end = (): Promise<void> => Promise.resolve();
}
