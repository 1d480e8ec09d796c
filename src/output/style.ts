/** The few tones of our output: chalk where colour is wanted, plain text elsewhere. */

export const TONES = ['good', 'bad', 'waiting', 'faint', 'strong'] as const;
export type Tone = (typeof TONES)[number];

export type Style = Readonly<Record<Tone, (text: string) => string>>;

const same = (text: string): string => text;

export const PLAIN: Style = { good: same, bad: same, waiting: same, faint: same, strong: same };

/** Chalk is loaded only where it is used; its own detection is not asked, `wantsColour` has decided. */
export async function createStyle(colour: boolean): Promise<Style> {
  if (!colour) return PLAIN;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  return { good: chalk.green, bad: chalk.red, waiting: chalk.yellow, faint: chalk.dim, strong: chalk.bold };
}
