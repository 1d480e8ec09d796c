export interface Option {
  readonly value: string;
  readonly label: string;
}

export interface Question {
  readonly path: string;
  readonly label: string;
  readonly options: readonly Option[] | null;
  readonly example: string | null;
  readonly rule: string;
  readonly correction?: (typed: string) => string | undefined;
  readonly accepts: (value: string) => boolean;
}

export function intendedValue({ accepts, correction }: Question, typed: string): string {
  const text = typed.trim();
  return accepts(text) ? text : (correction?.(text) ?? text);
}

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

export function choiceQuestion(path: string, label: string, options: readonly Option[]): Question {
  const accepts = (value: string): boolean => options.some((option) => option.value === value);
  return { path, label, options, example: null, rule: 'one of the list', accepts };
}
