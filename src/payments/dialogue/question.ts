/** One question of the dialogue, and how its answer is understood. */

export interface Option {
  readonly value: string;
  readonly label: string;
}

export interface Question {
  readonly path: string;
  readonly label: string;
  /** The answers to choose from; null for a text question. */
  readonly options: readonly Option[] | null;
  readonly example: string | null;
  /** Describes a valid answer in words. */
  readonly rule: string;
  /** Corrects an answer that was typed in another form; undefined if it can't. */
  readonly correction?: (typed: string) => string | undefined;
  /** True if the service would take the answer. */
  readonly accepts: (value: string) => boolean;
}

/** The answer that the person meant: corrected if it is not valid as typed. */
export function intendedValue({ accepts, correction }: Question, typed: string): string {
  const text = typed.trim();
  return accepts(text) ? text : (correction?.(text) ?? text);
}

/** The options whose code or name contains the text, ignoring accents and dashes. */
export function matchingOptions(options: readonly Option[], typed: string): readonly Option[] {
  const wanted = comparableText(typed.trim());
  return options.filter(({ value, label }) => comparableText(`${value} ${label}`).includes(wanted));
}

function comparableText(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[\s\p{Pd}]+/gu, ' ')
    .toLowerCase();
}

/** A question with a list of answers. */
export function choiceQuestion(path: string, label: string, options: readonly Option[]): Question {
  const accepts = (value: string): boolean => options.some((option) => option.value === value);
  return { path, label, options, example: null, rule: 'one of the list', accepts };
}
