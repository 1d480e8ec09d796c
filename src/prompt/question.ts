/** One question of the dialogue, and what somebody meant by an answer to it. Pure. */

export interface Option {
  readonly value: string;
  readonly label: string;
}

export interface Question {
  readonly path: string;
  readonly label: string;
  /** Null for a text. */
  readonly options: readonly Option[] | null;
  readonly example: string | null;
  /** What a right answer looks like, in words. */
  readonly rule: string;
  /** What somebody meant who did not type it as it is; undefined where nothing says it. */
  readonly meaning?: (typed: string) => string | undefined;
  /** True where the answer is one the service would take. */
  readonly accepts: (value: string) => boolean;
}

/** What somebody meant by what was typed. */
export function meant({ accepts, meaning }: Question, typed: string): string {
  const text = typed.trim();
  return accepts(text) ? text : (meaning?.(text) ?? text);
}

/** The options that pass what was typed, by code or by any part of the name, accents and dashes aside. */
export function matching(options: readonly Option[], typed: string): readonly Option[] {
  const wanted = plain(typed.trim());
  return options.filter(({ value, label }) => plain(`${value} ${label}`).includes(wanted));
}

function plain(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[\s\p{Pd}]+/gu, ' ')
    .toLowerCase();
}

/** A question whose answer is in a list. */
export function choice(path: string, label: string, options: readonly Option[]): Question {
  const accepts = (value: string): boolean => options.some((option) => option.value === value);
  return { path, label, options, example: null, rule: 'one of the list', accepts };
}
