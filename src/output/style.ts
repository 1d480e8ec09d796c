/**
 * The look of our output, all of it: a few tones and marks that hold on light and dark, in 16 colours and in none; whether there is
 * colour; and who reads.
 */
import type { Zone } from '../runtime/clock.js';

export const TONES = ['good', 'bad', 'waiting', 'faint', 'strong', 'accent', 'alert'] as const;
export type Tone = (typeof TONES)[number];

/** How something stands, said without colour too. */
export type Mark = 'good' | 'bad' | 'waiting';

export type Style = Readonly<Record<Tone, (text: string) => string>> & {
  /** `alert` stands before what nobody should miss. */
  readonly marks: Readonly<Record<Mark | 'alert', string>>;
  /** A cell of a bar that is done, and one that is not. */
  readonly bar: readonly [done: string, open: string];
};

const MARKS: Style['marks'] = { good: '✓', bad: '✗', waiting: '○', alert: '▲' };
const BAR: Style['bar'] = ['█', '░'];
/** Terminals whose fonts may have nothing but ASCII. */
const ASCII_MARKS: Style['marks'] = { good: '+', bad: 'x', waiting: 'o', alert: '!' };
const ASCII_BAR: Style['bar'] = ['#', '.'];
const ASCII_TERMINALS: readonly (string | undefined)[] = ['dumb', 'linux'];

const same = (text: string): string => text;

export const PLAIN: Style = {
  ...{ good: same, bad: same, waiting: same, faint: same, strong: same, accent: same, alert: same },
  marks: MARKS,
  bar: BAR,
};

/**
 * Chalk is loaded only where it is used; its own detection is not asked, `wantsColour` has decided.
 * @param term the terminal's name (`TERM`), where it is known
 */
export async function createStyle(colour: boolean, term?: string): Promise<Style> {
  const isAscii = ASCII_TERMINALS.includes(term);
  const signs = isAscii ? { marks: ASCII_MARKS, bar: ASCII_BAR } : { marks: MARKS, bar: BAR };
  if (!colour) return isAscii ? { ...PLAIN, ...signs } : PLAIN;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  return {
    good: chalk.green,
    bad: chalk.red,
    // Yellow cannot be read on a light background, and black or white on one of the two.
    waiting: chalk.magenta,
    faint: chalk.dim,
    strong: chalk.bold,
    accent: chalk.bold.blue,
    // Swapped with the background, whichever that is.
    alert: chalk.bold.red.inverse,
    ...signs,
  };
}

export interface ColourEnvironment {
  readonly NO_COLOR?: string | undefined;
  readonly FORCE_COLOR?: string | undefined;
  readonly TERM?: string | undefined;
}

/**
 * The more explicit wins: the flag, then NO_COLOR (any value but an empty one), then FORCE_COLOR
 * (`0` and `false` forbid, anything else forces), then TERM=dumb, then whether the stream is a terminal.
 */
export function wantsColour(noColourFlag: boolean, env: ColourEnvironment, isTTY: boolean): boolean {
  if (noColourFlag) return false;
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return isTTY && env.TERM !== 'dumb';
}

/** The line before a question about real money, marked and with a rule under it: it stands out without colour too. No line end. */
export function liveTitle(style: Style): string {
  const title = ` ${style.marks.alert} LIVE: real money. `;
  return `${style.alert(title)}\n${style.faint((style.marks.alert === '!' ? '=' : '━').repeat(title.length))}`;
}

/** Who reads a view, and when: plain data, so that a view is a pure function of an answer and its reader. */
export interface Reader {
  /** Columns of the terminal. */
  readonly width: number;
  readonly style: Style;
  readonly zone: Zone;
  /** What time it was for the service when it answered, in ms; null where it did not say: then nothing is counted down. */
  readonly nowMs: number | null;
}
