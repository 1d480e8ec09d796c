import type { Zone } from '../runtime/clock.js';

export const TONES = ['good', 'bad', 'waiting', 'faint', 'strong', 'accent', 'alert'] as const;
export type Tone = (typeof TONES)[number];

export type Mark = 'good' | 'bad' | 'waiting';

export type Style = Readonly<Record<Tone, (text: string) => string>> & {
  readonly marks: Readonly<Record<Mark | 'alert', string>>;
  readonly bar: readonly [done: string, open: string];
};

const MARKS: Style['marks'] = { good: '✓', bad: '✗', waiting: '○', alert: '▲' };
const BAR: Style['bar'] = ['█', '░'];
const ASCII_MARKS: Style['marks'] = { good: '+', bad: 'x', waiting: 'o', alert: '!' };
const ASCII_BAR: Style['bar'] = ['#', '.'];
const ASCII_TERMINALS: readonly (string | undefined)[] = ['dumb', 'linux'];

export const PLAIN: Style = {
  ...{ good: String, bad: String, waiting: String, faint: String, strong: String, accent: String },
  alert: String,
  marks: MARKS,
  bar: BAR,
};

export async function createStyle(hasColour: boolean, term?: string): Promise<Style> {
  const isAscii = ASCII_TERMINALS.includes(term);
  const signs = isAscii ? { marks: ASCII_MARKS, bar: ASCII_BAR } : { marks: MARKS, bar: BAR };
  if (!hasColour) return isAscii ? { ...PLAIN, ...signs } : PLAIN;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  return {
    good: chalk.green,
    bad: chalk.red,
    // Yellow cannot be read on a light background.
    waiting: chalk.magenta,
    faint: chalk.dim,
    strong: chalk.bold,
    accent: chalk.bold.blue,
    alert: chalk.bold.red.inverse,
    ...signs,
  };
}

export type ColourEnvironment = Readonly<
  Partial<Record<'NO_COLOR' | 'FORCE_COLOR' | 'TERM', string | undefined>>
>;

export function isColourWanted(noColourFlag: boolean, env: ColourEnvironment, isTTY: boolean): boolean {
  if (noColourFlag) return false;
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return isTTY && env.TERM !== 'dumb';
}

export function liveTitle(style: Style): string {
  const title = ` ${style.marks.alert} LIVE: real money. `;
  return `${style.alert(title)}\n${style.faint((style.marks.alert === '!' ? '=' : '━').repeat(title.length))}`;
}

export interface Reader {
  readonly width: number;
  readonly style: Style;
  readonly zone: Zone;
  readonly nowMs: number | null;
}
